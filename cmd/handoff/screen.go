package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"handoff/internal/text/visible"
)

// screen is stdout or stderr where that is a terminal. Everything that is
// written to it is escaped, so that no document, file name, server or other
// process can send a control sequence, whichever command shows it. Our own
// colours go around it: see [painted].
type screen struct {
	*visible.Writer
	file *os.File
}

// guarded is f as commands write to it: escaped where f is a terminal.
func guarded(f *os.File) io.Writer {
	if !term.IsTerminal(int(f.Fd())) {
		return f
	}
	return &screen{visible.NewWriter(f), f}
}

// flushScreens writes what a last incomplete character keeps back.
func (w *world) flushScreens() {
	for _, out := range []io.Writer{w.stdout, w.stderr} {
		if s, ok := out.(*screen); ok {
			s.Flush()
		}
	}
}

// painted is out for a command that draws colours or a line of progress. What
// it writes is not escaped: text from outside goes through [plain] first.
func painted(out io.Writer) io.Writer {
	if s, ok := out.(*screen); ok {
		return s.Raw()
	}
	return out
}

// fileOf is the file behind out, nil where there is none.
func fileOf(out any) *os.File {
	switch out := out.(type) {
	case *screen:
		return out.file
	case *os.File:
		return out
	}
	return nil
}

func isTerminal(out any) bool {
	f := fileOf(out)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// width is the columns of the terminal, or fallback when out is none.
func width(out io.Writer, fallback int) int {
	if f := fileOf(out); f != nil {
		if cols, _, err := term.GetSize(int(f.Fd())); err == nil && cols > 0 {
			return cols
		}
	}
	return fallback
}

// plain makes text from outside safe to print on a line.
func plain(s string) string { return visible.Line(s) }
