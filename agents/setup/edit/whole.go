package edit

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Whole is a file that is written as a whole. Its last line is a comment with a
// checksum of the rest, so that a file which somebody changed is not replaced or
// removed.
type Whole struct {
	Content    string
	Start, End string // of a comment on one line
}

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
	intact, _ := w.intact(t)
	switch {
	case t.Exists && strings.ReplaceAll(t.Bytes, "\r\n", "\n") == w.text():
		return t, "", nil
	case t.Exists && !intact:
		return t, "was changed since setup, or is not from setup: remove it to get the current one", nil
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
// this content.
type Exact struct{ Content string }

func (x Exact) same(t Text) bool {
	return t.Exists && strings.ReplaceAll(t.Bytes, "\r\n", "\n") == x.Content
}

func (x Exact) Add(t Text) (Text, string, error) {
	if t.Exists && !x.same(t) {
		return t, "is not from this version of setup: remove it to get the current one", nil
	}
	if t.Exists {
		return t, "", nil
	}
	return Text{Bytes: x.Content, Exists: true}, "", nil
}

func (x Exact) Cut(t Text) (Text, string, error) {
	if x.same(t) {
		return Text{}, "", nil
	}
	return t, "", nil
}
