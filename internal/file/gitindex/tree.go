package gitindex

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"handoff/internal/file/regular"
)

// Tree is the working tree of a repository, for programs that stay beside git and its
// users: what git tracks, what it has stored, and what it is doing now. It reads the files
// of the repository and runs git only where these do not answer. It changes nothing and
// keeps nothing but the last index that it read. Any goroutine may use it.
//
// The variables that steer git in a hook do not count: the questions are about the files
// of the folder, not about the commit that is being made.
type Tree struct {
	d      *direct
	top    string
	idSize int // bytes of an id
	index  cachedIndex
	sparse cachedLeftOut
	added  addedFiles

	idle, unhooked calm // when Busy and Hooks found nothing
}

// OpenTree finds the working tree that contains a folder. ok is false if there is none.
func OpenTree(dir string) (t *Tree, ok bool) {
	d, top, ok := findDirect(dir)
	if !ok {
		return nil, false
	}
	return &Tree{d: d, top: top, idSize: d.idSize()}, true
}

// stale is the age from which index.lock does not count any longer: git was killed.
const stale = 10 * time.Minute

// Top is the folder of the working tree, without symlinks.
func (t *Tree) Top() string { return t.top }

// Command is what [Tree.Busy] returns while a command has the index locked, which takes a
// moment.
const Command = "a git command"

// Busy returns what git is doing to the files of the tree; "" for nothing. While it is, the
// files are not what agents and people left there, and a change of them can make git fail.
// It does not name a merge that waits for a person: there people and agents work on.
func (t *Tree) Busy() string { return t.idle.unless(t.d.git, t.busy) }

func (t *Tree) busy() string {
	st, err := os.Lstat(filepath.Join(t.d.git, "index.lock"))
	if err == nil && time.Since(st.ModTime()) < stale {
		return Command
	}
	for _, op := range [...]struct{ file, name string }{{"rebase-merge", "git rebase"}, {"rebase-apply", "git rebase or git am"}, {"BISECT_LOG", "git bisect"}} {
		if regular.KindOf(filepath.Join(t.d.git, op.file)) != regular.Nothing {
			return op.name
		}
	}
	return ""
}

// Await waits until no command has the index locked, for as long as most, and reports whether none has.
func (t *Tree) Await(ctx context.Context, most time.Duration) bool {
	for end := time.Now().Add(most); t.Busy() == Command; {
		if !time.Now().Before(end) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
	return true
}

// Hooks returns the command whose hooks run in the tree; "" for none: `git commit` or
// `git merge` until it has its message, or pre-commit, whatever started it. They may have put
// away what is not staged, and a file that changes meanwhile makes the command fail. It looks
// at all processes; on systems that do not list them cheaply it is "".
func (t *Tree) Hooks() string {
	if regular.KindOf(filepath.Join(t.top, ".pre-commit-config.yaml")) != regular.Nothing {
		return hooks(t.top, t.d.git) // run by hand, pre-commit may change nothing in the git folder
	}
	return t.unhooked.unless(t.d.git, func() string { return hooks(t.top, t.d.git) })
}

// calm is the time of the git folder at a look that found nothing. As long as it stays, no
// command has begun since: all that change the tree, and commits before their hooks, create a
// file in that folder.
type calm struct{ at atomic.Int64 }

// coarse is longer than a tick of any file system's clock: two changes within one look alike.
const coarse = 3 * time.Second

// unless returns what a look finds. It is not called while the git folder is as it was when a
// look found nothing.
func (c *calm) unless(git string, look func() string) string {
	st, err := os.Stat(git)
	if err != nil {
		return look()
	}
	at := st.ModTime()
	if at.UnixNano() == c.at.Load() {
		return ""
	}
	what := look()
	if what == "" && time.Since(at) > coarse {
		c.at.Store(at.UnixNano())
	}
	return what
}
