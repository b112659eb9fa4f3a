package work

import (
	"context"

	"handoff/workspace"
)

// Edge is what a program passes to its workspaces, so that they keep work.
func Edge() workspace.Work {
	return workspace.Work{
		Keep: func(ctx context.Context, ws *workspace.Workspace, of workspace.WorkOf) (kept workspace.KeptWork, err error) {
			k, err := Keep(ctx, ws, Request{WorkOf: of})
			if err == nil && k.Ref != "" {
				kept.Name = k.Name()
				for _, l := range k.Left {
					kept.Left = append(kept.Left, Told(l))
				}
			}
			return kept, err
		},
		Note: func(ctx context.Context, ws *workspace.Workspace, of workspace.WorkOf) string {
			return note(ctx, ws, of.Task, of.Handoff)
		},
	}
}
