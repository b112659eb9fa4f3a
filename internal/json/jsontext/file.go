package jsontext

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// SyntaxError is the place where the text of a file stops being valid JSON.
type SyntaxError struct {
	Line, Col int // 1-based; Col counts characters
	Text      string
}

// Error has the form line:col: text.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Text) }

// ParseFile reads the text of a file, which is one value of [Plain] and nothing else. The
// error is a [*SyntaxError].
func ParseFile(src string) (*Node, error) {
	switch {
	case strings.HasPrefix(src, "\ufeff"):
		return nil, syntaxError(src, 0, "the file begins with a byte order mark: save it as UTF-8 without one")
	case strings.Trim(src, Blanks) == "":
		return nil, syntaxError(src, len(src), "no JSON value: the file is empty")
	}
	root, err := Plain.Parse(src)
	var syntax *Error
	if errors.As(err, &syntax) {
		return nil, syntaxError(src, syntax.Offset, syntax.Text)
	}
	return root, err
}

func syntaxError(src string, at int, text string) error {
	line, col := Place(src, at)
	return &SyntaxError{line, col, text}
}

// Place is the line and the column of an offset, from 1. Columns count characters.
func Place(src string, at int) (line, col int) {
	line, start := Position(src, at)
	return line, 1 + utf8.RuneCountInString(src[start:at])
}
