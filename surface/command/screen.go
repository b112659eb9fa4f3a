package command

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
// colours bypass it: see [Painted].
type screen struct {
	*visible.Writer
	file *os.File
}

// Guarded returns f for commands to write to: escaped if f is a terminal.
func Guarded(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return f
	}
	return &screen{visible.NewWriter(f), f}
}

// FlushScreens writes the bytes of an incomplete last character, which the
// screen keeps until the rest arrives.
func (w *Process) FlushScreens() {
	for _, out := range []io.Writer{w.Stdout, w.Stderr} {
		if s, ok := out.(*screen); ok {
			s.Flush()
		}
	}
}

// Painted returns out without escaping, for a command that draws colours or a
// line of progress. Such a command passes text from outside through [Plain]
// first.
func Painted(out io.Writer) io.Writer {
	if s, ok := out.(*screen); ok {
		return s.Raw()
	}
	return out
}

// FileOf is the file that out writes to, nil if it is not a file.
func FileOf(out any) *os.File {
	switch out := out.(type) {
	case *screen:
		return out.file
	case *counted:
		return FileOf(out.Writer)
	case *os.File:
		return out
	}
	return nil
}

// IsTerminal reports whether output goes to a terminal.
func IsTerminal(out any) bool {
	f := FileOf(out)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// Width is the number of columns of the terminal, or fallback if out is not a
// terminal.
func Width(out io.Writer, fallback int) int {
	if f := FileOf(out); f != nil {
		if cols, _, err := term.GetSize(int(f.Fd())); err == nil && cols > 0 {
			return cols
		}
	}
	return fallback
}

// PlainText makes text from outside safe to print.
func PlainText(s string) string { return visible.Text(s, '\n', '\t') }

// Plain makes text from outside safe to print on one line.
func Plain(s string) string { return visible.Line(s) }

// Styles of text, as parameters of the terminal's SGR sequence.
const (
	Heading = "1;36"
	Faint   = "2"
	Bold    = "1"
	Code    = "33"
	hunk    = "36"
	removed = "31"
	added   = "32"
)

// Styled is text in a style, if colour is on.
func Styled(colour bool, style, text string) string {
	if !colour || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// PrintDiff prints a unified diff of two texts. On a terminal it is coloured
// and its control characters are escaped; a pipe gets the raw bytes, so that
// the output is a valid patch.
func (w *Process) PrintDiff(out *bufio.Writer, oldName string, old []byte, newName string, new []byte) error {
	text := diff.Diff(oldName, old, newName, new)
	colour := w.Colour("auto", w.Stdout)
	if !colour {
		_, err := out.Write(text) // on a terminal without colour, the screen escapes it
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		b.WriteString(Styled(true, diffStyle(line), Plain(strings.TrimSuffix(line, "\n"))) + "\n")
	}
	_, err := io.WriteString(Painted(w.Stdout), b.String())
	return err
}

// diffStyle is the style of a line of a diff, as in git.
func diffStyle(line string) string {
	switch {
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return Bold
	case strings.HasPrefix(line, "@@"):
		return hunk
	case strings.HasPrefix(line, "-"):
		return removed
	case strings.HasPrefix(line, "+"):
		return added
	}
	return ""
}

// EditorOutput is where an editor draws: the terminal itself, unescaped,
// because an editor needs control sequences and the user chose it.
func EditorOutput(out io.Writer) io.Writer {
	if f := FileOf(out); f != nil {
		return f
	}
	return out
}
