package edit

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Whole is a file that handoff owns completely. Its last line is a comment with
// a checksum of the rest, so that a file that the user has edited is not
// replaced or removed.
type Whole struct {
	Content    string
	Start, End string // of a comment on one line
}

// Yours is why a file of the same name that the user wrote is not replaced. Many repositories have a skill or a
// command called handoff of their own.
const Yours = "is yours, and stays as it is"

const wholeMark = "handoff setup: sha256 "

func (w Whole) text() string { return w.Content + w.mark(w.Content) }

func (w Whole) mark(content string) string {
	// A checkout may have changed the line breaks.
	sum := sha256.Sum256([]byte(strings.ReplaceAll(content, "\r\n", "\n")))
	return fmt.Sprintf("%s%s%x%s\n", w.Start, wholeMark, sum[:8], w.End)
}

// intact reports whether a text is as it was written, by any version. foreign is true
// if it was never written here.
func (w Whole) intact(t Text) (intact, foreign bool) {
	at := strings.LastIndex(t.Bytes, w.Start+wholeMark)
	if at < 0 {
		return false, true
	}
	return strings.TrimRight(t.Bytes[at:], "\r\n") == strings.TrimRight(w.mark(t.Bytes[:at]), "\n"), false
}

func (w Whole) Add(t Text) (Text, string, error) {
	intact, foreign := w.intact(t)
	switch {
	case t.Exists && strings.ReplaceAll(t.Bytes, "\r\n", "\n") == w.text():
		return t, "", nil
	case t.Exists && foreign:
		return t, Yours, nil
	case t.Exists && !intact:
		return t, "was changed since setup: remove it to get the current one", nil
	}
	return Text{Bytes: w.text(), Exists: true}, "", nil
}

func (w Whole) Cut(t Text) (Text, string, error) {
	switch intact, foreign := w.intact(t); {
	case foreign:
		return t, "", nil
	case !intact:
		return t, "changed since setup", nil
	}
	return Text{}, "", nil
}

// Exact is a file that has no place for a comment: it is ours while it has exactly
// this content, but for a version.
type Exact struct {
	Content string
	Version string // the beginning of a line that another version of setup writes differently; "" for none
}

// same reports whether a text is the content; of another version, if any is true.
func (x Exact) same(t Text, any bool) bool {
	text, content := strings.ReplaceAll(t.Bytes, "\r\n", "\n"), x.Content
	if any && x.Version != "" {
		text, content = x.without(text), x.without(content)
	}
	return t.Exists && text == content
}

// without is a text without the value in the line of the version.
func (x Exact) without(text string) string {
	before, rest, ok := strings.Cut(text, "\n"+x.Version)
	if !ok {
		return text
	}
	_, after, _ := strings.Cut(rest, "\n")
	return before + "\n" + x.Version + "\n" + after
}

func (x Exact) Add(t Text) (Text, string, error) {
	switch {
	case t.Exists && !x.same(t, true):
		return t, "is not from setup, or was changed since: it stays as it is", nil
	case x.same(t, false):
		return t, "", nil
	}
	return Text{Bytes: x.Content, Exists: true}, "", nil
}

func (x Exact) Cut(t Text) (Text, string, error) {
	if x.same(t, true) {
		return Text{}, "", nil
	}
	return t, "", nil
}
