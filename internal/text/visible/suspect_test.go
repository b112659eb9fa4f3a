package visible

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestSuspect compares the suspect bytes with the hidden characters: each is found at every
// offset.
func TestSuspect(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || Name(r) == "" {
			continue
		}
		for _, before := range []string{"", "plain text: "} {
			if at := Suspect(before+string(r)+"a", 0); at != len(before) {
				t.Errorf("%U after %q is found at %d", r, before, at)
			}
		}
	}
}

// TestCleans: what changes a text is never missed.
func TestCleans(t *testing.T) {
	texts := []string{"", "a\nb\tc\r\nd", "a\rb", "a\xffb", "a\x00b", "“a” – b → c · é 中文 🔑"}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) {
			texts = append(texts, "of text "+string(r)+"a")
		}
	}
	missed := 0
	for _, text := range texts {
		changed, _ := Model(text)
		if !Cleans(text) && changed != text {
			t.Errorf("%q becomes %q", text, changed)
		}
		if Cleans(text) && changed == text {
			missed++
		}
	}
	if missed > 700 { // an emoji's selector and what else depends on the letters around it
		t.Errorf("%d of %d texts are asked about for nothing", missed, len(texts))
	}
}
