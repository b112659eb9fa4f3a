package jsonedit

import (
	"errors"
	"strings"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
)

type (
	node  = jsontext.Node
	child = jsontext.Child
)

func parse(src string) (*node, error) {
	switch {
	case strings.HasPrefix(src, "\ufeff"):
		return nil, syntaxError(src, 0, "the file begins with a byte order mark: save it as UTF-8 without one")
	case strings.Trim(src, jsontext.Blanks) == "":
		return nil, syntaxError(src, len(src), "no JSON value: the file is empty")
	}
	root, err := jsontext.Plain.Parse(src)
	var syntax *jsontext.Error
	if errors.As(err, &syntax) {
		return nil, syntaxError(src, syntax.Offset, syntax.Text)
	}
	return root, err
}

func syntaxError(src string, at int, text string) error {
	line, col := position(src, at)
	return &SyntaxError{line, col, text}
}

func position(src string, at int) (line, col int) {
	line, start := jsontext.Position(src, at)
	return line, 1 + utf8.RuneCountInString(src[start:at])
}
