package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// syntax adds an error of the YAML library, without what the library says about its
// stages and positions.
func (r *Reading) syntax(err error, src []byte) {
	var load *yaml.LoadError
	if !errors.As(err, &load) {
		r.add(1, 1, "%v", err)
		return
	}
	text := advice(load.Message, runeAt(src, load.Mark.Line, load.Mark.Column))
	if text == "" {
		text = strings.TrimSpace(load.Message + " " + load.ContextMsg)
		if first := load.ContextMark.Line; first > 0 && first < load.Mark.Line {
			text += fmt.Sprintf(" (started on line %d)", first)
		}
	}
	r.add(load.Mark.Line, load.Mark.Column, "%s", text)
}

// advice is what to type if the cause is a common one: text that needs quotes. It is
// "" for other errors.
func advice(message string, at rune) string {
	switch {
	case strings.HasPrefix(message, "found character that cannot start any token") && at == '\t',
		strings.HasPrefix(message, "found a tab character"):
		return "tabs cannot be used for indentation: use spaces"
	case strings.HasPrefix(message, "found character that cannot start any token") && at != 0:
		return fmt.Sprintf("put text that starts with %c in quotes", at)
	case strings.HasPrefix(message, "mapping values are not allowed"):
		return `no key is allowed here: put text that contains ": " in quotes, or fix the indentation`
	case strings.HasPrefix(message, "unknown anchor"), strings.Contains(message, "alphabetic or numeric character"):
		return "put text that starts with * or & in quotes"
	case strings.HasPrefix(message, "could not find expected ':'"):
		return `want "key: value" before this line`
	}
	return ""
}

// runeAt is the character at a position of the YAML library, 0 if there is none or it is
// not printable. Lines also end at the other line ends of YAML: a lone carriage return
// and three rare characters.
func runeAt(src []byte, line, column int) rune {
	before := rune(0)
	for _, c := range string(src) {
		if line <= 1 {
			column--
		}
		switch {
		case c == '\n' && before == '\r': // the line ended already
			if line <= 1 {
				column++
			}
		case column == 0:
			if c != '\t' && !unicode.IsPrint(c) {
				return 0
			}
			return c
		case line > 1 && strings.ContainsRune("\r\n\u0085\u2028\u2029", c):
			line--
		}
		before = c
	}
	return 0
}
