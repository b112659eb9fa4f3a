package main

import (
	"bufio"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// printDiff prints a unified diff of two texts. On a terminal it is coloured
// and its control characters are escaped; a pipe gets the raw bytes, so that
// the output is a valid patch.
func (w *process) printDiff(out *bufio.Writer, oldName string, old []byte, newName string, new []byte) error {
	text := diff.Diff(oldName, old, newName, new)
	colour := w.colour("auto", w.stdout)
	if !colour {
		_, err := out.Write(text) // on a terminal without colour, the screen escapes it
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		b.WriteString(diffColour(line) + plain(strings.TrimSuffix(line, "\n")) + "\x1b[0m\n")
	}
	_, err := io.WriteString(painted(w.stdout), b.String())
	return err
}

// diffColour is the colour of a line of a diff, as in git.
func diffColour(line string) string {
	switch {
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return "\x1b[1m"
	case strings.HasPrefix(line, "@@"):
		return "\x1b[36m"
	case strings.HasPrefix(line, "-"):
		return "\x1b[31m"
	case strings.HasPrefix(line, "+"):
		return "\x1b[32m"
	}
	return ""
}
