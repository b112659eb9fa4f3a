package say_test

import (
	"testing"
	"time"

	"handoff/internal/text/say"
)

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		d         time.Duration
		span, ago string
	}{
		{-time.Hour, "<1m", "now"}, {0, "<1m", "now"}, {time.Minute - 1, "<1m", "now"}, {time.Minute, "1m", "1m ago"}, {time.Hour - 1, "59m", "59m ago"},
		{time.Hour, "1h", "1h ago"}, {48*time.Hour - 1, "47h", "47h ago"}, {48 * time.Hour, "2d", "2d ago"}, {2000 * 24 * time.Hour, "2,000d", "2,000d ago"},
	} {
		if span, ago := say.Span(c.d), say.Ago(c.d); span != c.span || ago != c.ago {
			t.Errorf("%v: %q, %q", c.d, span, ago)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int][2]string{0: {"0", "0"}, 999: {"999", "999"}, 1000: {"1,000", "1k"}, 1234567: {"1,234,567", "1234k"}, -999: {"-999", "-999"}, -1000: {"-1,000", "-1000"}} {
		if number, kilo := say.Number(n), say.Kilo(n); number != want[0] || kilo != want[1] {
			t.Errorf("%d: %q, %q", n, number, kilo)
		}
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{say.Count(1, "line"), "1 line"}, {say.Count(0, "line"), "0 lines"}, {say.Count(uint64(2000), "entry"), "2,000 entries"}, {say.Count(2, "key"), "2 keys"}, {say.Count(3, "day"), "3 days"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		got, want string
	}{
		{say.Clip("abc", 3), "abc"}, {say.Clip("abcd", 3), "abc…"}, {say.Clip("aßb", 2), "a…"}, {say.Clip("", 0), ""}, {say.Head("aßb", 2), "a"}, {say.Head("ab", 9), "ab"},
		{say.Chars("äöü", 3), "äöü"}, {say.Chars("äöüß", 3), "äö…"}, {say.Chars("ab", 1), "…"}, {say.Line(" a\n\tb  c "), "a b c"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
