package receipt

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestMark: all that ask at once get one mark, which only another repository replaces. Without git there is none.
func TestMark(t *testing.T) {
	root := t.TempDir()
	git := filepath.Join(root, ".git")
	at := func() Place {
		t.Helper()
		place, err := Locate(root)
		if err != nil {
			t.Fatal(err)
		}
		return place
	}
	if mark := at().Mark(); mark != "" {
		t.Errorf("without git: %q", mark)
	}
	var before string
	for range 2 {
		for _, name := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(git, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		place := at()
		if mark := place.Marked(); mark != "" {
			t.Errorf("before anything asked: %q", mark)
		}
		marks := make([]string, 8)
		var wg sync.WaitGroup
		for i := range marks {
			wg.Go(func() { marks[i] = place.Mark() })
		}
		wg.Wait()
		for _, mark := range marks {
			if mark == "" || mark == before || mark != place.Marked() {
				t.Errorf("marks %q, before %q, read %q", marks, before, place.Marked())
				break
			}
		}
		before = marks[0]
		if err := os.RemoveAll(git); err != nil {
			t.Fatal(err)
		}
		if mark := place.Mark(); mark != "" {
			t.Errorf("of a repository that is gone: %q", mark)
		}
		if _, err := os.Stat(git); err == nil {
			t.Error("a mark was made where no repository is")
		}
	}
}
