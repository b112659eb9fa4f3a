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
		b.WriteString(styled(true, diffStyle(line), plain(strings.TrimSuffix(line, "\n"))) + "\n")
	}
	_, err := io.WriteString(painted(w.stdout), b.String())
	return err
}

// diffStyle is the style of a line of a diff, as in git.
func diffStyle(line string) string {
	switch {
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return bold
	case strings.HasPrefix(line, "@@"):
		return hunk
	case strings.HasPrefix(line, "-"):
		return removed
	case strings.HasPrefix(line, "+"):
		return added
	}
	return ""
}
