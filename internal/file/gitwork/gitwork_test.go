//go:build unix

package gitwork_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"handoff/internal/file/gitwork"
	"handoff/internal/testing/needs"
)

// committed is a repository with some files in a commit.
func committed(t testing.TB, n int) repository {
	r := newRepository(t)
	for i := range n {
		r.write(fmt.Sprintf("dir %d/file %d.txt", i%40, i), fmt.Sprintf("file %d\n", i))
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "one")
	return r
}

// TestConflict: in a merge conflict, the files are kept as they are, and our side as staged.
func TestConflict(t *testing.T) {
	r := committed(t, 3)
	name := "dir 1/file 1.txt"
	for _, branch := range []string{"ours", "theirs"} {
		r.git("checkout", "-q", "-b", branch, "main")
		r.write(name, branch+"\n")
		r.git("commit", "-q", "-a", "-m", branch)
	}
	r.git("checkout", "-q", "ours")
	if out, err := r.try("merge", "theirs"); err == nil {
		t.Fatal(out)
	}
	before, want := r.untouched(), files(t, r.dir)
	taken := r.keep(prefix + "1")
	compare(t, "git folder", r.untouched(), before)
	if got := r.git("show", prefix+"1^2:"+name); got != "ours" {
		t.Errorf("staged: %s", got)
	}
	r.git("reset", "-q", "--hard")
	restore(t, r.dir, taken.Base, taken.Tree)
	compare(t, "restored", files(t, r.dir), want)
}

