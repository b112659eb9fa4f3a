package reconcile

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"handoff/internal/json/jsonedit"
	"handoff/internal/json/jsontext"
)

// Object parses a file that contains a JSON object in which no key occurs twice.
// The problem is why it does not: then the file is nil.
func (f File) Object() (*jsonedit.File, *Problem) {
	p := &Problem{Path: f.Path, Line: 1, Col: 1}
	file, err := parseJSON(f.Src)
	var syntax *jsonedit.SyntaxError
	switch {
	case errors.As(err, &syntax):
		p.Line, p.Col, p.Text = syntax.Line, syntax.Col, "is not JSON: "+strings.TrimPrefix(syntax.Text, "no JSON value: ")
	case err != nil:
		p.Text = "is not JSON: " + err.Error()
	case file.Root().Kind() != jsonedit.KindObject:
		p.Text = fmt.Sprintf("is %s, not an object", file.Root().Kind())
	default:
		dup := file.Duplicates()
		if len(dup) == 0 {
			return file, nil
		}
		p.Line, p.Col, p.Text = dup[0].Line, dup[0].Col, fmt.Sprintf("duplicate key %q", dup[0].Path.String())
	}
	return nil, p
}

// parseJSON is [jsonedit.Parse] for a file that must be UTF-8: Latin-1 read as
// UTF-8 would change the agent's words.
func parseJSON(src []byte) (*jsonedit.File, error) {
	if at := jsontext.FirstInvalid(src); at >= 0 {
		line, start := jsontext.Position(string(src), at)
		return nil, &jsonedit.SyntaxError{Line: line, Col: utf8.RuneCount(src[start:at]) + 1,
			Text: fmt.Sprintf("byte 0x%02x at offset %d is not UTF-8: save the file as UTF-8", src[at], at)}
	}
	return jsonedit.Parse(src)
}
