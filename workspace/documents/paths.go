package documents

import (
	"context"

	"handoff/workspace"
)

// PathsOf returns the paths of the documents that ref names, as [Named] does: those of a task
// without documents that are no longer live.
func PathsOf(ctx context.Context, w *workspace.Workspace, dir, ref string) (paths []string, err error) {
	list, err := Named(ctx, w, dir, ref, Filter{Live: true})
	for _, e := range list {
		paths = append(paths, e.Path)
	}
	return paths, err
}