// TestLimits: what is too large, a repository in the tree, and a changed submodule are left out
// and said.
func TestLimits(t *testing.T) {
	needs.Unix(t, "FIFOs")
	r := committed(t, 1)
	sub := repository{t, t.TempDir()}
	sub.git("init", "-q")
	sub.write("a", "a")
	sub.git("add", "a")
	sub.git("commit", "-q", "-m", "one")
	r.git("submodule", "add", "-q", sub.dir, "sub")
	r.write("sub/a", "changed")
	r.write("large", strings.Repeat("x", gitwork.MaxNew+1))
	r.write("fits", strings.Repeat("x", gitwork.MaxNew))
	r.git("init", "-q", "nested")
	r.write("nested/a", "a")
	r.write("fifo", "")
	r.git("add", "fifo")
	if err := os.Remove(r.path("fifo")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(r.path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := r.keep(prefix + "1")
	got := fmt.Sprint(taken.Skipped)
	want := "[{fifo neither a file nor a link} {sub changes inside of a submodule} {large larger than 10 MiB} {nested/ a repository of its own}]"
	if got != want {
		t.Errorf("left out %s\nwant %s", got, want)
	}
	if list := r.git("ls-tree", "-r", "--name-only", prefix+"1"); list != ".gitmodules\ndir 0/file 0.txt\nfifo\nfits\nsub" {
		t.Errorf("kept %q", list)
	}
}

// TestHostileTree: a tree of somebody else that leads out of the working tree, or into its git
// folder, is refused before anything is written, and a link in the way is not followed.
func TestHostileTree(t *testing.T) {
	needs.Unix(t, "links")
	r := committed(t, 1)
	outside := t.TempDir()
	r.write("blob", "x")
	blob := r.git("hash-object", "-w", "blob")
	r.git("clean", "-fdq")
	made := func(entries string) string {
		c := exec.Command("git", "mktree")
		c.Dir, c.Stdin = r.dir, strings.NewReader(entries)
		out, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	hook := made("100755 blob " + blob + "\tpost-checkout\n")
	for _, tree := range []string{
		made("040000 tree " + hook + "\t.git\n"), made("040000 tree " + hook + "\t.GIT\n"), made("040000 tree " + hook + "\t..\n"), made("040000 tree " + hook + "\tgit~1\n"),
	} {
		repo, err := gitwork.Open(t.Context(), r.dir)
		if err != nil {
			t.Fatal(err)
		}
		s, err := repo.Scan(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := repo.Plan(t.Context(), s, "", tree); err == nil || !strings.Contains(err.Error(), "invalid path") {
			t.Errorf("%s: %v", tree, err)
		}
		if err := repo.WriteTo(t.Context(), tree, filepath.Join(t.TempDir(), "out")); err == nil {
			t.Errorf("%s was written", tree)
		}
	}
	if err := os.Symlink(outside, r.path("link")); err != nil {
		t.Fatal(err)
	}
	repo, err := gitwork.Open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	steps := []gitwork.Step{{Path: "link/post-checkout", To: gitwork.File{Mode: gitwork.Plain, ID: blob}}}
	if err := repo.Apply(t.Context(), steps); err == nil {
		t.Error("a link was followed")
	}
	if got := files(t, outside); len(got) > 0 {
		t.Errorf("written outside: %v", got)
	}
}

// TestWorkTreeOfTheConfiguration: a repository cannot have another folder kept than its own.
func TestWorkTreeOfTheConfiguration(t *testing.T) {
	r := committed(t, 1)
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "private"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.git("config", "core.worktree", home)
	repo, err := gitwork.Open(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := repo.Scan(t.Context())
	if err != nil || len(s.Changed) > 0 {
		t.Errorf("%v, %v", s, err)
	}
}

// TestCost: 1,000 files that did not change, and as many that did, cost little.
func TestCost(t *testing.T) {
	needs.Linux(t, "the time of child processes")
	const most = 200 * time.Millisecond // four times what docs/work.md states, because a busy machine takes longer
	for _, changed := range []int{3, 1000} {
		r := committed(t, 1000)
		later := time.Now().Add(-time.Hour)
		for i := range changed {
			r.write(fmt.Sprintf("dir %d/file %d.txt", i%40, i), "changed\n")
			_ = os.Chtimes(r.path(fmt.Sprintf("dir %d/file %d.txt", i%40, i)), later, later)
		}
		before := used(t)
		r.keep(prefix + "1")
		spent := used(t) - before
		t.Logf("%d of 1,000 files changed: %s", changed, spent)
		if spent > most {
			t.Errorf("%d of 1,000 files changed: %s of processor time, want at most %s", changed, spent, most)
		}
	}
}

// used is the processor time of this process and its children.
func used(t *testing.T) (d time.Duration) {
	t.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			t.Fatal(err)
		}
		d += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return d
}

// TestMain runs the process of [TestKilled], if it is that.
func TestMain(m *testing.M) {
	if dir := os.Getenv("HANDOFF_TEST_KEEP"); dir != "" {
		keepForever(dir)
	}
	os.Exit(m.Run())
}

// keepForever changes a file and keeps the tree, until it is killed.
func keepForever(dir string) {
	ctx := context.Background()
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s.%d.%d", prefix, os.Getpid(), i)
		err := os.WriteFile(filepath.Join(dir, "changing"), []byte(name), 0o644)
		repo, bad := gitwork.Open(ctx, dir)
		if err != nil || bad != nil {
			panic(fmt.Sprint(err, bad))
		}
		s, err := repo.Scan(ctx)
		if err != nil {
			panic(err)
		}
		taken, err := repo.Take(ctx, s)
		if err != nil {
			panic(err)
		}
		commit, err := repo.Commit(ctx, taken.Tree, "work\n", time.Now(), taken.Head)
		if err != nil {
			panic(err)
		}
		if _, err := repo.Create(ctx, fmt.Sprintf("%s%d-%d", prefix, os.Getpid(), i), commit); err != nil {
			panic(err)
		}
		fmt.Println(i)
	}
}

// TestKilled kills processes that keep, two at a time: each ref that is there is whole, and
// nothing else has changed. HANDOFF_KILLS is how often.
func TestKilled(t *testing.T) {
	needs.Unix(t, "SIGKILL")
	r := committed(t, 200)
	before := r.untouched()
	for i := range number(t, "HANDOFF_KILLS", 6) {
		var running []*exec.Cmd
		for range 2 {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), "HANDOFF_TEST_KEEP="+r.dir)
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if !bufio.NewScanner(out).Scan() {
				t.Fatal("it kept nothing")
			}
			running = append(running, c)
		}
		time.Sleep(time.Duration(i*7%50) * time.Millisecond)
		for _, c := range running {
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // with the git that it runs
			_ = c.Wait()
		}
	}
	if out, err := r.try("fsck", "--connectivity-only", "--no-dangling"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	after := r.untouched()
	r.git("gc", "-q", "--prune=now")
	if out, err := r.try("fsck", "--full"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	compare(t, "git folder", after, before)
	if n := len(strings.Fields(r.git("for-each-ref", "--format=%(refname)", prefix))); n < 12 {
		t.Errorf("%d refs", n)
	}
}

// TestAbandoned: keeping removes what killed processes left in the folder for temporary files, and
// nothing else.
func TestAbandoned(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	old := time.Now().Add(-2 * time.Hour)
	folder := func(name string, at time.Time) string {
		p := filepath.Join(temp, name)
		if err := errors.Join(os.MkdirAll(filepath.Join(p, "empty"), 0o700), os.Chtimes(p, at, at)); err != nil {
			t.Fatal(err)
		}
		return p
	}
	gone, inUse, other := folder("handoff-work-1", old), folder("handoff-work-2", time.Now()), folder("work-3", old)
	link := filepath.Join(temp, "handoff-work-4")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	r := committed(t, 1)
	r.write("new", "one\n")
	r.keep(prefix + "1")
	if _, err := os.Lstat(gone); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", gone, err)
	}
	for _, p := range []string{inUse, other, link} {
		if _, err := os.Lstat(p); err != nil {
			t.Error(err)
		}
	}
	if list, _ := filepath.Glob(filepath.Join(temp, "handoff-work-*")); len(list) != 2 {
		t.Errorf("left: %q", list)
	}
}
