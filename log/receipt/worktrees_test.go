package receipt

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
)

// TestElsewhere: each working tree finds the others of its repository, and none that is gone or that
// does not point back.
func TestElsewhere(t *testing.T) {
	needs.Tool(t, "git")
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	main, side, gone := filepath.Join(base, "main"), filepath.Join(base, "side"), filepath.Join(base, "gone")
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", base, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", main)
	git("-C", main, "commit", "-q", "--allow-empty", "-m", "first")
	git("-C", main, "worktree", "add", "-q", "--detach", side)
	git("-C", main, "worktree", "add", "-q", "--detach", gone)
	for _, sub := range []string{"", "sub"} {
		for at, want := range map[string][]string{main: {gone, side}, side: {gone, main}} {
			root := filepath.Join(at, sub)
			if err := os.MkdirAll(root, 0o755); err != nil {
				t.Fatal(err)
			}
			p, err := Locate(root)
			for i := range want {
				want[i] = filepath.Join(want[i], sub)
			}
			if got := p.Elsewhere(); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %q, %v; want %q", root, got, err, want)
			}
		}
	}
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	stranger := filepath.Join(base, "stranger") // has a .git of its own
	git("init", "-q", stranger)
	if err := os.WriteFile(filepath.Join(main, ".git/worktrees/gone/gitdir"), []byte(filepath.Join(stranger, ".git")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Locate(main)
	if got := p.Elsewhere(); err != nil || !slices.Equal(got, []string{side}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestNoDocument: the first step on a handoff needs a document in one of the working trees; work and what has
// receipts need none.
func TestNoDocument(t *testing.T) {
	root := realTemp(t)
	s := openStore(t, root)
	s.Unchecked = false
	take := claim("a", false, "")(Moment{Now: noon})
	if err := os.MkdirAll(filepath.Join(root, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gone.md", "folder.md", "../" + filepath.Base(root) + "/there.md", ""} {
		if _, err := s.Record(t.Context(), name, take); !errors.Is(err, handoff.ErrNoHandoff) {
			t.Errorf("%q: %v", name, err)
		}
	}
	there := filepath.Join(root, "there.md")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	life := record(t, s, "there.md", take)
	if err := os.Remove(there); err != nil {
		t.Fatal(err)
	}
	record(t, s, "there.md", Moment{Now: noon}.Finish("a", life.Claim.ID))
	work, err := s.place.Work(Work{Kind: WorkIssue, ID: "311"})
	if err != nil {
		t.Fatal(err)
	}
	record(t, s, work, take)
}
