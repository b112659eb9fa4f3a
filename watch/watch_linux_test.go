//go:build !fsnotify

package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Without debounce a task is named once for a file that is written: when it is
// closed.
func TestNamedAtClose(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	w, _ := start(t, Options{Root: root})
	quiet(w)
	f, err := os.OpenFile(filepath.Join(root, "specs/1_a"+doc), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := f.WriteString("a line\n"); err != nil {
			t.Fatal(err)
		}
		select {
		case set := <-w.Dirty:
			t.Fatalf("named %v before the file was closed", set)
		case <-time.After(5 * time.Millisecond):
		}
	}
	f.Close()
	await(t, w, "specs/1_a")
	select {
	case set := <-w.Dirty:
		t.Errorf("named %v again", set)
	case <-time.After(100 * time.Millisecond):
	}
}
