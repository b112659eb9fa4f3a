// Package handoff holds the nouns of the tool: the handoff document and its
// sections, and the name that tells what a document is about.
//
// It knows no Markdown, no JSON schema and no disk: package parse reads
// documents, package templates writes them, package workspace finds them.
package handoff

import "errors"

// ErrInvalid marks input that is malformed whatever the state of the disk.
// Commands answer it with exit code 2, HTTP with 400.
var ErrInvalid = errors.New("invalid")

// Root is the folder below a workspace that holds the task folders.
const Root = "specs"

// Folder is the folder of a task that holds its handoff documents.
const Folder = "handoffs"

// TaskFolders are the folders of a task, as the handoff schema lists them.
var TaskFolders = [...]string{"reports", "plans", "summaries", "progress", Folder}
