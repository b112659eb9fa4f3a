package visible

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"plain":                       "plain",
		"a\x1b]52;c;eA==\a b":         `a\x1b]52;c;eA==\x07 b`,
		"a\u009b31m\u202eb\u2028\xff": `a\u009b31m\u202eb\u2028\xff`,
		"\x7f\r\n\t\U000e0041":        "\\u007f\\r\\n\t\\U000e0041",
		"نمی\u200cخواهم 👩\u200d💻 é":   "نمی\u200cخواهم 👩\u200d💻 é",
	} {
		if got := Line(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

func TestModel(t *testing.T) {
	for s, want := range map[string]struct {
		clean   string
		removed int
	}{
		"plain\n\ttext\r\n":                 {"plain\n\ttext\r\n", 0},
		"\ufeffa":                           {"\ufeffa", 0},
		"a\u200bb\ufeffc\u2060d\u2062e":     {"abcde", 4},
		"a\ufff9b\ufffbc\u2028d\u2029e":     {"abc d e", 4},
		"a\U000e0041\U000e0042b":            {"ab", 2},
		"a\ufe00\ufe0fb ✔\ufe0f 1\ufe0f⃣":   {"ab ✔\ufe0f 1\ufe0f⃣", 2},
		"葛\U000e0100":                       {"葛", 1},
		"so\u00adft \u3164 \u034f":          {"soft  ", 3},
		"نمی\u200cخواهم 👩\u200d💻 a\u200db":  {"نمی\u200cخواهم 👩\u200d💻 ab", 1},
		"\x1b[8m\u202eevil\u2066\u009b\x00": {`\x1b[8m\u202eevil\u2066\u009b\x00`, 0},
		"over\rwritten \xff":                {`over\rwritten \xff`, 0},
	} {
		if clean, removed := Model(s); clean != want.clean || removed != want.removed {
			t.Errorf("%q: %q, %d removed; want %q, %d", s, clean, removed, want.clean, want.removed)
		}
	}
}

// TestModelCharacters tries every character on its own between two letters.
func TestModelCharacters(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		clean, removed := Model("a" + string(r) + "b")
		ignorable := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf, unicode.Zl, unicode.Zp) &&
			!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
		raw := strings.ContainsRune(clean, r)
		switch {
		case r == '\n' || r == '\t':
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			if raw || removed != 0 {
				t.Errorf("%U is not escaped: %q", r, clean)
			}
		case ignorable != (removed == 1) || ignorable == raw && r != 'a' && r != 'b':
			t.Errorf("%U: ignorable %v, removed %d, %q", r, ignorable, removed, clean)
		}
	}
}

func written(t *testing.T, chunks ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, c := range chunks {
		if n, err := io.WriteString(w, c); n != len(c) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWriter splits text at every byte: however it is split, nothing unsafe passes,
// and safe text is not changed.
func TestWriter(t *testing.T) {
	const text = "a\x1b[8mb\u009bc\u202ed\U000e0041e\xffé水\U0001f44d\r\nf\rg\n\th\xe2\x82"
	const want = `a\x1b[8mb\u009bc\u202ed\udb40\udc41e\xffé水` + "\U0001f44d\r\n" + `f\rg` + "\n\th" + `\xe2\x82`
	for cut := range len(text) {
		if got := written(t, text[:cut], text[cut:]); got != want {
			t.Errorf("cut at %d: %q, want %q", cut, got, want)
		}
	}
	if got := written(t, strings.Split(text, "")...); got != want {
		t.Errorf("%q", got)
	}
	if got := written(t, "50%\r"); got != `50%\r` {
		t.Errorf("%q", got)
	}
}

// TestWriterKeepsJSON writes every character in a JSON string: decoding it returns
// the character.
func TestWriterKeepsJSON(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all.WriteRune(r)
		}
	}
	src, err := json.Marshal(all.String())
	if err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(written(t, string(src))), &back); err != nil || back != all.String() {
		t.Errorf("JSON changed on its way to the terminal: %v", err)
	}
}

func TestRaw(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	io.WriteString(w, "half \xe2")
	io.WriteString(w.Raw(), "\x1b[1mbold\x1b[0m")
	io.WriteString(w, "\x1b")
	if got, want := b.String(), `half \xe2`+"\x1b[1mbold\x1b[0m"+`\x1b`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMark: no text contains the mark, even if one contains the first candidate.
func TestMark(t *testing.T) {
	first := Mark(1, "a", "b")
	texts := []string{"a", "0123456789abcd"}
	for range 100 {
		if m := Mark(1, texts...); strings.Contains(texts[0]+texts[1], m) || m != Mark(1, texts...) {
			t.Errorf("%q is the mark of %q", m, texts)
		}
		texts[0] += "x"
	}
	if first != Mark(1, "a", "b") || len(Mark(8, "")) != 8 {
		t.Error("the same texts give another mark")
	}
}
