// Package handoff has the basic types of the tool: the handoff document with
// its sections, and the name of its file.
//
// [ParseName] reads the name of a file; the [Document] of a text comes from package parse. Errors of all packages match
// [ErrInvalid], [ErrNoHandoff], [ErrKeyUsed] and those of io/fs.
//
// It knows no Markdown, no JSON schema and no disk: package parse reads
// documents, package templates writes them, and package workspace finds them.
package handoff

import (
	"errors"
	"fmt"
	"io/fs"
)

// ErrInvalid marks input that is invalid whatever is on the disk. Commands exit
// with 2, HTTP answers 400.
var ErrInvalid = errors.New("invalid")

// ErrKeyUsed: the idempotency key was used for another request, so that nothing is done.
// It is fs.ErrExist. HTTP answers 409.
var ErrKeyUsed = fmt.Errorf("the key was used for another request: %w", fs.ErrExist)

// ErrNoHandoff and ErrNoTask mark a name that no handoff, or no task, has. They are
// fs.ErrNotExist. HTTP answers 404.
var (
	ErrNoHandoff = fmt.Errorf("no such handoff: %w", fs.ErrNotExist)
	ErrNoTask    = fmt.Errorf("no such task: %w", fs.ErrNotExist)
)

// Root is the folder of a workspace that contains the task folders.
const Root = "specs"

// Folder is the folder of a task that contains its handoff documents.
const Folder = "handoffs"

// TaskFolders are the folders of a task, as the handoff schema lists them.
var TaskFolders = [...]string{"reports", "plans", "summaries", "progress", Folder}

// LintDirective is the word that begins a comment for the linter.
const LintDirective = "handoff-lint"

// Invalid makes the problems of an input an [ErrInvalid] without changing their text,
// which has one line for each problem. It returns nil for nil.
func Invalid(err error) error {
	if err == nil {
		return nil
	}
	return invalidInput{err}
}

type invalidInput struct{ error }

func (e invalidInput) Unwrap() error        { return e.error }
func (e invalidInput) Is(target error) bool { return target == ErrInvalid }
