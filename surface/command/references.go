package command

import (
	"cmp"
	"context"

	"handoff/internal/file/regular"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// How help and errors say which handoff an argument names.
const (
	WantsHandoff = "one handoff: " + RefForms // after "NAME needs "
	RefForms     = "a path, 259/3 (task/phase, the newest), 259, latest, or the beginning of a task's name or title"
	RefHelp      = "REF is " + RefForms + "." // for the usage of a command
	ClaimedHelp  = RefHelp + " Without it, the handoff that you have claimed here."
)

// ProjectAround is the working tree of the repository around a folder, or the folder
// itself without one. Agents look for settings there.
func ProjectAround(dir string) string {
	return cmp.Or(regular.GitTop(dir), dir)
}

// TasksNamed are the task folders that the arguments name; nil without arguments.
func TasksNamed(ctx context.Context, dir string, ws *workspace.Workspace, args Arguments) ([]string, error) {
	var dirs []string
	seen := map[string]bool{}
	for _, arg := range args {
		found, err := documents.TasksOf(ctx, ws, dir, arg)
		if err != nil {
			return nil, err
		}
		for _, dir := range found {
			if !seen[dir] {
				seen[dir] = true
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs, nil
}

// ManyOld is the number of old handoffs with findings from which on a baseline is proposed:
// correcting so many first is too much work. BeginBaseline records them.
const (
	ManyOld       = 10
	BeginBaseline = "handoff lint --baseline handoffs.json --update-baseline"
)
