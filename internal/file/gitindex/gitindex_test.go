package gitindex

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// asHook is the folder to read from if this test binary runs as a hook.
const asHook = "GITINDEX_TEST_HOOK"

func TestMain(m *testing.M) {
	if dir := os.Getenv("GITINDEX_TEST_HOOKS"); dir != "" {
		tree, _ := OpenTree(dir)
		fmt.Println(tree.Hooks())
		return
	}
	if dir := os.Getenv(asHook); dir != "" {
		fmt.Print(report(dir))
		return
	}
	os.Exit(m.Run())
}

// report is what the package returns for a repository, as one text.
func report(dir string) string {
	ctx := context.Background()
	root, list, err := Staged(ctx, dir)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %v\n", filepath.Base(root), err)
	err = Contents(ctx, dir, list, func(e Entry, src []byte) error {
		fmt.Fprintf(&b, "%q=%q", e.Path, src)
		if e.Link {
			b.WriteString(" (link)")
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return b.String()
}

// repository creates an empty repository named "work" that the configuration of the
// machine does not affect.
func repository(t *testing.T) string {
	t.Helper()
	needs.Tool(t, "git")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := filepath.Join(home, "work")
	git(t, home, "init", "-q", "-b", "main", dir)
	git(t, dir, "config", "user.email", "a@example.org")
	git(t, dir, "config", "user.name", "A")
	return dir
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, dir, want string) {
	t.Helper()
	if got := report(dir); got != "work <nil>\n"+want {
		t.Errorf("got\n%s\nwant\nwork <nil>\n%s", got, want)
	}
}

func TestBeforeTheFirstCommit(t *testing.T) {
	dir := repository(t)
	check(t, dir, "")
	write(t, dir, "a.md", "one\n")
	write(t, dir, "empty.md", "")
	git(t, dir, "add", ".")
	check(t, dir, "\"a.md\"=\"one\\n\"\n\"empty.md\"=\"\"\n")
}

func TestTheIndexIsRead(t *testing.T) {
	dir := repository(t)
	write(t, dir, "same.md", "same")
	write(t, dir, "gone.md", "gone")
	write(t, dir, "moved.md", "moved and long enough to be found again\n")
	write(t, dir, "part.md", "1\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "x")
	write(t, dir, "part.md", "2\n")
	git(t, dir, "add", ".")
	write(t, dir, "part.md", "3\n")
	git(t, dir, "rm", "-q", "gone.md")
	git(t, dir, "mv", "moved.md", "there.md")
	write(t, dir, "later.md", "not staged")
	write(t, dir, "intended.md", "only intended")
	git(t, dir, "add", "-N", "intended.md")
	check(t, dir, "\"part.md\"=\"2\\n\"\n\"there.md\"=\"moved and long enough to be found again\\n\"\n")
}

func TestNames(t *testing.T) {
	dir := repository(t)
	var want strings.Builder
	for _, name := range []string{" lead.md", "-dash.md", "a b.md", "new\nline.md", "quote\".md", "tab\t.md", "ä😀.md", "\xff.md"} {
		write(t, dir, filepath.Join("specs", name), name)
		fmt.Fprintf(&want, "%q=%q\n", "specs/"+name, name)
	}
	git(t, dir, "add", ".")
	check(t, dir, want.String())
}

func TestOnlyFilesAndLinks(t *testing.T) {
	dir := repository(t)
	git(t, dir, "commit", "-qm", "x", "--allow-empty")
	head := strings.TrimSpace(git(t, dir, "rev-parse", "HEAD"))
	write(t, dir, "run.sh", "run")
	write(t, dir, "was-link.md", "target")
	needs.Symlink(t, "run.sh", filepath.Join(dir, "link.md"))
	git(t, dir, "add", ".")
	git(t, dir, "update-index", "--chmod=+x", "run.sh")
	git(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+head+",module")
	check(t, dir, "\"link.md\"=\"run.sh\" (link)\n\"run.sh\"=\"run\"\n\"was-link.md\"=\"target\"\n")

	git(t, dir, "commit", "-qm", "y")
	os.Remove(filepath.Join(dir, "link.md"))
	write(t, dir, "link.md", "a file now")
	git(t, dir, "add", "link.md")
	check(t, dir, "\"link.md\"=\"a file now\"\n")
}

func TestFromASubfolderAndAgainstConfiguration(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.md", "a")
	write(t, dir, "sub/deep/b.md", "b")
	write(t, dir, "order", "sub/*\n")
	git(t, dir, "add", "a.md", "sub")
	for _, c := range []string{"diff.relative true", "color.ui always", "diff.external false", "core.pager false",
		"diff.renames copies", "diff.orderFile order", "core.quotePath true", "core.abbrev 4"} {
		key, value, _ := strings.Cut(c, " ")
		git(t, dir, "config", key, value)
	}
	for _, from := range []string{"", "sub", "sub/deep"} {
		check(t, filepath.Join(dir, from), "\"a.md\"=\"a\"\n\"sub/deep/b.md\"=\"b\"\n")
	}
}

func TestUnmergedIsLeftOut(t *testing.T) {
	dir := repository(t)
	write(t, dir, "a.md", "1")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "1")
	git(t, dir, "checkout", "-qb", "side")
	write(t, dir, "a.md", "2")
	git(t, dir, "commit", "-qam", "2")
	git(t, dir, "checkout", "-q", "main")
	write(t, dir, "a.md", "3")
	git(t, dir, "commit", "-qam", "3")
	merge := exec.Command("git", "merge", "side")
	merge.Dir = dir
	if merge.Run() == nil {
		t.Fatal("the merge has no conflict")
	}
	check(t, dir, "")
}

func TestSHA256(t *testing.T) {
	dir := repository(t)
	os.RemoveAll(filepath.Join(dir, ".git"))
	init := exec.Command("git", "init", "-q", "--object-format=sha256")
	init.Dir = dir
	if out, err := init.CombinedOutput(); err != nil {
		needs.Missing(t, "git-sha256", string(out))
	}
	write(t, dir, "a.md", "a")
	git(t, dir, "add", ".")
	check(t, dir, "\"a.md\"=\"a\"\n")
}

// A hook of a linked worktree gets GIT_DIR, a hook of "git commit FILE" its own
// index; both may read from a subfolder.
func TestInAHook(t *testing.T) {
	dir := repository(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "sub/a.md", "1")
	write(t, dir, "sub/b.md", "1")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "1")
	git(t, dir, "worktree", "add", "-q", filepath.Join(filepath.Dir(dir), "other", "work"))
	hook := "#!/bin/sh\n" + asHook + "=sub '" + self + "' >'" + filepath.Join(dir, "seen") + "' 2>&1\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, ".git/hooks/pre-commit"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, top := range []string{dir, filepath.Join(filepath.Dir(dir), "other", "work")} {
		write(t, top, "sub/a.md", "2")
		write(t, top, "sub/b.md", "2")
		git(t, top, "add", "sub")
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"commit", "-qm", "2"}, "\"sub/a.md\"=\"2\"\n\"sub/b.md\"=\"2\"\n"},
			{[]string{"commit", "-qm", "2", "sub/b.md"}, "\"sub/b.md\"=\"2\"\n"},
		} {
			commit := exec.Command("git", c.args...)
			commit.Dir = top
			if commit.Run() == nil {
				t.Fatal("the hook did not run")
			}
			seen, _ := os.ReadFile(filepath.Join(dir, "seen"))
			if string(seen) != "work <nil>\n"+c.want {
				t.Errorf("%s: git %v: the hook saw\n%s\nwant\n%s", top, c.args, seen, c.want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	dir := repository(t)
	ctx := context.Background()
	outside := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(outside))
	if _, _, err := Staged(ctx, outside); !errors.Is(err, ErrNoRepository) {
		t.Errorf("outside: got %v", err)
	}
	if _, err := HooksDir(ctx, outside); !errors.Is(err, ErrNoRepository) {
		t.Errorf("hooks outside: got %v", err)
	}
	bare := filepath.Join(outside, "bare.git")
	git(t, outside, "init", "-q", "--bare", bare)
	if _, _, err := Staged(ctx, bare); !errors.Is(err, ErrBare) {
		t.Errorf("bare: got %v", err)
	}
	if _, _, err := Staged(ctx, filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: got %v", err)
	}
	_, _, err := Staged(ctx, filepath.Join(dir, ".git"))
	if err == nil || !errors.Is(err, ErrBare) && !strings.HasSuffix(err.Error(), ".git: git rev-parse: this operation must be run in a work tree") { // git before 2.44 finds no repository in .git
		t.Errorf("in .git: got %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := Staged(cancelled, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	write(t, dir, ".git/index", "garbage, not an index")
	if _, _, err := Staged(ctx, dir); err == nil || !strings.Contains(err.Error(), "index") {
		t.Errorf("broken index: got %v", err)
	}
	t.Setenv("PATH", outside)
	if _, _, err := Staged(ctx, dir); !errors.Is(err, ErrNoGit) {
		t.Errorf("no git: got %v", err)
	}
	if err := Contents(ctx, dir, []Entry{{Path: "a", ID: "b"}}, nil); !errors.Is(err, ErrNoGit) {
		t.Errorf("no git: got %v", err)
	}
}

func TestContentsErrors(t *testing.T) {
	t.Run("files", func(t *testing.T) { contentsErrors(t, Contents) })
	t.Run("git", func(t *testing.T) { contentsErrors(t, askContents) })
}

func contentsErrors(t *testing.T, contents func(context.Context, string, []Entry, func(Entry, []byte) error) error) {
	dir := repository(t)
	ctx := context.Background()
	write(t, dir, "sub/a.md", strings.Repeat("a", 1<<20))
	git(t, dir, "add", ".")
	_, list, err := Staged(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 { // more than fits into a pipe
		list = append(list, list...)
	}
	enough, calls := errors.New("enough"), 0
	err = contents(ctx, dir, list, func(Entry, []byte) error { calls++; return enough })
	if err != enough || calls != 1 {
		t.Errorf("got %v after %d calls, want take's error after one", err, calls)
	}
	never := func(e Entry, _ []byte) error { t.Errorf("got %s", e.Path); return nil }
	missing := Entry{Path: "gone.md", ID: strings.Repeat("1", 40)}
	err = contents(ctx, dir, []Entry{missing}, never)
	if err == nil || !strings.HasPrefix(err.Error(), "gone.md: its staged content 1111") {
		t.Errorf("missing blob: got %v", err)
	}
	tree := strings.TrimSpace(git(t, dir, "write-tree"))
	if err := contents(ctx, dir, []Entry{{Path: "sub", ID: tree}}, never); err == nil || !strings.HasSuffix(err.Error(), "want a blob") {
		t.Errorf("a tree: got %v", err)
	}
	err = contents(ctx, t.TempDir(), list[:1], never)
	if !errors.Is(err, ErrNoRepository) {
		t.Errorf("outside: got %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	err = contents(cancelled, dir, list, func(Entry, []byte) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestHooksDir(t *testing.T) {
	dir := repository(t)
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "sub/x", "")
	for _, c := range []struct{ config, want string }{
		{"", ".git/hooks"},
		{".githooks", ".githooks"},
		{filepath.Join(dir, "ü hooks"), "ü hooks"},
	} {
		if c.config != "" {
			git(t, dir, "config", "core.hooksPath", c.config)
		}
		for _, from := range []string{"", "sub"} {
			got, err := HooksDir(context.Background(), filepath.Join(dir, from))
			if err != nil || got != filepath.Join(dir, c.want) {
				t.Errorf("core.hooksPath %q from %q: got %q, %v, want %s", c.config, from, got, err, c.want)
			}
		}
	}
}

func BenchmarkStaged200(b *testing.B) {
	needs.Tool(b, "git")
	dir := b.TempDir()
	git(b, dir, "init", "-q")
	for i := range 200 {
		write(b, dir, fmt.Sprintf("specs/%d_x/handoffs/a.md", i), strings.Repeat(fmt.Sprintln("line", i), 40))
	}
	git(b, dir, "add", ".")
	for b.Loop() {
		_, list, err := Staged(context.Background(), dir)
		if err != nil || len(list) != 200 {
			b.Fatal(len(list), err)
		}
		if err := Contents(context.Background(), dir, list, func(Entry, []byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
