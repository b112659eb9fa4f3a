package main

import (
	"bufio"
	"io"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/term"

	"handoff/internal/text/visible"
)

// screen is stdout or stderr on a terminal. It escapes everything that is
// written to it, so that no document, file name, server or other process can
// send a control sequence, whichever command shows it. Commands that draw
// colours bypass it: see [painted].
type screen struct {
	*visible.Writer
	file *os.File
}

// guarded returns f for commands to write to: escaped if f is a terminal.
func guarded(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return f
	}
	return &screen{visible.NewWriter(f), f}
}

// flushScreens writes the bytes of an incomplete last character, which the
// screen keeps until the rest arrives.
func (w *process) flushScreens() {
	for _, out := range []io.Writer{w.stdout, w.stderr} {
		if s, ok := out.(*screen); ok {
			s.Flush()
		}
	}
}

// painted returns out without escaping, for a command that draws colours or a
// line of progress. Such a command passes text from outside through [plain]
// first.
func painted(out io.Writer) io.Writer {
	if s, ok := out.(*screen); ok {
		return s.Raw()
	}
	return out
}

// fileOf is the file that out writes to, nil if it is not a file.
func fileOf(out any) *os.File {
	switch out := out.(type) {
	case *screen:
		return out.file
	case *counted:
		return fileOf(out.Writer)
	case *os.File:
		return out
	}
	return nil
}

func isTerminal(out any) bool {
	f := fileOf(out)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// width is the number of columns of the terminal, or fallback if out is not a
// terminal.
func width(out io.Writer, fallback int) int {
	if f := fileOf(out); f != nil {
		if cols, _, err := term.GetSize(int(f.Fd())); err == nil && cols > 0 {
			return cols
		}
	}
	return fallback
}

// plainText makes text from outside safe to print.
func plainText(s string) string { return visible.Text(s, '\n', '\t') }

// plain makes text from outside safe to print on one line.
func plain(s string) string { return visible.Line(s) }

// Styles of text, as parameters of the terminal's SGR sequence.
const (
	heading = "1;36"
	faint   = "2"
	bold    = "1"
	code    = "33"
	hunk    = "36"
	removed = "31"
	added   = "32"
)

// styled is text in a style, if colour is on.
func styled(colour bool, style, text string) string {
	if !colour || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

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

// editorOutput is where an editor draws: the terminal itself, unescaped,
// because an editor needs control sequences and the user chose it.
func editorOutput(out io.Writer) io.Writer {
	if f := fileOf(out); f != nil {
		return f
	}
	return out
}
