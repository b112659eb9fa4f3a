package receipts

import (
	"fmt"
	"strings"
	"unicode"

	"handoff/document/handoff"
	"handoff/log/receipt"
)

// MismatchError refuses an acknowledgement whose first action is not the next
// action of the document. Its text does not contain that action, because a caller
// could copy it without reading the document.
type MismatchError struct{ Path string }

func (e *MismatchError) Error() string {
	return fmt.Sprintf("--first-action is not the next action of %s: read it, and repeat its first sentence or all of it", e.Path)
}

func (e *MismatchError) Is(target error) bool { return target == receipt.ErrRefused }

// sameAction reports whether a text is the next action of a document, or its
// first sentence or line. Case, markup and white space do not count.
func sameAction(doc *handoff.Document, text string) bool {
	if doc == nil {
		return false
	}
	step, ok := doc.NextStep()
	given := normalised(text)
	if !ok || given == "" {
		return false
	}
	line, _, _ := strings.Cut(strings.TrimSpace(step.Text), "\n")
	sentence, _, _ := strings.Cut(strings.Join(strings.Fields(step.Text), " "), ". ")
	for _, want := range []string{step.Text, line, sentence} {
		if given == normalised(want) {
			return true
		}
	}
	return false
}

// normalised keeps the letters, digits and symbols of a text, in lower case,
// with one space between words.
func normalised(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`*_\"'.,;:!?-…“”‘’", r)
	})
	return strings.Join(words, " ")
}
