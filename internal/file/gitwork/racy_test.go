//go:build unix

package gitwork_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// TestRacyFilter: git reads files whose time is that of the index when it writes an index, and
// runs their filters. Keeping runs none.
func TestRacyFilter(t *testing.T) {
	needs.Unix(t, "a script")
	r := newRepository(t)
	r.write(".gitattributes", "*.sh filter=evil\n")
	r.write("a.sh", "one\n")
	r.write("b", "one\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "one")
	r.write("b", "two\n")
	later := time.Now().Add(time.Hour) // not older than any index
	if err := os.Chtimes(r.path("a.sh"), later, later); err != nil {
		t.Fatal(err)
	}
	_, _ = r.try("update-index", "--refresh") // which fails, because b has changed
	mark := filepath.Join(t.TempDir(), "ran")
	undo := r.evil(mark)
	r.keep(prefix + "1")
	undo()
	if src, err := os.ReadFile(mark); err == nil {
		t.Errorf("programs ran:\n%s", src)
	}
}
