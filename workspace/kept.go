package workspace

import "context"

// Work keeps the uncommitted work of a tree: see [handoff/workspace/work]. It comes in from the
// edge, like the chains of threads: what writes handoffs need not know git. The zero value keeps
// nothing.
type Work struct {
	// Keep keeps what is not committed.
	Keep func(ctx context.Context, w *Workspace, of WorkOf) (KeptWork, error)
	// Note is a line for the reader of a handoff: what is kept with it, and how to bring it
	// back; "" for nothing.
	Note func(ctx context.Context, w *Workspace, of WorkOf) string
}

// WorkOf says what uncommitted work belongs to.
type WorkOf struct {
	Task    int    // 0 for none
	Handoff string // path below the root; "" for none
	By      string // what keeps it, such as "new" or "SessionEnd"
}

// KeptWork is work that was kept; the zero value for none.
type KeptWork struct {
	Name string   // that `handoff restore` knows
	Left []string // what is not in it, and why; a line each
}

// KeepWork keeps what is not committed, unless the configuration says not to. The error says that
// the work is not kept; what it belongs to is not affected.
func (w *Workspace) KeepWork(ctx context.Context, of WorkOf) (KeptWork, error) {
	if !w.KeepsWork() {
		return KeptWork{}, nil
	}
	return w.Options.Work.Keep(ctx, w, of)
}

// KeepsWork reports whether KeepWork keeps anything.
func (w *Workspace) KeepsWork() bool { return w.Options.Work.Keep != nil && w.Config.KeepWork }

// WorkNote is the line of [Work.Note].
func (w *Workspace) WorkNote(ctx context.Context, of WorkOf) string {
	if w.Options.Work.Note == nil {
		return ""
	}
	return w.Options.Work.Note(ctx, w, of)
}
