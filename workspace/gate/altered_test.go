package gate

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"handoff/internal/file/gitindex"
	"handoff/workspace"
	"handoff/workspace/config"
)

// TestAltered: a check that the work has changed is named, committed or not; what it added is not, nor what the user had
// changed before.
func TestAltered(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	files := []string{"Makefile", "ci/check.sh", "parse.go", "parse_test.go", "sub/lex_test.go", "tests/data.json", "web/app.spec.ts", "mine_test.go"}
	for _, name := range files {
		write(t, root, name, "before\n")
	}
	git("add", ".")
	git("commit", "-q", "-m", "first")
	base, err := gitindex.Current(context.Background(), root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "new_test.go") {
		write(t, root, name, "after\n")
	}
	if err := os.Remove(filepath.Join(root, "sub/lex_test.go")); err != nil {
		t.Fatal(err)
	}
	git("add", "Makefile", "parse_test.go", "new_test.go")
	git("commit", "-q", "-m", "make the tests pass")
	ws := workspace.New(root, config.Default(), workspace.Options{})
	tests := []string{"parse_test.go", "sub/lex_test.go", "tests/data.json", "web/app.spec.ts"}
	for name, c := range map[string]struct {
		request Request
		want    []string
	}{
		"tests":                 {Request{Commands: [][]string{{"true"}}, Base: base.Commit}, tests},
		"what a program reads":  {Request{Commands: [][]string{{"make", "test"}}, Base: base.Commit}, append([]string{"Makefile"}, tests...)},
		"what a command names":  {Request{Commands: [][]string{{"./ci/check.sh", "parse"}}, Base: base.Commit}, append([]string{"ci/check.sh"}, tests...)},
		"in a script":           {Request{Commands: [][]string{{"sh", "-c", "cd . && make all; sh 'ci/check.sh'"}}, Base: base.Commit}, append([]string{"Makefile", "ci/check.sh"}, tests...)},
		"nothing is checked":    {Request{Base: base.Commit}, nil},
		"the base is not known": {Request{Commands: [][]string{{"make"}}}, nil},
		"the base is gone":      {Request{Commands: [][]string{{"make"}}, Base: "0123456789012345678901234567890123456789"}, nil},
	} {
		c.request.Before = []string{"mine_test.go"}
		f, err := Check(context.Background(), ws, c.request)
		if slices.Sort(f.Altered); err != nil || !slices.Equal(f.Altered, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, f.Altered, err, c.want)
		}
	}
}
