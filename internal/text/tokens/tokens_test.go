package tokens

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSamples compares the estimate with the real counts of the samples, and reports
// the error.
func TestSamples(t *testing.T) {
	const (
		mostMedian = 4.0  // per cent
		mostLong   = 6.0  // a text of more than 500 tokens
		most       = 16.0 // any
		mostTotal  = 1.5
	)
	table, err := os.ReadFile("testdata/counts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var off []float64
	real, about := 0, 0
	for line := range strings.Lines(string(table)) {
		var name string
		var size, o200k, cl100k int
		if _, err := fmt.Sscan(line, &name, &size, &o200k, &cl100k); err != nil {
			continue // the heading
		}
		src, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil || len(src) != size {
			t.Fatalf("%s: %d bytes, want %d: count anew with measure/bench/tokens (%v)", name, len(src), size, err)
		}
		got := Estimate(string(src))
		share := 100 * float64(got-o200k) / float64(o200k)
		t.Logf("%+6.1f %%  about %5d, really %5d  %s", share, got, o200k, name)
		if limit := map[bool]float64{true: mostLong, false: most}[o200k > 500]; math.Abs(share) > limit {
			t.Errorf("%s: off by %.1f %%, want at most %.0f", name, share, limit)
		}
		off = append(off, math.Abs(share))
		real, about = real+o200k, about+got
	}
	if len(off) < 20 {
		t.Fatalf("only %d samples", len(off))
	}
	slices.Sort(off)
	if median := off[len(off)/2]; median > mostMedian {
		t.Errorf("off by %.1f %% in the median, want at most %.1f", median, mostMedian)
	}
	if total := 100 * float64(about-real) / float64(real); math.Abs(total) > mostTotal {
		t.Errorf("off by %.1f %% over all, want at most %.1f", total, mostTotal)
	}
}

func TestFeatures(t *testing.T) {
	for text, want := range map[string]map[int]int{
		"":                         {},
		"hello":                    {Word: 1},
		"hello world":              {Word: 2},
		"internationalization":     {Word: 1, LongLetter: 14},
		"parseHTTPRequest":         {Word: 2, LongLetter: 5, Capital: 4},
		"12 1234 1234567":          {Digits: 6},
		"a_b":                      {Word: 2, Punct: 1},
		"-----":                    {Punct: 1, SamePunct: 3},
		strings.Repeat("-", 1+800): {Punct: 1, SamePunct: 3 + 100},
		`{"a":`:                    {Punct: 2, OtherPunct: 2, Word: 1},
		"a  \n\n\tb":               {Word: 2, Newline: 1},
		"a\n    b":                 {Word: 2, Newline: 1, Indent: 1},
		"\xffé中あ가яא字ก→":            {Symbol: 2, Latin: 1, Han: 2, Kana: 1, Hangul: 1, Cyrillic: 1, Abjad: 1, Script: 1},
	} {
		var c Counts
		for f, n := range want {
			c[f] = n
		}
		if got := Features(text); got != c {
			t.Errorf("%.20q: %v, want %v", text, got, c)
		}
	}
	if Estimate("") != 0 || Estimate(".") != 1 || Estimate("\n") != 1 {
		t.Error("the smallest texts")
	}
}

// FuzzEstimate splits a text: the estimates of the parts add up to about that of the
// whole, on which callers rely.
func FuzzEstimate(f *testing.F) {
	f.Add("The next step is one: `go test ./...`\n", 9)
	f.Add("-------- 123456 äöü", 4)
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = max(0, min(at, len(text)))
		whole, a, b := Estimate(text), Estimate(text[:at]), Estimate(text[at:])
		if whole < 0 || (whole == 0) != (text == "") || whole > 2*len(text)+1 {
			t.Errorf("%d for %d bytes", whole, len(text))
		}
		// a cut word, run or character costs a little more than it did whole
		if a+b < whole-4 || a+b > whole+8 {
			t.Errorf("%d + %d, whole %d: %q | %q", a, b, whole, text[:at], text[at:])
		}
	})
}

func BenchmarkEstimate(b *testing.B) {
	src, err := os.ReadFile("testdata/readme.md")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Estimate(string(src))
	}
}
