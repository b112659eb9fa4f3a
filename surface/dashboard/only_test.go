package dashboard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestReadOnlyTree: of a tree in which the server may not write, all pages work, no act is offered, and a line
// says why. When it may write again, it acts again.
func TestReadOnlyTree(t *testing.T) {
	needs.Unix(t, "permissions")
	needs.NotRoot(t, func() {
		s := populated(t, nil)
		mode := func(m fs.FileMode) {
			t.Helper()
			err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					return os.Chmod(path, m)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		mode(0o555)
		t.Cleanup(func() { mode(0o755) })
		for _, p := range pages {
			r, text := s.get(p.path)
			if r.StatusCode != 200 || !strings.Contains(text, "may not write to "+s.root) || strings.Contains(text, actPath) {
				t.Errorf("%s: %s\n%s", p.path, r.Status, text)
			}
		}
		for _, path := range []string{threadsPath, tapesPath} {
			if r, text := s.get(path); r.StatusCode != 200 {
				t.Errorf("%s: %s\n%s", path, r.Status, text)
			}
		}
		ann := s.browser()
		if _, text := ann.form("claim", "ref", waits); !strings.Contains(text, "may not write") {
			t.Errorf("the form is shown:\n%s", text)
		}
		mode(0o755)
		form, _ := ann.form("claim", "ref", waits)
		mode(0o555)
		if status, text := ann.send(form, "name", "ann"); status != 403 || !strings.Contains(text, "may not write") {
			t.Errorf("%d\n%s", status, text)
		}
		_, err := os.Stat(filepath.Join(s.root, "new"))
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		mode(0o755)
		if text := s.content("/"); strings.Contains(text, "only show") || !strings.Contains(text, actPath) {
			t.Error("it does not act again")
		}
	})
}
