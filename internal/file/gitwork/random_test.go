//go:build unix

package gitwork_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/internal/file/gitwork"
	"handoff/internal/testing/needs"
)

// repository is a repository of a test. Its git ignores the settings of the user.
type repository struct {
	t   testing.TB
	dir string
}

func newRepository(t testing.TB, args ...string) repository {
	t.Helper()
	needs.Tool(t, "git")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := repository{t, dir}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	r.git("config", "gc.auto", "0")
	return r
}

func (r repository) try(args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false"}, args...)...)
	c.Dir = r.dir
	c.Env = append(os.Environ(), "GIT_AUTHOR_DATE=@1700000000 +0000", "GIT_COMMITTER_DATE=@1700000000 +0000", "LC_ALL=C")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.String(), err
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (r repository) path(name string) string { return filepath.Join(r.dir, name) }

func (r repository) write(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// files are the files and links of a folder, with modes and contents; none that are in a
// folder .git, or in one of except.
func files(t testing.TB, dir string, except ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, at)
		switch {
		case err != nil:
			return err
		case e.Name() == ".git" || slices.Contains(except, name):
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case e.IsDir():
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(at)
			all[name] = "link to " + to
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		src, err := os.ReadFile(at)
		all[name] = fmt.Sprintf("%v %s", st.Mode()&0o100 != 0, src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// compare reports how two listings differ.
func compare(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	names := map[string]bool{}
	for name := range got {
		names[name] = true
	}
	for name := range want {
		names[name] = true
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	sort.Strings(list)
	for _, name := range list {
		if got[name] != want[name] {
			t.Errorf("%s: %q: got %.60q, want %.60q", what, name, got[name], want[name])
		}
	}
}

// untouched is everything of the git folder that must stay as it is, byte for byte.
func (r repository) untouched() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(r.path(".git"), func(at string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(r.path(".git"), at)
		if err == nil && e.IsDir() && (filepath.Base(name) == "objects" || name == filepath.Join("refs", "handoff")) {
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() {
			return err
		}
		src, err := os.ReadFile(at)
		all[name] = string(src)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

const prefix = "refs/handoff/work/5/"

// keep keeps the state of the tree as a ref.
func (r repository) keep(name string) *gitwork.Taken {
	r.t.Helper()
	repo, err := gitwork.Open(r.t.Context(), r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	s, err := repo.Scan(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	taken, err := repo.Take(r.t.Context(), s)
	if err != nil {
		r.t.Fatal(err)
	}
	at := time.Unix(1_700_000_000, 0)
	index, err := repo.Commit(r.t.Context(), taken.Index, "index\n", at, taken.Head)
	if err != nil {
		r.t.Fatal(err)
	}
	work, err := repo.Commit(r.t.Context(), taken.Tree, "work\n", at, taken.Head, index)
	if err != nil {
		r.t.Fatal(err)
	}
	if ok, err := repo.Create(r.t.Context(), name, work); !ok || err != nil {
		r.t.Fatal(ok, err)
	}
	return taken
}

// restore brings the changes of a kept state back.
func restore(t testing.TB, dir string, base, tree string) []gitwork.Step {
	t.Helper()
	repo, err := gitwork.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := repo.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	steps, err := repo.Plan(t.Context(), s, base, tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range steps {
		if one.Loss != gitwork.None {
			t.Errorf("%q: %s", one.Path, one.Loss)
		}
	}
	if err := repo.Apply(t.Context(), steps); err != nil {
		t.Fatal(err)
	}
	return steps
}

// random makes random trees.
type random struct {
	repository
	*rand.Rand
	odd bool // names that are not UTF-8
}

func (g *random) one(list ...string) string { return list[g.IntN(len(list))] }

func (g *random) word() string {
	words := []string{"a", "b", "main.go", "READ ME.txt", "ünïcode", "日本", "-dash", "quo\"te", "back\\slash", "tab\there", "new\nline", ".dot", "x.bin", "c.txt", "d.sh", "emoji😀", "trailing ", "~", "con'st", "$HOME", "*", "[x]"}
	if g.odd {
		words = append(words, "\xff\xfe", "latin\xe9.txt")
	}
	return g.one(words...)
}

func (g *random) name() string {
	parts := []string{}
	for range 1 + g.IntN(3) {
		parts = append(parts, g.word())
	}
	return strings.Join(parts, "/")
}

func (g *random) text() string {
	switch g.IntN(7) {
	case 0:
		return ""
	case 1:
		return "crlf\r\nlines\r\n"
	case 2:
		return "mixed\r\nlines\n" + fmt.Sprint(g.IntN(5))
	case 3:
		return "\x00\x01binary\xff" + fmt.Sprint(g.Uint64())
	case 4:
		return strings.Repeat("long "+fmt.Sprint(g.IntN(100))+"\n", 4000)
	case 5:
		return "$Id$ and no end of line"
	}
	return "text " + fmt.Sprint(g.IntN(1000)) + "\n"
}

// put creates something at a name, if nothing is in its way.
func (g *random) put(name string) {
	full := g.path(name)
	if os.MkdirAll(filepath.Dir(full), 0o755) != nil {
		return
	}
	if st, err := os.Lstat(full); err == nil && st.IsDir() {
		return
	}
	_ = os.Remove(full)
	switch g.IntN(8) {
	case 0:
		_ = os.Symlink(g.one("a", "../outside", "/nowhere", "b/c", "main.go"), full)
	default:
		mode := fs.FileMode(0o644)
		if g.IntN(4) == 0 {
			mode = 0o755
		}
		_ = os.WriteFile(full, []byte(g.text()), mode)
	}
}

// some is a name of a file of the tree.
func (g *random) some() string {
	list := []string{}
	_ = filepath.WalkDir(g.dir, func(at string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(g.dir, at)
		if err == nil && e.IsDir() && (e.Name() == ".git" || name == "sub module") {
			return filepath.SkipDir
		}
		if err == nil && !e.IsDir() && e.Name() != ".gitmodules" && !strings.HasPrefix(e.Name(), ".git") {
			list = append(list, name)
		}
		return nil
	})
	if len(list) == 0 {
		return "a"
	}
	return g.one(list...)
}

// change makes the tree dirty.
func (g *random) change() {
	name := g.some()
	switch full := g.path(name); g.IntN(13) {
	case 0, 1, 2:
		g.put(g.name())
	case 3, 4:
		g.put(name)
	case 5:
		_ = os.Remove(full)
	case 6:
		to := g.path(g.name())
		if os.MkdirAll(filepath.Dir(to), 0o755) == nil {
			_ = os.Rename(full, to)
		}
	case 7:
		_ = os.Chmod(full, 0o755)
	case 8: // a folder instead of a file
		if os.Remove(full) == nil && os.Mkdir(full, 0o755) == nil {
			g.put(name + "/in it")
		}
	case 9: // a file or link instead of a folder
		if dir := filepath.Dir(full); dir != g.dir {
			_ = os.RemoveAll(dir)
			g.put(filepath.Dir(name))
		}
	case 10:
		g.git("add", "-A", "--", ".")
	case 11:
		_, _ = g.try("add", "-N", "--", name)
	case 12: // staged otherwise than it is on the disk
		_, _ = g.try("rm", "-q", "--cached", "--", name)
	}
}

// begin makes a repository with a commit.
func (g *random) begin() {
	if g.IntN(3) == 0 {
		g.write(".gitattributes", g.one("* text=auto\n", "*.txt text eol=crlf\n*.bin -text\n", "*.txt ident\n* text=auto eol=lf\n", "*.sh filter=evil\n"))
	}
	if g.IntN(3) == 0 {
		g.git("config", "core.autocrlf", g.one("input", "false"))
	}
	g.write(".gitignore", "ignored*\n")
	g.write("ignored", "an ignored file\n")
	for range 3 + g.IntN(20) {
		g.put(g.name())
	}
	if g.IntN(10) == 0 {
		return // before the first commit
	}
	g.git("add", "-A")
	g.git("commit", "-q", "-m", "one")
	if g.IntN(4) == 0 {
		g.module()
	}
}

// module adds a submodule with two commits, of which it is at the first.
func (g *random) module() {
	sub := repository{g.t, g.t.TempDir()}
	format := g.git("rev-parse", "--show-object-format")
	sub.git("init", "-q", "--object-format="+format)
	sub.git("commit", "-q", "--allow-empty", "-m", "one")
	sub.git("commit", "-q", "--allow-empty", "-m", "two")
	if out, err := g.try("submodule", "add", "-q", sub.dir, "sub module"); err != nil {
		g.t.Fatal(out)
	}
	g.git("commit", "-q", "-m", "submodule")
}

// evil sets each program that git runs, to leave a mark.
func (r repository) evil(mark string) (undo func()) {
	r.t.Helper()
	script := filepath.Join(r.t.TempDir(), "evil")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+mark+"'\n"), 0o755); err != nil {
		r.t.Fatal(err)
	}
	config, err := os.ReadFile(r.path(".git/config"))
	if err != nil {
		r.t.Fatal(err)
	}
	hooks := filepath.Join(r.dir, ".git", "hooks")
	for _, hook := range []string{"reference-transaction", "post-index-change", "pre-commit", "post-checkout", "pre-auto-gc", "pre-push"} {
		_ = os.MkdirAll(hooks, 0o755)
		_ = os.Symlink(script, filepath.Join(hooks, hook))
	}
	for _, key := range []string{"core.fsmonitor", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "diff.external",
		"core.sshCommand", "core.pager", "core.editor", "gpg.program", "core.askPass", "credential.helper", "core.alternateRefsCommand", "sequence.editor"} {
		r.git("config", key, script)
	}
	r.git("config", "commit.gpgSign", "true")
	r.git("config", "core.logAllRefUpdates", "always")
	r.git("config", "core.splitIndex", "true")
	return func() {
		if err := errors.Join(os.WriteFile(r.path(".git/config"), config, 0o644), os.RemoveAll(hooks)); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestRandomTrees keeps random dirty trees and restores them: into a new folder, in the tree
// after git has thrown all away, and in a clone. HANDOFF_WORK_TREES is how many.
func TestRandomTrees(t *testing.T) {
	needs.Unix(t, "modes and links")
	n, from := number(t, "HANDOFF_WORK_TREES", 15), number(t, "HANDOFF_WORK_TREES_FROM", 1)
	for seed := from; seed < from+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { testRandomTree(t, uint64(seed)) })
	}
}

// number is what a variable sets.
func number(t *testing.T, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

func testRandomTree(t *testing.T, seed uint64) {
	source := rand.New(rand.NewPCG(seed, 1))
	args := []string{"--object-format=sha1"}
	if source.IntN(5) == 0 {
		args = []string{"--object-format=sha256"}
	}
	g := &random{repository: newRepository(t, args...), Rand: source, odd: runtime.GOOS == "linux"}
	g.begin()
	for range 1 + g.IntN(15) {
		g.change()
	}
	hasModule := g.sub()
	before, want := g.untouched(), files(t, g.dir, "ignored", "sub module")
	mark := filepath.Join(t.TempDir(), "ran")
	undo := g.evil(mark)
	evil := g.untouched()
	taken := g.keep(prefix + "1")
	again := g.keep(prefix + "2")
	compare(t, "git folder", g.untouched(), evil)
	compare(t, "tree", files(t, g.dir, "ignored", "sub module"), want)
	if taken.Tree != again.Tree || taken.Index != again.Index {
		t.Error("the second time another tree")
	}
	if taken.Clean() {
		undo()
		return // nothing to keep
	}
	out := filepath.Join(t.TempDir(), "out")
	repo, err := gitwork.Open(t.Context(), g.dir)
	if err == nil {
		err = repo.WriteTo(t.Context(), taken.Tree, out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if src, err := os.ReadFile(mark); err == nil {
		t.Errorf("programs ran:\n%s", src)
	}
	undo()
	compare(t, "in a new folder", files(t, out), want)
	if staged := g.git("write-tree"); !strings.Contains(before["index"], "TREE") && staged != taken.Index {
		t.Errorf("staged: %s, want %s", taken.Index, staged)
	}
	g.thrownAway(taken)
	restore(t, g.dir, taken.Base, taken.Tree)
	got := files(t, g.dir, "ignored", "sub module")
	asGitWrites(taken, got, want)
	compare(t, "after all was thrown away", got, want)
	if again := restore(t, g.dir, taken.Base, taken.Tree); len(again) > 0 {
		t.Errorf("the second time: %q", again)
	}
	if taken.Head != "" && !hasModule {
		g.inAClone(taken, want)
	}
}

// sub moves the submodule, and reports whether there is one.
func (g *random) sub() bool {
	at := g.path("sub module")
	if st, err := os.Lstat(at); err != nil || !st.IsDir() {
		return false
	}
	if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
		repository{g.t, at}.git("checkout", "-q", "HEAD^")
	}
	return true
}

// thrownAway resets the tree to its commit.
func (g *random) thrownAway(taken *gitwork.Taken) {
	g.t.Helper()
	if taken.Head == "" {
		g.git("read-tree", "--empty")
	} else {
		g.git("reset", "-q", "--hard")
	}
	g.git("clean", "-ffdq")
}

// inAClone restores in a clone at the same commit, which got the ref from the repository.
func (g *random) inAClone(taken *gitwork.Taken, want map[string]string) {
	g.t.Helper()
	c := repository{g.t, filepath.Join(g.t.TempDir(), "clone")}
	g.git("clone", "-q", "--no-hardlinks", g.dir, c.dir)
	c.git("fetch", "-q", "origin", prefix+"*:"+prefix+"*")
	c.write("ignored", "an ignored file\n")
	restore(g.t, c.dir, taken.Base, taken.Tree)
	got := files(g.t, c.dir, "ignored", "sub module")
	asGitWrites(taken, got, want)
	compare(g.t, "in a clone", got, want)
}

// asGitWrites lets files that had not changed be as git has written them since.
func asGitWrites(taken *gitwork.Taken, got, want map[string]string) {
	for name := range want {
		if _, changed := slices.BinarySearchFunc(taken.Changed, name, func(c gitwork.Changed, name string) int { return strings.Compare(c.Path, name) }); !changed && got[name] != "" {
			got[name] = want[name]
		}
	}
}
