package verify

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
)

// A thread that cannot be opened is not reported as damaged: what it holds is
// not known.
func TestVerifyUnopened(t *testing.T) {
	needs.Unix(t, "files without a mode for reading")
	needs.NotRoot(t, func() {
		w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
		const path = workspace.StateDir + "/threads/00000001-0000-4000-8000-000000000001.jsonl"
		treetest.Write(t, w.Root, path, "{}\n")
		if err := os.Chmod(filepath.Join(w.Root, path), 0); err != nil {
			t.Fatal(err)
		}
		var last *Result
		err := Run(t.Context(), w, Request{}, func(v *Result) error { last = v; return nil })
		if err != nil || last == nil || !errors.Is(last.Err, fs.ErrPermission) || len(last.Files) > 0 {
			t.Errorf("%+v, %v", last, err)
		}
	})
}
