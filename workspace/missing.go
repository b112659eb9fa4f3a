package workspace

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/workspace/config"
)

// NotFound is an fs.ErrNotExist with its own text.
type NotFound string

func (e NotFound) Error() string        { return string(e) }
func (e NotFound) Is(target error) bool { return target == fs.ErrNotExist }

// NoHandoff and NoTask are [handoff.ErrNoHandoff] and [handoff.ErrNoTask] with their own text.
type (
	NoHandoff string
	NoTask    string
)

func (e NoHandoff) Error() string { return string(e) }
func (e NoHandoff) Unwrap() error { return handoff.ErrNoHandoff }
func (e NoTask) Error() string    { return string(e) }
func (e NoTask) Unwrap() error    { return handoff.ErrNoTask }

// Missing returns an error if there is no workspace: neither a specs folder nor a
// configuration nor a known place of handoffs, or a [LeftOutError]. With several places it is a [ChoiceError].
// Otherwise the error is an fs.ErrNotExist that contains the command to set one
// up. Without it, a check in the wrong folder would pass without checking anything, and
// a writer would start a second tree. A specs folder that is a symlink out of the
// workspace is another error.
func (w *Workspace) Missing() error {
	if err := w.CheckSpecs(); err != nil {
		return err
	}
	if IsDir(w.Specs()) {
		return nil
	}
	if err := w.LeftOut(nil); err != nil {
		return err
	}
	if _, ok := config.Find(w.Root); ok {
		return nil
	}
	found := w.Config.Found
	if len(found) == 0 {
		found = Places(w.Root)
	}
	switch {
	case task.Unclear(found):
		return &ChoiceError{Found: found}
	case len(found) > 0:
		return nil
	}
	hint := "`handoff init` sets it up"
	if top := regular.GitTop(w.Root); top != "" && top != w.Root {
		hint = "`handoff init -C " + top + "` sets it up for the git repository"
	}
	if len(w.Config.Documents) == 0 {
		hint += ", and `--preset NAME` where handoffs are elsewhere (" + strings.Join(task.PresetNames()[1:], ", ") + ")"
	}
	return NotFound(fmt.Sprintf("handoff is not set up in %s or above: %s", w.Root, hint))
}

// Where describes where the workspace has handoffs, for a search that found none.
func (w *Workspace) Where() string {
	places := []string{w.Specs()}
	for _, l := range w.Config.Documents {
		places = append(places, l.Files...)
	}
	return strings.Join(places, ", ") + w.NotHere()
}

// NotHere is why there may be handoffs of the project that are not here; "" for no reason.
func (w *Workspace) NotHere() string {
	if err := w.LeftOut(nil); err != nil {
		return " (" + err.Error() + ")"
	}
	if !w.Config.Local {
		return ""
	}
	return " (handoffs are never committed, by `local: true` in .handoff.yaml: other clones and worktrees have their own)"
}

// Empty is like [Workspace.Missing], but returns nil if there is an artifact store or a
// state folder, which has the threads and tapes.
func (w *Workspace) Empty() error {
	if IsDir(filepath.Join(w.Root, state.Artifacts)) || IsDir(filepath.Join(w.Root, state.Dir)) {
		return nil
	}
	return w.Missing()
}
