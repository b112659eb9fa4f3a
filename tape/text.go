package tape

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
	"handoff/internal/text/nearest"
)

// fold makes texts that differ in case only the same, in any script.
func fold(s string) string {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		switch {
		case r == 'ß' || r == 'ẞ':
			b.WriteString("ss")
		default:
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	return b.String()
}

// needle is a text that is looked for, folded.
type needle struct {
	text  string
	words []string // for fuzzy search, else nil
}

func newNeedle(text string) needle { return needle{text: fold(text)} }

// inEntry reports whether it stands in the entry as Bub writes it out, but for
// the escapes that hide from Bub what is not ASCII, or in one of its texts.
func (n needle) inEntry(e *Entry) bool {
	if n.text == "" {
		return true
	}
	buf := jsontext.AppendText([]byte(`{"date": `), e.Date)
	buf = jsontext.AppendText(append(buf, `, "kind": `...), e.Kind)
	buf = jsontext.Python.AppendValue(append(buf, `, "meta": `...), string(e.Meta))
	buf = jsontext.Python.AppendValue(append(buf, `, "payload": `...), string(e.Payload))
	if strings.Contains(fold(string(append(buf, '}'))), n.text) {
		return true
	}
	return n.inTexts(e)
}

// inTexts reports whether it stands in one of the texts of payload or meta.
func (n needle) inTexts(e *Entry) bool {
	for _, object := range []string{string(e.Payload), string(e.Meta)} {
		if anyText(object, n.in) {
			return true
		}
	}
	return n.in(e.Kind)
}

// in reports whether it stands in a text.
func (n needle) in(text string) bool {
	folded := fold(text)
	return strings.Contains(folded, n.text) || n.words != nil && n.near(words(folded))
}

// near reports whether words in a row are so like those of the needle that
// about a fifth of the letters is wrong at most.
func (n needle) near(in []string) bool {
	phrase := strings.Join(n.words, " ")
	for i := 0; i+len(n.words) <= len(in); i++ {
		candidate := strings.Join(in[i:i+len(n.words)], " ")
		longer := max(len(phrase), len(candidate))
		if d := len(phrase) - len(candidate); 4*max(d, -d) > longer {
			continue // it cannot be near enough
		}
		if 4*nearest.Distance(phrase, candidate) <= longer {
			return true
		}
	}
	return false
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
}

// anyText reports whether a text within a value fits: names of members too.
func anyText(value string, fits func(string) bool) bool {
	switch {
	case strings.HasPrefix(value, "{"):
		members, err := jsontext.Python.Object(value)
		for _, m := range members {
			if err == nil && (fits(m.Name) || anyText(m.Value, fits)) {
				return true
			}
		}
	case strings.HasPrefix(value, "["):
		items, err := jsontext.Python.Array(value)
		for _, item := range items {
			if err == nil && anyText(item, fits) {
				return true
			}
		}
	case jsontext.IsText(value):
		return fits(jsontext.Text(value))
	}
	return false
}
