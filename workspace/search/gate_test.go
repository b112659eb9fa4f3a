package search

import (
	"strings"
	"testing"
	"unicode"

	"handoff/workspace/documents"
)

// TestGate: what a document has in another form than its source is found, and no other document is parsed.
func TestGate(t *testing.T) {
	for _, c := range []struct {
		path, text string
		may        bool
	}{
		{"a.md", "The TOKEN", true},
		{"tokens.md", "", true},
		{"a.md", "to ken – “é” 中文 `x { y }`", false},
		{"a.md", "to<!-- x -->ken", true},
		{"a.md", "[a](b \"x\")", true},
		{"a.md", "to\u200bken", true},
		{"a.md", "to\u212aen", true},
		{"a.md", "to\xffken", true},
		{"a.md", "\xff\xfet\x00o\x00k\x00e\x00n\x00", true},
		{"a.json", "{}", true},
	} {
		may := gate{words: []string{"token"}}
		if got := may.match(c.path, []byte(c.text)); got != c.may {
			t.Errorf("%s, %q: %v", c.path, c.text, got)
		}
		if ws := open(t, c.text); c.path == "a.md" && !c.may {
			for _, e := range must(documents.List(t.Context(), ws, documents.Filter{})) {
				if _, ok := match(must(documents.Read(ws, e)), e, may.words); ok {
					t.Errorf("%q matches", c.text)
				}
			}
		}
	}
	if may := (&gate{words: []string{"é"}}); !may.match("a.md", nil) {
		t.Error("a word beyond ASCII is not looked for in all documents")
	}
}

// TestFoldASCII: no other letter becomes one of ASCII than [becomesASCII] knows.
func TestFoldASCII(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if ascii(fold(string(r))) != becomesASCII([]byte(string(r))) {
			t.Errorf("%U becomes %q", r, fold(string(r)))
		}
	}
	if got := string(lower(nil, []byte("AZ[é"))); got != strings.ToLower("AZ[é") {
		t.Errorf("%q", got)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
