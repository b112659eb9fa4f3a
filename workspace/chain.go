package workspace

import (
	"context"
	"errors"

	"handoff/log/artifact"
)

// Chain keeps the threads of tasks: see [handoff/workspace/chains]. It comes in from the
// edge, because most operations bring a task up to date, and few are about threads. Any
// goroutine may use it.
type Chain interface {
	// Extend creates the missing threads of a task, for the documents that get one, oldest
	// first. Its result is valid with an error, too.
	Extend(ctx context.Context, dir string, documents []Chained) (Extended, error)
	Close() error
}

// Chained is a document that gets a thread.
type Chained struct {
	Path   string
	Bundle artifact.ID
	Before artifact.ID // the bundle that the metadata named before; zero for none
	Source string      // parent thread that the document names; "" for the previous document's thread
	Seq    *uint64     // the event of Source that the document continues from; nil for the last
}

// TaskThread is a thread of a task.
type TaskThread struct {
	Path           string `json:"path"` // of the document; the task's folder for the first
	ThreadID       string `json:"thread_id"`
	ParentThreadID string `json:"parent_thread_id,omitempty"`
}

// Extended is what became of the chain of a task.
type Extended struct {
	Threads   []TaskThread // that were created, or would be
	Unchained []Unchained
}

// Unchained is a document that cannot have a thread.
type Unchained struct{ Path, Text string }

// Chain opens what keeps the threads of tasks. Only a writer creates any.
func (w *Workspace) Chain(ctx context.Context, writes bool) (Chain, error) {
	if w.Options.OpenChain == nil {
		return nil, errors.New("this program keeps no threads")
	}
	return w.Options.OpenChain(ctx, w, writes)
}
