// Package managed keeps a block of lines in a text file that the user owns.
// Everything outside the block stays the same byte for byte, and removing the block
// restores the original text.
//
// It opens no file and does not know what the block is for.
package managed

import (
	"errors"
	"fmt"
	"strings"
)

// Block is how the lines of a block are found.
type Block struct {
	Begin string // how its first line begins; a version may follow
	End   string // its whole last line
}

// ErrBroken is the error for a block without an end, or for several blocks.
var ErrBroken = errors.New("damaged block")

// Text is the content of a file.
type Text struct {
	Bytes  string
	Exists bool
}

// span is the place of a block, with the line break after it if there is one.
type span struct{ from, to int }

// find returns the place of the block. ok is false if there is none.
func (b Block) find(src string) (s span, ok bool, err error) {
	at, open := 0, 0
	for line := range strings.Lines(src) {
		switch text := strings.TrimRight(line, "\r\n"); {
		case strings.HasPrefix(text, b.Begin) && (open > 0 || ok):
			return s, false, fmt.Errorf("%w: %q is there twice: remove one of the blocks", ErrBroken, b.Begin)
		case strings.HasPrefix(text, b.Begin):
			open, s.from = at+1, at
		case text == b.End && open > 0:
			open, ok, s.to = 0, true, at+len(line)
		}
		at += len(line)
	}
	if open > 0 {
		return s, false, fmt.Errorf("%w: the line %q is missing: add it after the block", ErrBroken, b.End)
	}
	return s, ok, nil
}

// Set replaces the block or, if there is none, adds it at the end of the text. The
// lines are those from the first to the last line of the block, with line breaks.
//
// At the end it adds one empty line and the block. The block ends with a line break
// only if the text did, so that Cut can restore the text.
func (b Block) Set(t Text, lines string) (Text, error) {
	at, ok, err := b.find(t.Bytes)
	if err != nil {
		return t, err
	}
	eol := lineBreak(t.Bytes)
	if ok {
		eol = lineBreak(t.Bytes[at.from:at.to])
	}
	lines = strings.ReplaceAll(lines, "\n", eol)
	bare := strings.TrimSuffix(lines, eol)
	switch {
	case ok:
		if !strings.HasSuffix(t.Bytes[at.from:at.to], "\n") {
			lines = bare
		}
		return Text{t.Bytes[:at.from] + lines + t.Bytes[at.to:], true}, nil
	case !t.Exists:
		return Text{lines, true}, nil
	case t.Bytes == "":
		return Text{bare, true}, nil
	case strings.HasSuffix(t.Bytes, "\n"):
		return Text{t.Bytes + eol + lines, true}, nil
	}
	return Text{t.Bytes + eol + eol + bare, true}, nil
}

// Cut removes the block. The result does not exist if Set created the file and nothing
// else is in it.
func (b Block) Cut(t Text) (Text, error) {
	at, ok, err := b.find(t.Bytes)
	if err != nil || !ok {
		return t, err
	}
	before, block, after := t.Bytes[:at.from], t.Bytes[at.from:at.to], t.Bytes[at.to:]
	eol := lineBreak(block)
	if rest := strings.TrimSuffix(before, eol); strings.HasSuffix(rest, "\n") {
		before = rest // the empty line
	}
	if !strings.HasSuffix(block, "\n") {
		before = strings.TrimSuffix(before, eol)
	}
	return Text{before + after, before+after != "" || !strings.HasSuffix(block, "\n")}, nil
}

func lineBreak(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
