package command

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"handoff/internal/text/secret"
	"handoff/internal/text/strictyaml"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/surface/problem"
	"handoff/surface/refusal"
	"handoff/workspace/create"
)

// refusing is what a command with --json needs to print its error as JSON: a program that
// asked for JSON must not read English to see why nothing came.
type refusing struct {
	mu    sync.Mutex
	said  []string // lines for people
	cause error    // of an exit code whose reason was already printed
}

func (r *refusing) add(line string) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.said = append(r.said, line)
	}
}

// Because records why a command is about to end with an exit code.
func (w *Process) Because(err error) {
	if w.refusing != nil {
		w.refusing.cause = err
	}
}

// counted counts what a command prints.
type counted struct {
	io.Writer
	n int
}

func (c *counted) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.Writer.Write(p)
}

// WantsJSON reports whether a command line has --json.
func WantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "-json") || slices.Contains(args, "--json=true")
}

// WithProblem runs a command and, if it fails before it has printed anything, prints why.
func WithProblem(w *Process, command func() int) int {
	out := &counted{Writer: w.Stdout}
	w.Stdout, w.refusing = out, new(refusing)
	code := command()
	w.Stdout = out.Writer
	if code != Clean && out.n == 0 {
		WriteJSON(w.Stdout, problemOf(w, code)) // the exit code reports the failure anyway
	}
	return code
}

// printedProblem is the problem that HTTP answers with, and the findings.
type printedProblem struct {
	refusal.Answer
	Findings []report.Short `json:"findings,omitempty"`
}

// answered is an error that a server answered with, as those of the client of HTTP are.
type answered interface {
	error
	Answer() (problem.Problem, []report.Short)
}

// problemOf is the end of a command with an exit code. Its detail is what people read.
func problemOf(w *Process, code int) printedProblem {
	cause, said, otherwise := w.refusing.cause, strings.Join(w.refusing.said, "\n"), "The command failed"
	if code == Findings {
		otherwise = "The command was refused"
	}
	a := refusal.Said(cause, said, otherwise)
	if sent, ok := errors.AsType[answered](cause); ok {
		if p, _ := sent.Answer(); p.Type != "" {
			a = refusal.Answer{Problem: p, Status: p.Status}
			if a.Type == problem.Blank {
				a.Title = http.StatusText(a.Status)
			}
			a.Detail = cmp.Or(said, a.Detail)
		}
	}
	a.Exit = code
	return printedProblem{a, findingsOf(cause)}
}

// findingsOf are the findings of a document that was not written, and of invalid values.
func findingsOf(err error) (list []report.Short) {
	var refused *create.RefusedError
	var invalid *strictyaml.Error
	var sent answered
	switch {
	case errors.As(err, &refused):
		list = report.Shorts(refused.Findings)
	case errors.As(err, &invalid):
		for _, v := range invalid.Problems[:min(len(invalid.Problems), maxInvalid)] {
			list = append(list, report.Short{Rule: "invalid-value", Severity: lint.Error.String(), Line: v.Line, Pointer: v.Path, Message: secret.Hide(v.Text)})
		}
	case errors.As(err, &sent):
		_, list = sent.Answer()
	}
	return list
}

// maxInvalid is how many invalid values a problem lists.
const maxInvalid = 100
