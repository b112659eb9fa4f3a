package main

import (
	"cmp"
	"context"

	"handoff/internal/file/regular"
	"handoff/workspace"
	"handoff/workspace/documents"
)

const wantsHandoff = "one handoff: " + refForms

const (
	refForms    = "a path, 259/3 (task/phase, the newest), 259, latest, or the beginning of a task's name or title"
	refHelp     = "REF is " + refForms + "."
	claimedHelp = " [REF] [flags]\n\n" + refHelp + " Without it, the handoff that you have claimed here."
)

// maxTranscript is the most bytes of a transcript that is read as a whole.
const maxTranscript = 256 << 20

// projectAround is the working tree of the repository around a folder, or the folder
// itself without one. Agents look for settings there.
func projectAround(dir string) string {
	return cmp.Or(regular.GitTop(dir), dir)
}

// tasksNamed are the task folders that the arguments name; nil without arguments.
func tasksNamed(ctx context.Context, dir string, ws *workspace.Workspace, args arguments) ([]string, error) {
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
