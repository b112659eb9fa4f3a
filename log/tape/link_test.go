package tape

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestLinks: a symbolic link instead of a tape or the graph is neither read nor
// written, whatever its target; other tapes are not affected.
func TestLinks(t *testing.T) {
	for what, target := range map[string]string{"out": "elsewhere", "nowhere": "none"} {
		w := open(t)
		add(t, w.tape("good"), message("m"))
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		if err := os.WriteFile(elsewhere, []byte(say(1, "theirs")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		bad := w.tape("bad")
		needs.Symlink(t, filepath.Join(filepath.Dir(elsewhere), target), bad.Path())
		refused := func(did string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), "is a symbolic link to ") {
				t.Errorf("%s: %s: %v", what, did, err)
			}
		}
		refused("append", second(bad.Append(ctx, message("x"))))
		refused("read", second(bad.All(Query{})))
		refused("info", second(bad.Info()))
		refused("reset", second(bad.Reset(ctx, ResetRequest{})))
		refused("destroy", second(bad.Reset(ctx, ResetRequest{NoArchive: true})))
		refused("fork", second(bad.Fork(ctx, ForkRequest{})))
		must(w.tape("good").Fork(ctx, ForkRequest{To: "child"}))(t)
		if forks := must(w.Forks(ctx))(t); len(forks) != 1 {
			t.Errorf("%s: %+v", what, forks)
		}
		if got := read(t, elsewhere); got != say(1, "theirs")+"\n" {
			t.Errorf("%s: %s", what, got)
		}
		if err := os.Remove(w.graph().Path); err != nil {
			t.Fatal(err)
		}
		needs.Symlink(t, elsewhere, w.graph().Path)
		refused("graph", second(openIn(t, w.folder).Forks(ctx)))
		if got := read(t, elsewhere); got != say(1, "theirs")+"\n" {
			t.Errorf("%s: %s", what, got)
		}
	}
}
