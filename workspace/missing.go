package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"handoff"
	"handoff/internal/file/regular"
	"handoff/task"
	"handoff/workspace/config"
	"handoff/workspace/state"
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
// configuration. The error is an fs.ErrNotExist that contains the command to set one
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
	if _, ok := config.Find(w.Root); ok {
		return nil
	}
	hint, at, found := "`handoff init` sets it up", "", Detect(w.Root)
	if top := regular.GitTop(w.Root); len(found) == 0 && top != "" && top != w.Root {
		at, found = " -C "+top, Detect(top)
		hint = "`handoff init" + at + "` sets it up for the git repository"
	}
	if len(found) > 0 {
		hint += "; " + found[0].hint(at)
	} else if len(w.Config.Documents) == 0 {
		hint += ", and `--preset NAME` where handoffs are elsewhere (" + strings.Join(task.PresetNames()[1:], ", ") + ")"
	}
	return NotFound(fmt.Sprintf("no %s/ in %s or above: %s", handoff.Root, w.Root, hint))
}

// Detected is a preset whose documents a tree has.
type Detected struct {
	Preset string
	Files  int
	First  string // the path of one of them, below the root
}

func (d Detected) String() string { return d.hint("") }

// hint names the command that sets up the tree; at is its flag for the folder.
func (d Detected) hint(at string) string {
	if d.Files == 1 {
		return fmt.Sprintf("%s looks like a handoff: `handoff init%s --preset %s` reads it there", d.First, at, d.Preset)
	}
	return fmt.Sprintf("%s and %d more look like handoffs: `handoff init%s --preset %s` reads them there", d.First, d.Files-1, at, d.Preset)
}

// Detect finds the presets whose documents are in a folder, the one with most of them
// first. It looks only where presets have documents.
func Detect(root string) (found []Detected) {
	for _, l := range task.Presets() {
		files, err := task.Layouts{l}.Find(context.Background(), root, func(string, error) error { return nil })
		if err == nil && len(files) > 0 {
			found = append(found, Detected{l.Name, len(files), files[0]})
		}
	}
	slices.SortStableFunc(found, func(a, b Detected) int { return b.Files - a.Files })
	return found
}

// Where describes where the workspace has handoffs, for a search that found none.
func (w *Workspace) Where() string {
	places := []string{w.Specs()}
	for _, l := range w.Config.Documents {
		places = append(places, l.Files...)
	}
	text := strings.Join(places, ", ")
	if found := Detect(w.Root); len(w.Config.Documents) == 0 && len(found) > 0 {
		text += fmt.Sprintf("; %s and %d more look like handoffs: add `documents: [{preset: %s}]` to %s", found[0].First, found[0].Files-1, found[0].Preset, config.File)
		text = strings.Replace(text, " and 0 more look like handoffs", " looks like one", 1)
	}
	return text
}

// Empty is like [Workspace.Missing], but returns nil if there is an artifact store or a
// state folder, which has the threads and tapes.
func (w *Workspace) Empty() error {
	if IsDir(filepath.Join(w.Root, state.Artifacts)) || IsDir(filepath.Join(w.Root, state.Dir)) {
		return nil
	}
	return w.Missing()
}
