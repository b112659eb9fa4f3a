package verify

import (
	"context"
	"errors"
	"path"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/internal/text/shellword"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
	"handoff/workspace/reconcile/rules"
)

// LeftOvers passes the handoffs to emit that are on the branch on which the configuration wants
// none, each task once: they were to be removed before their branch was merged.
func LeftOvers(ctx context.Context, w *workspace.Workspace, emit func(*Result) error) error {
	branch := w.Config.UntilMerge
	if branch == "" || regular.GitTop(w.Root) == "" {
		return nil
	}
	list, unread := documents.Paths(ctx, w, documents.Filter{})
	left, err := onBranch(ctx, w, branch, list)
	if err != nil {
		return errors.Join(unread, err)
	}
	seen := map[string]bool{}
	for _, e := range list {
		if task := e.Chain(); left[e.Path] && !seen[task] {
			seen[task] = true
			found := rules.LeftOver.At(&w.Config.Settings, e.Path, 0, "is on %s, where until_merge wants no handoff: `%s` removes what is left of its task", branch, removal(w, e))
			if err := emit(&Result{Dir: e.Name.Dir, Files: ByFile(reconcile.State{}, found)}); err != nil {
				return err
			}
		}
	}
	return unread
}

// onBranch returns which documents git has on a branch: in the index, if it is checked out.
func onBranch(ctx context.Context, w *workspace.Workspace, branch string, list []documents.Entry) (map[string]bool, error) {
	left := map[string]bool{}
	tree, ok := gitindex.OpenTree(w.Root)
	if !ok {
		return left, nil
	}
	index, err := tree.Tracked(ctx, w.Root)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range list {
		if index.Has(e.Path) {
			paths = append(paths, e.Path)
		}
	}
	now, err := gitindex.Branch(ctx, w.Root)
	if err == nil && now != branch && len(paths) > 0 {
		paths, err = gitindex.OnBranch(ctx, w.Root, branch, paths)
	}
	for _, p := range paths {
		left[p] = true
	}
	return left, err
}

// removal is the command that removes a task's handoffs, and the metadata that names them.
func removal(w *workspace.Workspace, e documents.Entry) string {
	if e.Name.Dir == "" {
		return shellword.Join("git", "rm", "--", e.Path)
	}
	words := []string{"git", "rm", "-r", "--ignore-unmatch", "--", path.Dir(e.Path)}
	if metadata := path.Join(e.Name.Dir, handoff.MetadataFile); regular.KindOf(filepath.Join(w.Root, filepath.FromSlash(metadata))) == regular.File {
		words = append(words, metadata)
	}
	return shellword.Join(words...)
}
