// Package staged verifies the tasks that the next commit of a git repository touches, as
// they will be in it: it reads the index, not the working tree. So a deleted document
// counts, and a change that is not staged does not.
//
// It runs the rules that need only the files of a commit: see [rules.Staged].
package staged

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/gitindex"
	"handoff/workspace"
	"handoff/workspace/reconcile"
	"handoff/workspace/reconcile/rules"
	"handoff/workspace/verify"
)

// Run verifies the touched tasks of the repository that contains dir, in the order of their
// paths, and passes each to emit with its workspace. A task of which the commit has no file
// is left out. Then it searches the touched files below .handoff and .rip for secrets.
func Run(ctx context.Context, dir string, o workspace.Options, emit func(*workspace.Workspace, *verify.Result) error) error {
	top, changed, err := gitindex.Touched(ctx, dir)
	if err != nil {
		return err
	}
	for _, of := range touched(changed) {
		if err := of.run(ctx, dir, top, o, emit); err != nil {
			return err
		}
	}
	for _, of := range stored(changed) {
		if err := of.scan(ctx, dir, top, o, emit); err != nil {
			return err
		}
	}
	ws, err := workspace.Open(dir, o)
	if err != nil {
		return err
	}
	return verify.LeftOvers(ctx, ws, func(r *verify.Result) error { return emit(ws, r) })
}

// group is the touched tasks of one workspace. Paths are relative to the root of the
// working tree.
type group struct {
	root  string // of the workspace; "" if it is that of the working tree
	tasks []string
}

// touched finds the tasks of some files.
func touched(files []string) (groups []group) {
	for _, file := range files {
		dir := taskOf(file)
		if dir == "" {
			continue
		}
		root := strings.TrimSuffix(dir[:strings.LastIndex("/"+dir, "/"+handoff.Root+"/")], "/")
		i := slices.IndexFunc(groups, func(g group) bool { return g.root == root })
		if i < 0 {
			groups = append(groups, group{root: root})
			i = len(groups) - 1
		}
		if g := &groups[i]; !slices.Contains(g.tasks, dir) {
			g.tasks = append(g.tasks, dir)
		}
	}
	return groups
}

// taskOf is the task folder that contains a file; "" for none.
func taskOf(file string) string {
	above, in := "", task.Outside
	for rest := path.Dir(file); ; {
		place := in.At(rest)
		switch place.Kind {
		case task.Task:
			return above + place.Dir
		case task.Nested:
			above, in, rest = above+place.Dir+"/", task.Nested, place.Below
			if rest == "" {
				return ""
			}
		default:
			return ""
		}
	}
}

func (g *group) run(ctx context.Context, dir, top string, o workspace.Options, emit func(*workspace.Workspace, *verify.Result) error) error {
	x, err := read(ctx, dir, top, g.root)
	if err != nil {
		return err
	}
	found, err := workspace.Open(x.full(""), o)
	if err != nil {
		return err
	}
	ws := workspace.New(x.full(""), found.Config, o) // the configuration may be in a folder above
	for some := range slices.Chunk(g.tasks, share) {
		files, err := x.contents(ctx, some)
		if err != nil {
			return err
		}
		for _, dir := range some {
			if files[dir] == nil {
				continue // all of it is deleted
			}
			if err := emit(ws, x.verify(ctx, ws, strings.TrimPrefix(dir, x.prefix), files[dir])); err != nil {
				return err
			}
		}
	}
	return nil
}

// share is how many tasks are read by one process of git.
const share = 64

// verify verifies one task. dir is relative to the workspace.
func (x *index) verify(ctx context.Context, ws *workspace.Workspace, dir string, files map[string][]byte) *verify.Result {
	state := reconcile.Given(dir, files)
	state.World.Exists = func(p string) bool { return x.exists(ctx, p) }
	disk := rules.Listing(x.names, x.folder)
	disk.Absent = func(p string) string { return x.absent(ctx, p) }
	found := rules.Staged(state, disk, &ws.Config.Settings)
	return &verify.Result{Dir: dir, Files: verify.ByFile(state, found), Err: errors.Join(x.failed, ctx.Err())}
}

// contents reads what the index has of the files that rules read, by task and path.
func (x *index) contents(ctx context.Context, tasks []string) (map[string]map[string][]byte, error) {
	all := map[string]map[string][]byte{}
	var entries []gitindex.Entry
	for _, dir := range tasks {
		for _, e := range x.below(strings.TrimPrefix(dir, x.prefix)) {
			if all[dir] == nil {
				all[dir] = map[string][]byte{}
			}
			if !isRead(strings.TrimPrefix(e.Path, dir+"/")) {
				continue
			}
			all[dir][strings.TrimPrefix(e.Path, x.prefix)] = nil
			if !e.Link && !e.Module {
				entries = append(entries, e)
			}
		}
	}
	err := gitindex.Contents(ctx, x.dir, entries, func(e gitindex.Entry, src []byte) error {
		all[taskOf(e.Path)][strings.TrimPrefix(e.Path, x.prefix)] = append([]byte{}, src...)
		return nil
	})
	return all, err
}

// isRead reports whether rules read a file of a task.
func isRead(name string) bool {
	switch path.Dir(name) {
	case ".":
		return name == handoff.MetadataFile
	case handoff.Folder, "plans", "progress":
		return true
	}
	return false
}

// full is the absolute path of a path of the workspace.
func (x *index) full(p string) string {
	return filepath.Join(x.top, filepath.FromSlash(x.prefix+p))
}
