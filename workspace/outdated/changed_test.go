package outdated

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/parse"
	"handoff/workspace/reconcile"
)

// TestChangedSince has a report whose files are changed in a git repository
// before it, with it and after it, with and without a commit.
func TestChangedSince(t *testing.T) {
	needs.Tool(t, "git")
	repository := t.TempDir()
	root := filepath.Join(repository, "work")
	written := time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC)
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(v, t.TempDir())
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-c", "user.email=a@example.org", "-c", "user.name=A"}, args...)...)
		c.Dir = repository
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(at time.Duration, names ...string) {
		t.Helper()
		for _, name := range names {
			name = filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			old, _ := os.ReadFile(name)
			if err := os.WriteFile(name, fmt.Append(old, "line ", at, "\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, written.Add(at), written.Add(at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	commit := func(at time.Duration) {
		t.Helper()
		t.Setenv("GIT_COMMITTER_DATE", written.Add(at).Format(time.RFC3339))
		git("add", "-A")
		git("commit", "-qm", "x")
	}
	const task = "specs/1_first"
	const document = task + "/handoffs/phase-1-handoff-20260212T143022Z.md"
	name := handoff.ParseName(document)
	var references strings.Builder
	for _, file := range []string{"a/before.go", "a/dirty.go", "a/with.go", "a/twice.go", "a/open.go", "a/touched.go", "a/both.go", "a/gone.go", "a/new.go", "a/", task + "/progress/phase-1-progress.json"} {
		fmt.Fprintf(&references, "- `%s`\n", file)
	}
	check := func(when string, want ...string) {
		t.Helper()
		doc := parse.Document([]byte("# Phase 1\n\n## Current State\n- **File**: main.go\n\n## References\n" + references.String()))
		if got := changedSince(t.Context(), root, written, reconcile.Document{Path: document, Name: name, Doc: doc}); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", when, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	write(-time.Hour, "main.go", "a/before.go", "a/dirty.go", "a/with.go", "a/twice.go", "a/open.go", "a/touched.go", "a/both.go", "a/gone.go", task+"/progress/phase-1-progress.json")
	check("without a repository")
	git("init", "-q", "-b", "main")
	check("without a commit")
	commit(-time.Hour)
	write(-time.Minute, "a/dirty.go", "a/with.go")
	write(0, document)
	check("as it was written")
	git("add", "work/a/with.go", "work/"+document)
	t.Setenv("GIT_COMMITTER_DATE", written.Add(time.Minute).Format(time.RFC3339))
	git("commit", "-qm", "the report, with the work")
	check("committed with the work")

	write(time.Hour, "a/open.go", "a/both.go", "a/new.go", task+"/progress/phase-1-progress.json")
	if err := os.Chtimes(filepath.Join(root, "a/touched.go"), time.Time{}, written.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	check("changed, not committed",
		"a/open.go changed since, and the change is not committed",
		"a/both.go changed since, and the change is not committed")
	git("checkout", "-q", "work/a/open.go", "work/a/both.go", "work/a/dirty.go")
	for i, names := range [][]string{{"main.go", "a/twice.go"}, {"a/twice.go", "a/both.go"}, {"elsewhere.go"}} {
		write(time.Hour, names...)
		commit(time.Duration(i+1) * time.Hour)
	}
	write(5*time.Hour, "a/both.go")
	if err := os.Remove(filepath.Join(root, "a/gone.go")); err != nil {
		t.Fatal(err)
	}
	check("committed",
		"HEAD moved: 3 commits since",
		"main.go changed since, in 1 commit",
		"a/twice.go changed since, in 2 commits",
		"a/both.go changed since, and the change is not committed",
		"a/new.go changed since, in 1 commit")

	for i := range 10 {
		file := fmt.Sprintf("b/%d.go", i)
		fmt.Fprintf(&references, "- `%s`\n", file)
		write(6*time.Hour, file)
	}
	commit(6 * time.Hour)
	doc := parse.Document([]byte("# Phase 1\n\n## References\n" + references.String()))
	got := changedSince(t.Context(), root, written, reconcile.Document{Path: document, Name: name, Doc: doc})
	if len(got) != maxChanged+2 || got[len(got)-1] != "and 5 more of the files that it names" {
		t.Errorf("%q", got)
	}

	// In a copy all files are new, and so is the document.
	now := written.Add(1000 * time.Hour)
	for _, name := range []string{document, "a/both.go", "a/open.go"} {
		if err := os.Chtimes(filepath.Join(root, name), now, now); err != nil {
			t.Fatal(err)
		}
	}
	write(0, "a/twice.go")
	if err := os.Chtimes(filepath.Join(root, "a/twice.go"), now, now); err != nil {
		t.Fatal(err)
	}
	if got := uncommitted(t.Context(), root, written, document, []string{"a/both.go", "a/twice.go"}); len(got) > 0 {
		t.Errorf("in a copy: %q", got)
	}
}
