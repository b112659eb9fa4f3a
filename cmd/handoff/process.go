package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// What the user sees keeps to these rules:
//
//   - Results go to stdout, talk to stderr: nothing on stdout that a pipe
//     would not want.
//   - Messages are lower case, without a full stop at the end; they say what is
//     wrong, where, and what to type. Success is quiet.
//   - An error is one line, "handoff: …"; a usage error names the flag or the
//     command that was meant.
//   - Text from outside never reaches a terminal with its control characters:
//     a terminal is a [screen].
//   - Exit code 0 is clean, 1 findings, 2 could not do it.

// world is all that a command may touch: tests hand in their own.
type world struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	dir            string // working directory
	now            func() time.Time
	newID          func() string // ids of threads, runs and events; nil for random ones
	getenv         func(string) string

	line *progress // on stderr; nil if there was none

	// untilInterrupted makes the context of a command that cleans up; nil to
	// leave signals alone.
	untilInterrupted func(context.Context) context.Context
	drains           atomic.Bool // an interrupted command ends by itself, in its own time
}

// The exit codes.
const (
	clean    = 0
	findings = 1
	failed   = 2
)

// exit carries an exit code out of a command that has said all there is to say.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// say writes one line of talk.
func (w *world) say(format string, args ...any) {
	w.line.clear()
	fmt.Fprintf(w.stderr, "handoff: "+format+"\n", args...)
}

// manyFiles is from how many files on a check calls collectLess, which itself
// takes as long as to check three.
const manyFiles = 100

// collectLess lets garbage grow to 8 MB in place of 4 before it is collected.
// A check keeps nothing of a document without findings, so what is alive stays
// small whatever the number of files, and each collection costs the same. Who
// sets GOGC knows better.
func (w *world) collectLess() {
	if w.getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
}

// collectMore keeps a process small that runs for days and mostly rests: what
// is alive are the names of the folders it watches.
func (w *world) collectMore() {
	if w.getenv("GOGC") == "" {
		debug.SetGCPercent(70)
	}
}

// out buffers stdout. The caller flushes it.
func (w *world) out() *bufio.Writer { return bufio.NewWriterSize(w.stdout, 1<<16) }

// colour decides whether out gets colours: "always", "never", or "auto", which
// is a terminal that did not say NO_COLOR.
func (w *world) colour(mode string, out io.Writer) (bool, error) {
	switch mode {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto":
		return w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb" && isTerminal(out), nil
	}
	return false, fmt.Errorf("unknown --color %q (auto, always, never)", mode)
}
