package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/secret"
	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/outbox"
)

// Complain prints an error, if there is one: one line, or one for each problem
// of an input. It strips the kind in front of the text, which is meant for
// programs.
func (w *Process) Complain(err error) {
	if err == nil {
		return
	}
	text := err.Error()
	if errors.Is(err, handoff.ErrInvalid) {
		text = strings.ReplaceAll(text, handoff.ErrInvalid.Error()+": ", "")
	}
	text = inWords(w.Dir, text, err)
	for line := range strings.Lines(secret.Hide(text)) { // errors quote input, which may contain secrets
		w.Say("%s", Plain(strings.TrimSuffix(line, "\n")))
	}
}

// inWords replaces what Go and the system say about a missing file or program by our
// words: lint and all other commands report it in the same ones.
func inWords(dir, text string, err error) string {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		name := pe.Path
		if rel, failed := filepath.Rel(dir, name); failed == nil && filepath.IsLocal(rel) {
			name = rel
		}
		text = strings.ReplaceAll(text, pe.Error(), name+": "+workspace.Reason(err).Error())
		text = namedOnce(namedOnce(text, pe.Path, name), name, name)
	}
	if ee, ok := errors.AsType[*exec.Error](err); ok {
		text = namedOnce(strings.ReplaceAll(text, ee.Error(), ee.Name+": "+ee.Err.Error()), ee.Name, ee.Name)
	}
	if errors.Is(err, exec.ErrNotFound) {
		text = strings.ReplaceAll(text, exec.ErrNotFound.Error(), "program not found in PATH")
	}
	if errors.Is(err, fs.ErrNotExist) {
		text = strings.ReplaceAll(text, "no such file or directory", workspace.Reason(fs.ErrNotExist).Error())
	}
	return text
}

// namedOnce drops the name of a file where a caller has put one of its names before an error that has it.
func namedOnce(text, before, name string) string {
	return strings.ReplaceAll(text, before+": "+name+": ", before+": ")
}

// SayRefused prints why a step was refused and what to type instead, with exit
// code 1. It returns any other error unchanged.
func SayRefused(w *Process, err error) error {
	if !errors.Is(err, receipt.ErrRefused) {
		return err
	}
	text := err.Error()
	var held *receipt.HeldError
	var done *receipt.FinishedError
	switch {
	case errors.As(err, &held):
		text += fmt.Sprintf(" (to take it over: `handoff claim %s --as NAME --force --why TEXT`)", shellword.Quote(pathInWorkspace(w.Dir, held.Path)))
	case errors.As(err, &done):
		text += fmt.Sprintf(" (to reopen it: `handoff claim %s --as NAME --force --why TEXT`)", shellword.Quote(pathInWorkspace(w.Dir, done.Path)))
	}
	w.Because(err)
	w.Complain(errors.New(text))
	return Exit(Findings)
}

// pathInWorkspace is the path below the workspace's root of a handoff that receipts name by
// its path in the repository, which may have several workspaces.
func pathInWorkspace(dir, name string) string {
	root, _ := workspace.Locate(dir)
	place, err := receipt.Locate(root)
	if err != nil {
		return name
	}
	if path, ok := place.InWorkspace(name); ok {
		return path
	}
	return name
}

// needsAnswer is what to do about a request that cannot be queued.
const needsAnswer = " (this needs the answer of the store, so it is not queued: try again when `handoff store check` reaches it)"

// ThreadError removes the kinds from the text of an error, and adds what to type
// if a thread is missing.
func ThreadError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, kind := range []error{handoff.ErrInvalid, fs.ErrNotExist, fs.ErrExist} {
		if errors.Is(err, kind) {
			text = strings.ReplaceAll(text, ": "+kind.Error(), "")
		}
	}
	if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(text, "thread ") {
		text += " (`handoff thread list` lists them)"
	}
	if outbox.Away(err) {
		text += needsAnswer
	}
	return Reworded(text, err)
}

// Reworded returns an error with another text.
func Reworded(text string, err error) error { return worded{text, err} }

// worded is an error with another text.
type worded struct {
	text string
	error
}

func (e worded) Error() string { return e.text }

func (e worded) Unwrap() error { return e.error }
