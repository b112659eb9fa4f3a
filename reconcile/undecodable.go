package reconcile

import (
	"fmt"
	"unicode/utf8"

	"handoff/internal/json/jsonedit"
	"handoff/internal/json/jsontext"
)

// parseJSON is jsonedit.Parse for the files of a task, which must be UTF-8: a
// lead that reads Latin-1 as UTF-8 sees other words than the agent wrote, and
// so would the values we compare.
func parseJSON(src []byte) (*jsonedit.File, error) {
	if at := jsontext.FirstInvalid(src); at >= 0 {
		line, start := jsontext.Position(string(src), at)
		return nil, &jsonedit.SyntaxError{Line: line, Col: utf8.RuneCount(src[start:at]) + 1,
			Text: fmt.Sprintf("byte 0x%02x at offset %d is not UTF-8: save the file as UTF-8", src[at], at)}
	}
	return jsonedit.Parse(src)
}
