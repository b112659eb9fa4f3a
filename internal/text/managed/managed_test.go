package managed

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var block = Block{"# begin", "# end"}

const lines = "# begin v1\nx = 1\n# end\n"

func TestSet(t *testing.T) {
	for name, c := range map[string]struct {
		src  Text
		want string
	}{
		"no file":                {Text{}, "# begin v1\nx = 1\n# end\n"},
		"an empty file":          {Text{"", true}, "# begin v1\nx = 1\n# end"},
		"a text":                 {Text{"a\n", true}, "a\n\n# begin v1\nx = 1\n# end\n"},
		"no final line break":    {Text{"a", true}, "a\n\n# begin v1\nx = 1\n# end"},
		"CRLF":                   {Text{"a\r\nb\r\n", true}, "a\r\nb\r\n\r\n# begin v1\r\nx = 1\r\n# end\r\n"},
		"an older block":         {Text{"a\n# begin v0\n# end\nb", true}, "a\n# begin v1\nx = 1\n# end\nb"},
		"an older block, at end": {Text{"a\n# begin v0\n# end", true}, "a\n# begin v1\nx = 1\n# end"},
	} {
		got, err := block.Set(c.src, lines)
		if err != nil || got != (Text{c.want, true}) {
			t.Errorf("%s: %+v, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for src, want := range map[string]Text{
		"a\n":                             {"a\n", true},
		"# begin v9\n# end\n":             {"", false},
		"# begin\n# end\nb\n":             {"b\n", true},
		"a\n\n# begin\n# end\nb\n":        {"a\nb\n", true},
		"a\n# begin\n# end\n\nb\n":        {"a\n\nb\n", true}, // our empty line was removed
		"a\n\n# begin\n# end\n# end\n":    {"a\n# end\n", true},
		"a\r\n\r\n# begin\r\n# end\r\nb ": {"a\r\nb ", true},
	} {
		if got, err := block.Cut(Text{src, true}); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", src, got, err, want)
		}
	}
}

func TestDamaged(t *testing.T) {
	for src, want := range map[string]string{
		"# begin v1\nx\n":                            `the line "# end" is missing`,
		"# begin v1\n# begin v1\n# end\n":            `is there twice`,
		"# begin v1\n# end\n\n# begin v0\n\n# end\n": `is there twice`,
	} {
		for _, change := range []func(Text) (Text, error){block.Cut, func(t Text) (Text, error) { return block.Set(t, lines) }} {
			got, err := change(Text{src, true})
			if !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), want) || got.Bytes != src {
				t.Errorf("%q: %+v, %v", src, got, err)
			}
		}
	}
}

// TestRoundTrip adds the block to any text and takes it away again.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "\n", "\r\n", "\n\n", "# end", "\ufeff", " "}), 0, 8).Draw(t, "parts")
		before := Text{strings.Join(parts, ""), true}
		if before.Bytes == "" {
			before.Exists = rapid.Bool().Draw(t, "exists")
		}
		with, err := block.Set(before, lines)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := block.Set(with, lines); err != nil || again != with {
			t.Fatalf("%q became %q the second time (%v)", with.Bytes, again.Bytes, err)
		}
		if after, err := block.Cut(with); err != nil || after != before {
			t.Fatalf("%+v became %q and then %+v (%v)", before, with.Bytes, after, err)
		}
		tail := rapid.SampledFrom([]string{"\nmore", "\r\n\r\nmore\r\n"}).Draw(t, "tail")
		after, err := block.Cut(Text{with.Bytes + tail, true})
		if err != nil || squeeze(after.Bytes) != squeeze(before.Bytes+tail) {
			t.Fatalf("%+v with %q became %+v (%v)", before, tail, after, err)
		}
	})
}

// squeeze leaves out line breaks: where one follows the block, it may be ours.
func squeeze(text string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(text) }
