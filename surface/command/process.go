// Package command is what the commands of handoff share: the process that they run in, its exit codes, how
// they print results, errors and progress, flags that are bound to options, and how they open a workspace.
// The commands are in packages below this one, a package for each group. This package knows none of them.
package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"handoff/log/engine/replica"
	"handoff/workspace"
)

// What the user sees keeps to these rules:
//
//   - Results go to stdout, messages to stderr, so that a pipe gets only results.
//   - Messages are lower case, without a full stop at the end; they contain the
//     problem, its place, and what to type. Success is quiet.
//   - An error is one line, "handoff: …"; a usage error names the flag or the
//     command that was meant.
//   - Text from outside never reaches a terminal with its control characters:
//     a terminal is a [screen].
//   - Exit code 0 is clean, 1 findings, 2 could not do it.

// Process is everything that a command may access: tests pass their own.
type Process struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string // working directory
	Under          string // what -C says, "" without it
	DirError       error  // why that is unknown, as in a folder that was deleted
	Now            func() time.Time
	NewID          func() string // ids of threads, runs and events; nil for random ones
	Getenv         func(string) string
	Unpaged        bool // PAGER is set, and empty

	Line     *Progress // on stderr; nil without one
	refusing *refusing // nil without --json

	connecting sync.Mutex
	connected  map[string]*replica.LazyEngine // by root and address

	Sub string // the subcommand that is called, where only its flags are built; "" for all

	Workspace *workspace.Workspace // the one that the command opened; nil for none

	// UntilInterrupted returns the context of a command that cleans up; nil to
	// leave signals alone.
	UntilInterrupted func(context.Context) context.Context
	Incomplete       bool        // the command did its work, but not all of it: it has said what
	Drains           atomic.Bool // an interrupted command ends by itself and may take longer than patience
}

// The exit codes.
const (
	Clean    = 0
	Findings = 1
	Failed   = 2
	Asks     = 3 // a relay waits for the answer of a person
)

// Exit is the exit code of a command that has already printed everything.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Found is the end of a check: the exit code for findings, nil without any.
func Found(some bool) error {
	if some {
		return Exit(Findings)
	}
	return nil
}

// Say prints one line to stderr.
func (w *Process) Say(format string, args ...any) {
	w.Line.Clear()
	fmt.Fprintf(w.Stderr, "handoff: "+format+"\n", args...)
	if w.refusing != nil {
		w.refusing.add(fmt.Sprintf(format, args...))
	}
}

// ManyFiles is the number of files from which a check collects garbage less
// often: changing that takes as long as checking three.
const ManyFiles = 100

// CollectAt sets by how many percent the heap may grow until garbage is
// collected. GOGC overrides it.
func (w *Process) CollectAt(percent int) {
	if w.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// Print prints a result.
func (w *Process) Print(text string) error {
	_, err := io.WriteString(w.Stdout, text)
	return err
}

// Answer prints a result as JSON or as text.
func (w *Process) Answer(json bool, v any, text string) error {
	if json {
		return WriteJSON(w.Stdout, v)
	}
	return w.Print(text)
}

// WriteJSON prints JSON for people and programs.
func WriteJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// WriteLine prints JSON on one line, formatted as by RIP.
func WriteLine(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// PrintLines prints each item on a line: at most max of them, all if it is 0.
// With follow, an item is printed before the next one is read.
func PrintLines[T any](w *Process, items iter.Seq2[T, error], max uint64, follow bool, line func(T) ([]byte, error)) error {
	out := w.Out()
	for item, err := range items {
		var text []byte
		if err == nil {
			text, err = line(item)
		}
		if err == nil {
			out.Write(append(text, '\n'))
		}
		if err == nil && follow {
			err = out.Flush()
		}
		if err != nil {
			return errors.Join(err, out.Flush())
		}
		if max--; max == 0 {
			break
		}
	}
	return out.Flush()
}

// Out returns a buffered stdout. The caller flushes it.
func (w *Process) Out() *bufio.Writer { return bufio.NewWriterSize(w.Stdout, 1<<16) }

// Colour decides whether out gets colours: "always", "never", or "auto", which
// means on a terminal, and elsewhere with FORCE_COLOR or CLICOLOR_FORCE; never with NO_COLOR.
func (w *Process) Colour(mode string, out io.Writer) bool {
	forced := func(name string) bool { v := w.Getenv(name); return v != "" && v != "0" && v != "false" }
	return mode == "always" || mode == "auto" && w.Getenv("NO_COLOR") == "" &&
		(forced("FORCE_COLOR") || forced("CLICOLOR_FORCE") || w.Getenv("TERM") != "dumb" && IsTerminal(out))
}
