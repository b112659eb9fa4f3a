package view

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
	"handoff/internal/text/nearest"
	"handoff/log/tape/entry"
)

// fold makes texts that differ only in case equal, in any script.
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

// matcher searches for a text.
type matcher struct {
	text  string   // folded
	words []string // of the text, for a fuzzy search only
}

// inEntry reports whether the text is in the JSON of the entry as Bub writes it,
// but without escapes, or in one of its texts: see [entry.Entry.OwnMeta].
func (m matcher) inEntry(e *entry.Entry) bool {
	if m.text == "" {
		return true
	}
	buf := jsontext.AppendText([]byte(`{"date": `), e.Date)
	buf = jsontext.AppendText(append(buf, `, "kind": `...), e.Kind)
	buf = jsontext.Python.AppendValue(append(buf, `, "meta": `...), string(e.OwnMeta()))
	buf = jsontext.Python.AppendValue(append(buf, `, "payload": `...), string(e.Payload))
	if strings.Contains(fold(string(append(buf, '}'))), m.text) {
		return true
	}
	return m.inTexts(e)
}

// inTexts reports whether the text is in the kind, or in a text of payload or
// meta.
func (m matcher) inTexts(e *entry.Entry) bool {
	for _, object := range []string{string(e.Payload), string(e.OwnMeta())} {
		if anyText(object, m.in) {
			return true
		}
	}
	return m.in(e.Kind)
}

func (m matcher) in(text string) bool {
	folded := fold(text)
	return strings.Contains(folded, m.text) || len(m.words) > 0 && m.similar(words(folded))
}

// similar reports whether adjacent words differ from those of the matcher in a
// quarter of the letters at most.
func (m matcher) similar(in []string) bool {
	phrase := strings.Join(m.words, " ")
	for i := 0; i+len(m.words) <= len(in); i++ {
		candidate := strings.Join(in[i:i+len(m.words)], " ")
		longer := max(len(phrase), len(candidate))
		if d := len(phrase) - len(candidate); 4*max(d, -d) > longer {
			continue // it cannot be similar enough
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

// anyText reports whether a text or a member name in a value fits.
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
