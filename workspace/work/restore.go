package work

import (
	"context"
	"fmt"

	"handoff/internal/file/gitwork"
	"handoff/workspace"
)

// Plan is what a restore changes in the working tree.
type Plan struct {
	Kept  Kept
	Steps []gitwork.Step
	Dirty int // files of the tree that are not committed and would stay or be lost, but for the tool's own

	repo *gitwork.Repo
}

// Needs reports why the plan needs a confirmation; "" if nothing can be lost.
func (p *Plan) Needs() string {
	for _, s := range p.Steps {
		if s.Loss != gitwork.None {
			return "files that differ from what was kept would be replaced"
		}
	}
	if p.Dirty > 0 {
		return "the tree has uncommitted changes"
	}
	return ""
}

// Blocked returns the paths that cannot be restored, because something else is in their way.
func (p *Plan) Blocked() (paths []string) {
	for _, s := range p.Steps {
		if s.Loss == gitwork.Blocked {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// PlanOf compares a state with the working tree. Nothing is changed.
func PlanOf(ctx context.Context, ws *workspace.Workspace, k Kept) (*Plan, error) {
	repo, err := gitwork.Open(ctx, ws.Root)
	if err != nil {
		return nil, err
	}
	scan, err := repo.Scan(ctx)
	if err != nil {
		return nil, err
	}
	p := &Plan{Kept: k, repo: repo}
	if p.Steps, err = repo.Plan(ctx, scan, baseTree(k), k.tree); err != nil {
		return nil, fmt.Errorf("%s: %w", k.Ref, err)
	}
	wanted, err := repo.Diff(ctx, baseTree(k), k.tree)
	if err != nil {
		return nil, err
	}
	same := map[string]gitwork.File{}
	for _, d := range wanted {
		same[d.Path] = d.File
	}
	for _, c := range scan.Changed {
		if f, ok := same[c.Path]; !workspace.OwnFile(c.Path) && (!ok || f != c.File) {
			p.Dirty++
		}
	}
	return p, nil
}

// baseTree names the tree that a state changes; "" for an empty one.
func baseTree(k Kept) string {
	if k.Base == "" {
		return ""
	}
	return k.Base + "^{tree}"
}

// ByRestore is what Kept.By is of what a restore kept before it replaced files.
const ByRestore = "restore"

// Apply keeps what the tree has now, also what git ignores where it is replaced, and then does
// the steps. before is what was kept; zero if that was nothing.
func (p *Plan) Apply(ctx context.Context, ws *workspace.Workspace) (before Kept, err error) {
	var ignored []string
	for _, s := range p.Steps {
		if s.Loss == gitwork.Ignored {
			ignored = append(ignored, s.Path)
		}
	}
	if before, err = (keeper{p.repo, ws.Now()}).keep(ctx, Request{workspace.WorkOf{Task: p.Kept.Task, By: ByRestore}, ignored}); err != nil {
		return before, fmt.Errorf("nothing is restored, because what the tree has now could not be kept: %w", err)
	}
	for _, l := range before.Left {
		for _, s := range p.Steps {
			if s.Path == l.Path {
				return before, fmt.Errorf("nothing is restored: %s would be replaced and cannot be kept: %s", Told(gitwork.Skipped{Path: l.Path, Why: l.Why}), "move it away")
			}
		}
	}
	return before, p.repo.Apply(ctx, p.Steps)
}

// WriteTo writes all files of a state into a new folder.
func WriteTo(ctx context.Context, ws *workspace.Workspace, k Kept, dir string) error {
	repo, err := gitwork.Open(ctx, ws.Root)
	if err != nil {
		return err
	}
	return repo.WriteTo(ctx, k.tree, dir)
}
