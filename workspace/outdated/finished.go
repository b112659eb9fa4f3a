package outdated

import (
	"context"
	"slices"
	"sync"

	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
)

// Finished returns what reports whether a document, by its path, is history: it was done, its task
// is finished, or another document of the task is certainly newer. A document of which that is
// unclear is none. Each task is read once, when one of its documents is asked about.
func Finished(ctx context.Context, w *workspace.Workspace) func(path string) bool {
	var mu sync.Mutex
	chains := map[string]func(path string) bool{}
	var all func() []documents.Entry
	return func(path string) bool {
		mu.Lock()
		defer mu.Unlock()
		if isDone(w, path) {
			return true
		}
		e := documents.EntryAt(w, path)
		is := chains[e.Chain()]
		switch {
		case is != nil:
		case e.Name.Dir != "":
			is = finishedIn(ctx, w, e)
		case e.Name.Layout != "":
			if all == nil {
				all = sync.OnceValue(func() []documents.Entry { list, _ := documents.List(ctx, w, documents.Filter{}); return list })
			}
			is = replacedIn(all(), e.Chain())
		default:
			return false
		}
		chains[e.Chain()] = is
		return is(path)
	}
}

// isDone reports whether the receipts of a document show that it was done, or replaced.
func isDone(w *workspace.Workspace, path string) bool {
	store, err := w.Receipts()
	if err != nil {
		return false // there is no safe place for receipts, so none can have been recorded
	}
	life, err := store.Life(store.Place().Path(path))
	return err == nil && life.Finished()
}

// finishedIn is [Finished] for the task of a document.
func finishedIn(ctx context.Context, w *workspace.Workspace, e documents.Entry) func(path string) bool {
	load := reconcile.Loader{Brief: true}
	state, err := documents.Load(ctx, w, &load, nil, e.Name.Dir)
	if err != nil {
		return func(string) bool { return false }
	}
	if reconcile.StatusOf(state.Metadata).Finished() {
		return func(string) bool { return true }
	}
	var paths []string
	for _, d := range slices.Backward(state.Documents) {
		paths = append(paths, d.Path)
	}
	newest, doubt := state.Newest(paths)
	return func(path string) bool {
		return state.ShowsDone(path) || doubt == "" && newest != path && slices.Contains(paths, path)
	}
}

// replacedIn is [Finished] for documents of a layout that continue each other. The first of a
// chain is its newest, or in doubt.
func replacedIn(all []documents.Entry, chain string) func(path string) bool {
	first := slices.IndexFunc(all, func(e documents.Entry) bool { return e.Chain() == chain })
	return func(path string) bool {
		return first >= 0 && all[first].Doubt == "" && all[first].Path != path
	}
}
