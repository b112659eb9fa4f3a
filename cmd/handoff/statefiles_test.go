package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"handoff/internal/state"
)

// inState matches a path in .handoff, or in the folder of handoff in a git folder, and what is
// below that.
var inState = regexp.MustCompile(`^(?:.*/)?(?:(\.handoff)|\.git(?:/worktrees/[^/]+)?/handoff)/(.+)$`)

// noUnknownState fails a script if it leaves a file of ours that the table of state does not
// have.
func noUnknownState(e *testscript.Env) {
	unknown, err := unknownState(e.WorkDir)
	if err != nil || len(unknown) > 0 {
		e.T().Fatal("not in the table of state: ", unknown, err)
	}
}

// unknownState lists the files and folders of ours below a folder that the table does not have.
func unknownState(dir string) (unknown []string, err error) {
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return nil // a script may have removed its mode
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if m := inState.FindStringSubmatch(filepath.ToSlash(rel)); m != nil {
			if _, ok := state.Find(m[2], m[1] == ""); !ok {
				unknown = append(unknown, rel)
			}
		}
		return nil
	})
	return unknown, err
}

// TestUnknownState finds what nothing of ours has made.
func TestUnknownState(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".handoff/lock", ".handoff/of-nobody", "a/.git/handoff/seen", "a/.git/handoff/lock", "a/.git/worktrees/w/handoff/x/y", "b/handoff/x"} {
		writeFile(t, dir, name, "")
	}
	unknown, err := unknownState(dir)
	want := []string{".handoff/of-nobody", "a/.git/handoff/lock", "a/.git/worktrees/w/handoff/x", "a/.git/worktrees/w/handoff/x/y"}
	if err != nil || !slices.Equal(unknown, want) {
		t.Errorf("%q, %v", unknown, err)
	}
}
