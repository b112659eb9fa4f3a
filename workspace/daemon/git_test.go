package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/workspace"
	"handoff/workspace/config"
	tasksync "handoff/workspace/sync"
)

// repository is an empty repository with a workspace.
func repository(t *testing.T) string {
	t.Helper()
	needs.Tool(t, "git")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root := filepath.Join(home, "work")
	git(t, home, "init", "-q", "-b", "main", root)
	git(t, root, "config", "user.email", "a@example.org")
	git(t, root, "config", "user.name", "A")
	treetest.Write(t, root, ".git/info/exclude", ".rip/\n")
	treetest.Write(t, root, "README", "x\n")
	commit(t, root)
	return root
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func commit(t *testing.T, root string) {
	t.Helper()
	git(t, root, "add", "-A")
	git(t, root, "commit", "-qm", "x")
}

func watchIn(t *testing.T, root string) *watching {
	t.Helper()
	return watchOf(t, workspace.New(root, config.Default(), workspace.Options{}), nil)
}

const meta = "/" + handoff.MetadataFile

// read is the text of a file; "" if there is none.
func (x *watching) read(path string) string {
	src, _ := os.ReadFile(x.w.Full(path))
	return string(src)
}

// settle waits until the watch has handled what happened before.
func (x *watching) settle() {
	x.t.Helper()
	x.linked(x.write(fmt.Sprintf("specs/9%d_settle", x.written), 1))
	waittest.Until(x.t, "quiet", func() bool {
		s, err := Ask(x.t.Context(), x.w)
		return err == nil && s.Queue == 0
	})
}

// same checks that sync has nothing to do, in the tree and in a fresh clone of it.
func (x *watching) same() {
	x.t.Helper()
	clone := filepath.Join(x.t.TempDir(), "clone")
	git(x.t, x.w.Root, "clone", "-q", x.w.Root, clone)
	git(x.t, x.w.Root, "worktree", "add", "-q", "--detach", clone+"-tree")
	defer git(x.t, x.w.Root, "worktree", "remove", "--force", clone+"-tree")
	for _, root := range []string{x.w.Root, clone, clone + "-tree"} {
		w := workspace.New(root, config.Default(), workspace.Options{})
		err := tasksync.Run(x.t.Context(), w, tasksync.Request{}, func(s tasksync.Result) error {
			if len(s.Plan.Writes) > 0 || s.Err != nil {
				x.t.Errorf("%s: sync changes %v, %v", s.Plan.Dir, s.Plan.Changes, s.Err)
			}
			return nil
		})
		if err != nil {
			x.t.Error(err)
		}
	}
}

const inProgress = `{"status": "in_progress", "partial_progress": {"stage": "phase_2_in_progress", "details": "Working on phase 2."}}` + "\n"

// TestCheckoutIsNoNews checks out a branch with a finished task, whose lead deleted the
// metadata, and one that an agent works on.
func TestCheckoutIsNoNews(t *testing.T) {
	root := repository(t)
	git(t, root, "checkout", "-q", "-b", "feature")
	treetest.WriteDocument(t, root, "specs/5_done/handoffs/phase-1-handoff-20260101T000000Z.md")
	treetest.WriteDocument(t, root, "specs/6_runs/handoffs/phase-1-handoff-20260101T000000Z.md")
	treetest.Write(t, root, "specs/6_runs"+meta, inProgress)
	commit(t, root)
	git(t, root, "checkout", "-q", "main")
	os.MkdirAll(filepath.Join(root, "specs"), 0o755)
	x := watchIn(t, root)
	check := func(after string) {
		t.Helper()
		x.settle()
		if got := x.read("specs/5_done" + meta); got != "" {
			t.Errorf("after %s a finished task has metadata: %s", after, got)
		}
		if got := x.read("specs/6_runs" + meta); got != inProgress {
			t.Errorf("after %s the metadata of a running task is %s", after, got)
		}
	}
	git(t, root, "checkout", "-q", "feature")
	check("checkout")
	git(t, root, "checkout", "-q", "main")
	git(t, root, "merge", "-q", "--no-edit", "feature")
	check("merge")
	git(t, root, "reset", "-q", "--hard", "HEAD^")
	git(t, root, "cherry-pick", "feature")
	check("cherry-pick")
	git(t, root, "mv", "specs/5_done", "specs/5_done_v2")
	git(t, root, "stash", "-q")
	git(t, root, "stash", "pop", "-q")
	git(t, root, "mv", "specs/5_done_v2", "specs/5_done")
	check("stash")
	x.same()
}

// TestWrittenAndCommitted commits handoffs before the watch can see them, or while none runs:
// they are news nevertheless.
func TestWrittenAndCommitted(t *testing.T) {
	root := repository(t)
	os.MkdirAll(filepath.Join(root, "specs"), 0o755)
	x := watchIn(t, root)
	first := x.write("specs/1_a", 1)
	commit(t, root)
	x.linked(first)
	x.stop()
	time.Sleep(time.Second) // a commit in the second in which the first watch started may be older
	second := x.write("specs/2_b", 1)
	commit(t, root)
	third := x.write("specs/3_c", 1)
	packed := x.write("specs/4_d", 1)
	git(t, root, "add", "specs/4_d")
	git(t, root, "commit", "-qm", "x")
	git(t, root, "gc", "-q")
	x = watchIn(t, root)
	x.linked(second, third, packed)
	for _, task := range []string{"1_a", "2_b", "3_c", "4_d"} {
		if text := x.read("specs/" + task + meta); !strings.Contains(text, `"handoff_path": "specs/`+task+"/") {
			t.Errorf("%s is not presented: %s", task, text)
		}
	}
}

// TestFinishedStaysDeleted edits, renames, moves and copies the handoff of a finished task,
// whose metadata the lead deleted, while the watch runs and while it does not.
func TestFinishedStaysDeleted(t *testing.T) {
	for _, running := range []bool{true, false} {
		root := t.TempDir()
		os.MkdirAll(filepath.Join(root, "specs"), 0o755)
		x := watchIn(t, root)
		doc := x.write("specs/16_x", 1)
		x.linked(doc)
		os.Remove(x.w.Full("specs/16_x" + meta))
		x.settle()
		written := x.written
		steps := map[string]func(){
			"edit":   func() { treetest.Write(t, root, doc, x.read(doc)+"typo\n") },
			"rename": func() { os.Rename(x.w.Full("specs/16_x"), x.w.Full("specs/16_x_v2")) },
			"archive": func() {
				os.MkdirAll(x.w.Full("specs/archive"), 0o755)
				os.Rename(x.w.Full("specs/16_x_v2"), x.w.Full("specs/archive/16_x"))
			},
			"take out": func() { os.Rename(x.w.Full("specs/archive/16_x"), x.w.Full("specs/16_x")) },
			"copy": func() {
				away := filepath.Join(t.TempDir(), "copy")
				os.CopyFS(away, os.DirFS(x.w.Full("specs/16_x")))
				later := time.Now().Add(time.Minute)
				os.Chtimes(filepath.Join(away, strings.TrimPrefix(doc, "specs/16_x")), later, later)
				os.Rename(away, x.w.Full("specs/17_y"))
			},
			"copy back": func() {
				away := filepath.Join(t.TempDir(), "away")
				os.CopyFS(away, os.DirFS(x.w.Full("specs/16_x")))
				os.RemoveAll(x.w.Full("specs/16_x"))
				time.Sleep(50 * time.Millisecond)
				os.CopyFS(x.w.Full("specs/16_x"), os.DirFS(away))
			},
		}
		for _, name := range []string{"edit", "rename", "archive", "take out", "copy", "copy back"} {
			if !running {
				x.stop()
			}
			steps[name]()
			if !running {
				x = watchIn(t, root)
				x.written = written
			}
			x.settle()
			written = x.written
			if found, _ := filepath.Glob(x.w.Full("specs/1[67]_*" + meta)); len(found) > 0 {
				t.Fatalf("after %q (watch running: %v) there is %v", name, running, found)
			}
		}
	}
}

// TestRestartChangesNothing writes the handoff of an earlier phase than the stage, and the
// first document of a task, to a watch that runs, that starts later, and after a sync.
func TestRestartChangesNothing(t *testing.T) {
	results := map[string]string{}
	for _, how := range []string{"running", "restarted", "synced"} {
		root := t.TempDir()
		treetest.Write(t, root, "specs/1_a"+meta, `{"status": "in_progress", "started_at": "2026-01-01T10:00:00Z", "partial_progress": {"stage": "phase_2_in_progress", "details": "Working."}}`)
		x := watchIn(t, root)
		if how != "running" {
			x.stop()
		}
		treetest.Write(t, root, "specs/1_a/handoffs/phase-1-handoff-20260101T103000Z.md", treetest.Document("one"))
		treetest.Write(t, root, "specs/2_b/handoffs/phase-1-handoff-20260101T103000Z.md", treetest.Document("two"))
		if how == "synced" {
			if err := tasksync.Run(t.Context(), x.w, tasksync.Request{}, func(s tasksync.Result) error { return s.Err }); err != nil {
				t.Fatal(err)
			}
		}
		if how != "running" {
			x = watchIn(t, root)
		}
		x.settle()
		results[how] = x.read("specs/1_a"+meta) + x.read("specs/2_b"+meta)
		x.stop()
	}
	for how, text := range results {
		if text != results["running"] || !strings.Contains(text, `"handoff_path": "specs/2_b/`) || !strings.Contains(text, `"handoff_path": "specs/1_a/`) {
			t.Errorf("%s:\n%s\nrunning:\n%s", how, text, results["running"])
		}
	}
}

// TestWrongClock hands over after an agent whose name said a time two hours ahead.
func TestWrongClock(t *testing.T) {
	now := time.Now().UTC()
	stamp := func(d time.Duration) string { return now.Add(d).Format(handoff.Stamp) }
	root := t.TempDir()
	os.MkdirAll(filepath.Join(root, "specs"), 0o755)
	x := watchIn(t, root)
	fast := "specs/1_a/handoffs/phase-1-handoff-" + stamp(2*time.Hour) + ".md"
	treetest.WriteDocument(t, root, fast)
	x.linked(fast)
	text := strings.NewReplacer(`"partial"`, `"in_progress"`, "context_exhaustion_handoff", "phase_2_in_progress").Replace(x.read("specs/1_a" + meta))
	treetest.Write(t, root, "specs/1_a"+meta, strings.Replace(text, "{", `{"started_at": "`+now.Add(2*time.Second).Format(time.RFC3339)+`",`, 1))
	x.settle()
	if text := x.read("specs/1_a" + meta); !strings.Contains(text, "phase_2_in_progress") {
		t.Fatalf("a handoff that was taken up is presented again:\n%s", text)
	}
	second := "specs/1_a/handoffs/phase-2-handoff-" + stamp(20*time.Second) + ".md"
	treetest.WriteDocument(t, root, second)
	x.linked(second)
	for range 2 {
		x.settle()
		if text := x.read("specs/1_a" + meta); !strings.Contains(text, `"handoff_path": "`+second+`"`) {
			t.Fatalf("the handoff that was written last is not presented:\n%s", text)
		}
		x.stop()
		x = watchIn(t, root)
		x.written = 50
	}
}

// TestHoldsStill writes a handoff while git changes the tree, and expects metadata after it.
func TestHoldsStill(t *testing.T) {
	root := repository(t)
	treetest.WriteDocument(t, root, "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
	treetest.Write(t, root, "specs/1_a"+meta, `{"status": "partial"}`)
	commit(t, root)
	x := watchIn(t, root)
	before := x.read("specs/1_a" + meta)
	for name, op := range map[string][2][]string{
		"lock":   {{"update-index", "--refresh"}},
		"bisect": {{"bisect", "start"}, {"bisect", "reset"}},
	} {
		lock := filepath.Join(root, ".git/index.lock")
		if name == "lock" {
			os.WriteFile(lock, nil, 0o644)
		} else {
			git(t, root, op[0]...)
		}
		doc := x.write("specs/1_a", 2)
		waittest.Until(t, "word that it waits", func() bool {
			s, err := Ask(t.Context(), x.w)
			return err == nil && s.Git != "" && s.Queue > 0
		})
		if now := x.read("specs/1_a" + meta); now != before {
			t.Errorf("%s: written meanwhile: %s", name, now)
		}
		if name == "lock" {
			os.Remove(lock)
		} else {
			git(t, root, op[1]...)
		}
		x.linked(doc)
		before = x.read("specs/1_a" + meta)
	}
}

// TestCommittedIsLeftAlone starts a watch in a clean checkout of a team that has none.
func TestCommittedIsLeftAlone(t *testing.T) {
	root := repository(t)
	treetest.WriteDocument(t, root, "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
	treetest.Write(t, root, "specs/1_a"+meta, `{"status": "partial"}`)
	treetest.Write(t, root, "specs/1_a/progress/phase-1-progress.json", `{"phase": 1}`)
	commit(t, root)
	x := watchIn(t, root)
	x.settle()
	if out := git(t, root, "status", "--porcelain", "-uno"); out != "" {
		t.Errorf("changed: %s", out)
	}
	x.same()
	if _, err := tasksync.One(t.Context(), x.w, tasksync.Request{Tasks: []string{"specs/1_a"}}); err != nil {
		t.Fatal(err)
	}
	x.linked("specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
	git(t, root, "checkout", "-q", "--", "specs/1_a")
	doc := x.write("specs/1_a", 2)
	x.linked(doc, "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md")
}

// TestIndexIsWritten takes a commit back and leaves its files: nothing in specs changes, but git
// does not have them any more, so they are linked.
func TestIndexIsWritten(t *testing.T) {
	root := repository(t)
	doc := "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md"
	treetest.WriteDocument(t, root, doc)
	treetest.Write(t, root, "specs/1_a"+meta, `{"status": "partial"}`)
	commit(t, root)
	x := watchIn(t, root)
	x.settle()
	if treetest.Linked(root, doc) {
		t.Fatal("linked in a committed file")
	}
	git(t, root, "reset", "-q", "--mixed", "HEAD^")
	if s, err := Ask(t.Context(), x.w); err != nil || s.Queue == 0 && !treetest.Linked(root, doc) {
		t.Errorf("queue %d, %v: want it not empty before the files are looked at again", s.Queue, err)
	}
	x.linked(doc)
}

// TestCleanedBundles removes what git ignores and does not track.
func TestCleanedBundles(t *testing.T) {
	root := repository(t)
	os.MkdirAll(filepath.Join(root, "specs"), 0o755)
	x := watchIn(t, root)
	doc := x.write("specs/1_a", 1)
	x.linked(doc)
	commit(t, root)
	git(t, root, "clean", "-qfdx")
	x.linked(doc)
}

// TestOtherRepository takes the repository away under a watch and makes another one: the user is told once, each time.
func TestOtherRepository(t *testing.T) {
	root := repository(t)
	said := make(chan string, 10)
	watchOf(t, workspace.New(root, config.Default(), workspace.Options{}), func(r *Request) {
		r.Look, r.Say = 10*time.Millisecond, func(s string) { said <- s }
	})
	for i := range 2 {
		// At once: a watch that looks while files are deleted one by one may report that twice.
		if err := os.Rename(filepath.Join(root, ".git"), fmt.Sprintf("%s.git%d", root, i)); err != nil {
			t.Fatal(err)
		}
		if s := waittest.For(t, "the watch to notice", said); !strings.Contains(s, "the git repository was deleted or made anew") {
			t.Errorf("said %q", s)
		}
		git(t, filepath.Dir(root), "init", "-q", root)
		mark := filepath.Join(root, ".git", "handoff", "mark")
		waittest.Until(t, "a mark of the new repository", func() bool { _, err := os.Stat(mark); return err == nil })
	}
	if len(said) > 0 {
		t.Errorf("said again: %q", <-said)
	}
}
