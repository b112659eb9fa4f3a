package main

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

// process is everything that a command may access: tests pass their own.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	dir            string // working directory
	under          string // what -C says, "" without it
	gone           error  // why that is unknown, as in a folder that was deleted
	now            func() time.Time
	newID          func() string // ids of threads, runs and events; nil for random ones
	getenv         func(string) string

	line     *progress // on stderr; nil without one
	refusing *refusing // nil without --json

	connecting sync.Mutex
	connected  map[string]*replica.LazyEngine // by root and address

	sub string // the subcommand that is called, where only its flags are built; "" for all

	ws *workspace.Workspace // the one that the command opened; nil for none

	// untilInterrupted returns the context of a command that cleans up; nil to
	// leave signals alone.
	untilInterrupted func(context.Context) context.Context
	incomplete       bool        // the command did its work, but not all of it: it has said what
	replacing        string      // path of the handoff that a new one replaces; "" for none
	drains           atomic.Bool // an interrupted command ends by itself and may take longer than patience
}

// The exit codes.
const (
	clean    = 0
	findings = 1
	failed   = 2
	asks     = 3 // a relay waits for the answer of a person
)

// exit is the exit code of a command that has already printed everything.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// found is the end of a check: the exit code for findings, nil without any.
func found(some bool) error {
	if some {
		return exit(findings)
	}
	return nil
}

// say prints one line to stderr.
func (w *process) say(format string, args ...any) {
	w.line.clear()
	fmt.Fprintf(w.stderr, "handoff: "+format+"\n", args...)
	if w.refusing != nil {
		w.refusing.add(fmt.Sprintf(format, args...))
	}
}

// manyFiles is the number of files from which a check collects garbage less
// often: changing that takes as long as checking three.
const manyFiles = 100

// collectAt sets by how many percent the heap may grow until garbage is
// collected. GOGC overrides it.
func (w *process) collectAt(percent int) {
	if w.getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// print prints a result.
func (w *process) print(text string) error {
	_, err := io.WriteString(w.stdout, text)
	return err
}

// answer prints a result as JSON or as text.
func (w *process) answer(json bool, v any, text string) error {
	if json {
		return writeJSON(w.stdout, v)
	}
	return w.print(text)
}

// writeJSON prints JSON for people and programs.
func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// writeLine prints JSON on one line, formatted as by RIP.
func writeLine(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// printLines prints each item on a line: at most max of them, all if it is 0.
// With follow, an item is printed before the next one is read.
func printLines[T any](w *process, items iter.Seq2[T, error], max uint64, follow bool, line func(T) ([]byte, error)) error {
	out := w.out()
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

// out returns a buffered stdout. The caller flushes it.
func (w *process) out() *bufio.Writer { return bufio.NewWriterSize(w.stdout, 1<<16) }

// colour decides whether out gets colours: "always", "never", or "auto", which
// means on a terminal without NO_COLOR.
func (w *process) colour(mode string, out io.Writer) bool {
	return mode == "always" || mode == "auto" && w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb" && isTerminal(out)
}
