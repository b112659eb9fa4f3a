package check

import (
	"context"
	"path"
	"path/filepath"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/workspace"
)

// history is what became of files since finished documents named them. Most trees never ask:
// their documents name files that exist. The first question reads the history of git, once for
// all documents of the tree.
type history struct {
	*tree
	options workspace.Options

	mu       sync.Mutex
	finished func(path string) bool
	close    func()
	gone     func() *gone
}

// historyTime is how long git may take. A longer history is known as far as it was read then.
const historyTime = 3 * time.Second

// since is [lint.Input.Since] of a document.
func (h *history) since(ctx context.Context, name handoff.Name, doc *handoff.Document, of, file string) (now string, known bool) {
	if h.root == "" || h.options.Finished == nil {
		return "", false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone == nil {
		h.open(ctx)
	}
	if h.finished == nil || !h.finished(of) {
		return "", false
	}
	gone := h.gone()
	if gone == nil {
		return "", false
	}
	if local := filepath.FromSlash(file); filepath.IsAbs(local) {
		below, ok := regular.Within(h.root)(local)
		if !ok {
			return "", false
		}
		file = filepath.ToSlash(below)
	}
	return gone.since(file, of, handoff.WrittenBy(name, doc).At.Time)
}

// open leaves finished as nil where there is no repository: then no task is read either.
func (h *history) open(ctx context.Context) {
	if h.gone = func() *gone { return nil }; regular.GitTop(h.root) == "" {
		return
	}
	w := workspace.New(h.root, h.Config, h.options)
	h.finished, h.close = h.options.Finished(ctx, w), w.Close
	h.gone = sync.OnceValue(func() *gone {
		ctx, cancel := context.WithTimeout(ctx, historyTime)
		defer cancel()
		gone, err := readGone(ctx, h.root, isText)
		if err != nil {
			return nil // as without git
		}
		return gone
	})
}

// isText reports whether a file may be a document.
func isText(name string) bool {
	switch path.Ext(name) {
	case ".md", ".txt", ".json", ".mdc":
		return true
	}
	return false
}
