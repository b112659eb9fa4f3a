package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/workspace/config"
)

// WithPlaces is the configuration of a workspace: if it has none, and no specs folder that
// is in use, the known places that the tree has are read. An ordinary tree pays for one look
// at its specs folder.
func WithPlaces(root string, c config.Config) config.Config {
	if c.Path == "" && len(c.Documents) == 0 && root != "" {
		c.Use(Places(root))
	}
	return c
}

// Places are the known places that a tree has, those beside the plans of other tools also while
// they are empty. There are none if its specs folder is in use:
// then its handoffs are there.
func Places(root string) []task.Detected {
	if inUse(filepath.Join(root, handoff.Root)) {
		return nil
	}
	var found []task.Detected
	for _, d := range task.Detect(context.Background(), root) {
		if d.Found = handoffs(nofollow.Root(root), task.Layouts{d.Layout}, d.Found); len(d.Found) > 0 {
			found = append(found, d)
		}
	}
	return task.WithPlans(root, found)
}

// handoffs leaves out files that are where handoffs are, and are forms or indexes.
func handoffs(root nofollow.Root, ls task.Layouts, found []string) []string {
	return slices.DeleteFunc(found, func(p string) bool {
		l := ls.Of(p)
		if l == nil || !l.Suspect(p) {
			return false
		}
		src, err := root.ReadFile(filepath.Join(string(root), filepath.FromSlash(p)), MaxSize)
		return err == nil && task.IsOther(src)
	})
}

// looked is how many entries of a specs folder show whose it is.
const looked = 64

// inUse reports whether a specs folder has the tasks of this program: unless it does not
// exist, or has only what is no task: files, documents in folders, features of Spec Kit without
// a handoff. An empty one was just made, and a link is judged elsewhere.
func inUse(specs string) bool {
	if regular.KindOf(specs) == regular.Link {
		return true
	}
	entries, err := some(specs)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	visible := false
	var groups []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case name[0] == '.':
			continue
		case e.Type()&fs.ModeSymlink != 0 || e.IsDir() && isTask(specs, name):
			return true
		case e.IsDir() && !handoff.IsFeature(name):
			groups = append(groups, name)
		}
		visible = true
	}
	return !visible || slices.ContainsFunc(groups, func(name string) bool { return holdsTask(filepath.Join(specs, name)) })
}

// some returns the first entries of a folder.
func some(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(looked)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// isTask reports whether a folder is a task of this program: by its name, or by its handoffs.
func isTask(dir, name string) bool {
	_, width, _ := handoff.ParseTask(name)
	return width > 0 && !handoff.IsFeature(name) || IsDir(filepath.Join(dir, name, handoff.Folder))
}

// holdsTask reports whether a folder of specs groups tasks, as an archive does. One that cannot be listed may.
func holdsTask(dir string) bool {
	entries, err := some(dir)
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Type()&fs.ModeSymlink != 0 || e.IsDir() && isTask(dir, e.Name())
	})
}

// PlacesAbove returns the folder at or above an absolute one that has a known place; "" if
// none has. A file that is also a known place of a folder further up belongs to that one:
// docs/HANDOFF.md is no HANDOFF.md of docs. Without git only dir itself is looked at: a
// project that ends nowhere may have somebody else's files above it.
func PlacesAbove(dir string) (root string) { return placesAbove(dir).root }

// placesAbove is [PlacesAbove] with the places of that root, or those of dir.
func placesAbove(dir string) (at located) {
	first := ""
	for up := range regular.Project(dir) {
		switch {
		case up != dir && regular.GitTop(dir) == "":
			return at
		case first != "":
			if task.IsPlace(nofollow.Root(up).Rel(first)) {
				at = located{root: up}
			}
			continue
		}
		if found := Places(up); len(found) > 0 {
			at = located{root: up, found: found, looked: true}
			first = filepath.Join(up, filepath.FromSlash(found[0].At()))
		} else {
			at.looked = at.looked || up == dir
		}
	}
	return at
}

// ChoiceError reports that a tree has handoffs in several known places, and no configuration
// that says which of them count.
type ChoiceError struct{ Found []task.Detected }

func (e *ChoiceError) Error() string {
	var list []string
	for _, d := range e.Found {
		list = append(list, fmt.Sprintf("%s: `handoff init --preset %s`", Named(d), d.Name))
	}
	return "handoffs are in several places, and only you know which of them count: " + strings.Join(list, "; ")
}

// Named is what a place has: the path of a document, and how many others, or what shows the plan
// of its tool.
func Named(d task.Detected) string {
	if n := len(d.Found) - 1; n > 0 {
		return fmt.Sprintf("%s and %d more", d.Found[0], n)
	}
	return d.At()
}

// Choice returns the error of [Workspace.Missing] for several places; nil for any other tree.
func (w *Workspace) Choice() error {
	if !task.Unclear(w.Config.Found) {
		return nil
	}
	return &ChoiceError{Found: w.Config.Found}
}

// Unmatched returns an error if the configuration names files of which none exists, while
// handoffs are in a known place that it does not name: a pattern with an error would
// otherwise look like a tree without handoffs. Ask it when a search has found nothing.
func (w *Workspace) Unmatched(ctx context.Context) error {
	if w.Config.Path == "" || len(w.Config.Documents.Bases()) == 0 {
		return nil
	}
	if found, err := w.Config.Documents.Find(ctx, w.Root, func(string, error) error { return nil }); err != nil || len(found) > 0 {
		return err
	}
	var there []string
	for _, d := range task.Detect(ctx, w.Root) {
		there = append(there, fmt.Sprintf("%s (`documents: [%s]`)", Named(d), d.Line()))
	}
	if len(there) == 0 {
		return nil
	}
	var globs []string
	for _, l := range w.Config.Documents {
		globs = append(globs, l.Files...)
	}
	return NotFound(fmt.Sprintf("%s: no file matches %s; there is %s", w.Rel(w.Config.Path), strings.Join(globs, ", "), strings.Join(there, ", ")))
}
