// Package githook has git check the handoffs of each commit and of each merge. It adds
// that to the file that the owner of the hooks reads: git itself, husky, lefthook or
// pre-commit. The last three generate the scripts that git runs, and write them again
// without what others added to them.
//
// The lines that it adds are between two marks, by which it finds, updates and removes
// them. It runs no hook.
package githook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/log/receipt"
)

// Step is something that was done, or found done.
type Step struct {
	Verb string // "created", "kept", "removed", "left"
	Path string // relative to the root, or absolute when outside
	Why  string // the reason of "left"
}

// names are the hooks. git runs the second one, and not the first, for a merge that needs
// no help.
var names = [...]string{"pre-commit", "pre-merge-commit"}

// repo is where the hooks of a repository are.
type repo struct {
	root  string // of the workspace
	top   string // of the working tree
	hooks string // the folder in which git looks for hooks
	own   string // the folder that it would be without core.hooksPath; "" if it is unknown
	git   nofollow.Root
}

// offError is the file, such as /dev/null, with which somebody has switched off all hooks.
type offError string

func (e offError) Error() string {
	return "git runs no hooks here, because core.hooksPath is " + string(e) + " (`git config --show-origin core.hooksPath` names the file that has it)"
}

func open(ctx context.Context, root string) (*repo, error) {
	r := &repo{root: root, top: regular.GitTop(root)}
	var err error
	if r.hooks, err = gitindex.HooksDir(ctx, root); err != nil {
		return nil, err
	}
	if st, err := os.Stat(r.hooks); err == nil && !st.IsDir() {
		return nil, offError(r.hooks)
	}
	if place, err := receipt.Locate(root); err == nil && place.InGit() {
		r.git, r.own = place.Root, filepath.Join(string(place.Root), "hooks")
	}
	if same(r.hooks, r.own) {
		r.own = r.hooks // however it is spelled: a file must not be there twice
	}
	return r, nil
}

// trusted is the folder below which no link is followed: the repository if the file is in
// it; else the folder that the user named to git in core.hooksPath.
func (r *repo) trusted(file string) nofollow.Root {
	for up := range regular.Project(r.root) {
		if regular.HasGit(up) && strings.HasPrefix(file, up+string(filepath.Separator)) {
			return nofollow.Root(up)
		}
	}
	return nofollow.Root(filepath.Dir(file))
}

func (r *repo) shown(file string) string { return nofollow.Root(r.root).Rel(file) }

// change is a file before and after a change.
type change struct {
	step     Step
	file     string
	old, new string
	exists   bool
}

// Add adds the check to the hooks, or updates it. All files are read before the first one
// is written, so that a hook that cannot be changed leaves the others as they are.
func Add(ctx context.Context, root string) (steps []Step, err error) {
	r, err := open(ctx, root)
	if err != nil {
		return nil, err
	}
	var changes []change
	for _, t := range r.targets() {
		c, err := t.add(r)
		if err != nil {
			return nil, err
		}
		r.hint(t, &c.step)
		changes = append(changes, c)
	}
	for _, file := range r.strays() {
		if c, ok := r.without(file); ok {
			changes = append(changes, c)
		}
	}
	for _, c := range changes {
		if err := r.write(c); err != nil {
			return steps, err
		}
		steps = append(steps, c.step)
	}
	return steps, r.remember()
}

// Remove removes what Add has added, wherever that is.
func Remove(ctx context.Context, root string) (steps []Step, err error) {
	r, err := open(ctx, root)
	if err != nil {
		return nil, nil // no repository: no hook
	}
	files := r.strays()
	for _, t := range r.targets() {
		files = append(files, t.file)
	}
	for _, file := range files {
		c, ok := r.without(file)
		if !ok {
			continue
		}
		if err := r.write(c); err != nil {
			return steps, err
		}
		steps = append(steps, c.step)
	}
	return steps, r.forget()
}

// without is a file without our block. ok is false if it has none.
func (r *repo) without(file string) (c change, ok bool) {
	src, err := read(file)
	before, block, after := cut(src)
	c = change{file: file, old: src, new: before + after, exists: true, step: Step{Verb: "removed", Path: r.shown(file), Why: "our part of it"}}
	switch {
	case err != nil || block == "":
		return c, false
	case regular.KindOf(file) == regular.Link:
		c.new, c.step = src, Step{Verb: "left", Path: c.step.Path, Why: nofollow.LinkAt(file).What()}
	case !closed(block):
		c.new, c.step = src, Step{Verb: "left", Path: c.step.Path, Why: "its line " + end + " is gone"}
	case before == shebang && after == "":
		c.new, c.step.Why = "", ""
	}
	return c, true
}

// write carries out a change.
func (r *repo) write(c change) error {
	switch root := r.trusted(c.file); {
	case c.exists && c.old == c.new:
		return nil
	case c.new == "":
		return root.Remove(c.file)
	case c.exists:
		return atomicfile.Write(root, c.file, []byte(c.new), 0o755)
	default:
		if err := root.MkdirAll(filepath.Dir(c.file), 0o755); err != nil {
			return err
		}
		return atomicfile.Create(root, c.file, []byte(c.new), 0o755)
	}
}

// memory records in the git folder that the check was added. Nothing else knows it after
// another program has written the hook again.
func (r *repo) memory() string { return filepath.Join(string(r.git), state.InGit, state.GitHook) }

func (r *repo) remembers() bool {
	return r.own != "" && regular.KindOf(r.memory()) != regular.Nothing
}

func (r *repo) remember() error {
	if r.own == "" || r.remembers() {
		return nil
	}
	if err := r.git.MkdirAll(filepath.Dir(r.memory()), 0o755); err != nil {
		return err
	}
	err := atomicfile.Create(r.git, r.memory(), []byte("handoff init --git-hook was run in this clone\n"), 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (r *repo) forget() error {
	if !r.remembers() {
		return nil
	}
	return r.git.Remove(r.memory())
}
