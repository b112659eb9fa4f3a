package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/lint"
	"handoff/workspace"
)

// rename renames the file to the name that a finding suggests, and updates in, so
// that later findings report the new path. With Diff neither the file nor in
// changes. It returns the names in the folder after the rename, which the next
// document needs: its finding must not suggest the same name.
func (w *worker) rename(j *job, c *Result, in *lint.Input) (siblings []string) {
	to := betterName(lint.Document(in, w.rules, &j.tree.Settings))
	if to == "" {
		return in.Siblings
	}
	if j.tree.root != "" {
		if err := w.Taken(w.workspace(j), w.below(j)+"/"+in.Name.Base); err != nil {
			c.Err = fmt.Errorf("not renamed to %s: %w", to, err)
			return in.Siblings
		}
	}
	if !w.Diff {
		err := atomicfile.Rename(j.trusted(), filepath.Join(j.dir, in.Name.Base), filepath.Join(j.dir, to))
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s already exists", to)
		}
		if err != nil {
			c.Err = workspace.Reason(err)
			return in.Siblings
		}
	}
	c.Renamed = join(j.shown, to)
	siblings = slices.Clone(in.Siblings)
	if i := slices.Index(siblings, in.Name.Base); i >= 0 {
		siblings[i] = to
		slices.Sort(siblings)
	}
	if !w.Diff {
		in.Siblings, in.Name, in.Path = siblings, in.Name.With(to), c.Renamed
	}
	return siblings
}

func (w *worker) workspace(j *job) *workspace.Workspace {
	return workspace.New(j.tree.root, j.tree.Config, w.options)
}

func betterName(list []lint.Finding) string {
	for _, f := range list {
		if f.Rename != "" {
			return f.Rename
		}
	}
	return ""
}

// relink updates the metadata of a task whose documents were renamed, because an
// agent finds the documents by the paths in it. Missing metadata is not created.
func (w *worker) relink(j *job, task string, checked []Result) {
	moved := map[string]string{}
	var last *Result
	for i := range checked {
		if c := &checked[i]; c.Renamed != "" {
			folder := task + "/" + handoff.Folder + "/"
			moved[folder+filepath.Base(c.Path)] = folder + filepath.Base(c.Renamed)
			last = c
		}
	}
	if last == nil || task == "" || j.tree.root == "" {
		return
	}
	ws := w.workspace(j)
	if _, err := os.Lstat(filepath.Join(ws.Root, filepath.FromSlash(task), handoff.MetadataFile)); err != nil {
		return
	}
	err := errors.New("this program links nothing")
	if w.Relink != nil {
		err = w.Relink(w.ctx, ws, task, moved)
	}
	if err != nil {
		last.Err = errors.Join(last.Err, fmt.Errorf("renamed, but not in the metadata: %w (`handoff sync %s` tries again)", err, task))
	}
}
