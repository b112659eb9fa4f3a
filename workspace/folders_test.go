package workspace_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/daemon"
	"handoff/workspace/gc"
	"handoff/workspace/sync"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
	"handoff/workspace/verify"
)

// writers are the operations that write in the folders of a workspace.
var writers = map[string]func(t *testing.T, w *workspace.Workspace) error{
	"threads": func(t *testing.T, w *workspace.Workspace) error { return closed(threads.In(t.Context(), w, false)) },
	"threads that are written": func(t *testing.T, w *workspace.Workspace) error {
		return closed(threads.In(t.Context(), w, true))
	},
	"tapes":                  func(t *testing.T, w *workspace.Workspace) error { return closed(tapes.In(w, "", false)) },
	"tapes that are written": func(t *testing.T, w *workspace.Workspace) error { return closed(tapes.In(w, "", true)) },
	"sync": func(t *testing.T, w *workspace.Workspace) error {
		return sync.Run(t.Context(), w, sync.Request{}, func(sync.Result) error { return nil })
	},
	"a dry sync": func(t *testing.T, w *workspace.Workspace) error {
		return sync.Run(t.Context(), w, sync.Request{DryRun: true}, func(sync.Result) error { return nil })
	},
	"watch": func(t *testing.T, w *workspace.Workspace) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := daemon.Watch(ctx, w, daemon.Request{Say: func(string) {}, Did: func(time.Time, sync.Result) {},
			Started: func(int, int) { cancel() }, Stopping: func() {}})
		return err
	},
	"gc": func(t *testing.T, w *workspace.Workspace) error {
		_, err := gc.Collect(t.Context(), w, gc.Request{Delete: true})
		return err
	},
	"verify with threads": func(t *testing.T, w *workspace.Workspace) error {
		w.Config.Threads = true
		return verify.Run(t.Context(), w, verify.Request{}, func(*verify.Result) error { return nil })
	},
}

func closed(c io.Closer, err error) error {
	if err == nil {
		c.Close()
	}
	return err
}

// TestFoldersAreNoLinks: what the tool makes is kept in folders of the
// workspace, and nothing is taken away elsewhere.
func TestFoldersAreNoLinks(t *testing.T) {
	needs.Symlink(t, "x", filepath.Join(t.TempDir(), "link"))
	for _, place := range []string{
		".handoff", ".handoff/threads", ".handoff/sessions", ".handoff/tasks", ".handoff/runs", ".handoff/tape", ".handoff/tape/archived",
		".rip", ".rip/artifacts", ".rip/artifacts/blobs",
	} {
		old := time.Now().AddDate(-1, 0, 0)
		for who, enter := range writers {
			w, out := open(t), t.TempDir()
			for _, name := range []string{"Cargo.lock", atomicfile.TempPrefix + "elsewhere-1-x", "blobs/" + atomicfile.TempPrefix + "elsewhere-1-x"} {
				treetest.Write(t, out, name, "old")
				if err := os.Chtimes(filepath.Join(out, name), old, old); err != nil {
					t.Fatal(err)
				}
			}
			treetest.Link(t, out, filepath.Join(w.Root, place))
			if err := enter(t, w); err == nil || !strings.Contains(err.Error(), place) {
				t.Errorf("%s: %s went on: %v", place, who, err)
			}
			left, err := os.ReadDir(out)
			below, err2 := os.ReadDir(filepath.Join(out, "blobs"))
			if errors.Join(err, err2) != nil || len(left) != 3 || len(below) != 1 {
				t.Errorf("%s: %s left %v, %v, %v", place, who, left, below, errors.Join(err, err2))
			}
		}
	}
}

// TestFoldersInside: a link to another folder of the workspace is refused, too.
func TestFoldersInside(t *testing.T) {
	for who, enter := range writers {
		for _, place := range []string{".handoff", ".rip", ".rip/artifacts"} {
			w := open(t)
			treetest.Write(t, w.Root, "kept/here", "")
			treetest.Link(t, filepath.Join(w.Root, "kept"), filepath.Join(w.Root, place))
			if err := enter(t, w); err == nil || !strings.Contains(err.Error(), place+": is a symbolic link to ") {
				t.Errorf("%s: %s went on: %v", place, who, err)
			}
		}
	}
}

func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	if err := os.Mkdir(w.Specs(), 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}
