package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/state"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
)

// indexedChanges is how many changes of a tree TestSameWithIndex makes.
var indexedChanges = flag.Int("indexed", 8, "changes of a tree after which all reading commands are compared, with the index of tasks and without")

// indexedCommands read many tasks, most of them with the index.
var indexedCommands = [][]string{{"next", "--json"}, {"next", "-n", "0"}, {"next", "--json", "-n", "1000"}, {"next", "--task", "7"}, {"top", "--json"}, {"ls", "-n", "0"}, {"ls", "--json"}, {"ls", "--all", "--json"},
	{"brief", "latest"}, {"brief", "7"}, {"show", "latest"}, {"show", "1/2"}, {"search", "--json", "do"}, {"lint"}, {"verify", "--json"}}

// indexedTree is a repository with an index of its tasks.
type indexedTree struct {
	*testing.T
	*rand.Rand
	root    string
	indexes []string // of tasks, and of documents
	at      time.Time
	one     bool // all documents are in the folder of one task
	layout  bool // they are in folders of thoughts/
}

// TestSameWithIndex: whatever happens to a tree, each reading command says the same with the index of tasks as without it.
func TestSameWithIndex(t *testing.T) {
	for _, kind := range []string{"tasks", "task", "layout"} {
		t.Run(kind, func(t *testing.T) { sameWithIndex(t, kind) })
	}
}

func sameWithIndex(t *testing.T, kind string) {
	needs.Tool(t, "git")
	x := &indexedTree{T: t, Rand: rand.New(rand.NewPCG(5, 6)), root: t.TempDir(), at: time.Now(), one: kind == "task", layout: kind == "layout"}
	for _, name := range []string{state.TaskIndex, state.DocumentIndex} {
		x.indexes = append(x.indexes, filepath.Join(x.root, ".git", "handoff", name))
	}
	x.git("init", "-q")
	for task := range indexedTasks {
		for phase := 1; phase <= 4; phase++ {
			x.write(task, phase, "do")
		}
		if task%3 == 0 {
			x.metadata(task, []string{"partial", "in_progress", "completed", "blocked"}[task/3%4])
		}
	}
	x.git("add", "-A")
	x.git("commit", "-qm", "all")
	time.Sleep(2100 * time.Millisecond) // what was just written is read again
	x.answers("next")
	x.answers("ls", "--json")
	for i, index := range x.indexes {
		if _, err := os.Stat(index); err != nil && (i == 1 || !x.layout) {
			t.Fatal(err, x.answers("ls", "-n", "3"))
		}
	}
	x.compare("at first")
	for range *indexedChanges {
		n := x.IntN(len(indexedChange))
		indexedChange[n].make(x, x.IntN(indexedTasks))
		x.compare(indexedChange[n].what)
	}
}

const indexedTasks = 50

func (x *indexedTree) document(task, phase int) string {
	if x.layout {
		return filepath.Join(x.root, "thoughts", "shared", "handoffs", fmt.Sprintf("ENG-%d", task+1), fmt.Sprintf("2026-02-12_14-%02d-00_do.md", phase))
	}
	if x.one {
		return filepath.Join(x.root, "specs", "1_task", "handoffs", fmt.Sprintf("phase-%d-handoff-20260212T14%02d%02dZ.md", phase, task, phase))
	}
	return filepath.Join(x.root, "specs", fmt.Sprintf("%d_task", task+1), "handoffs", fmt.Sprintf("phase-%d-handoff-20260212T14%02d00Z.md", phase, phase))
}

func (x *indexedTree) write(task, phase int, next string) {
	rel, _ := filepath.Rel(x.root, x.document(task, phase))
	treetest.Write(x, x.root, filepath.ToSlash(rel), strings.Replace(treetest.Document("a.go"), "## Immediate Next Action\n", "## Immediate Next Action\n"+next+". ", 1))
}

func (x *indexedTree) metadata(task int, status string) {
	if x.layout {
		return // with a task folder known places are not looked for
	}
	if x.one {
		task = 0
	}
	treetest.Write(x, x.root, fmt.Sprintf("specs/%d_task/.return-meta.json", task+1), fmt.Sprintf(`{"status": %q}`, status))
}

func (x *indexedTree) git(args ...string) {
	x.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-C", x.root}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		x.Fatalf("git %s: %s", args, out)
	}
}

// answers is what a command says, with its errors.
func (x *indexedTree) answers(args ...string) string {
	var out, talk strings.Builder
	w := worldAt(x.root, &out, &talk)
	w.Now = func() time.Time { return x.at }
	w.Stdin = strings.NewReader("{}")
	code := run(x.Context(), w, args)
	return fmt.Sprintf("%s%s\n%d", out.String(), talk.String(), code)
}

func (x *indexedTree) compare(what string) {
	x.Helper()
	for _, args := range indexedCommands {
		got := x.answers(args...)
		var back []string
		for _, index := range x.indexes {
			if os.Rename(index, index+".aside") == nil {
				back = append(back, index)
			}
		}
		want := x.answers(args...)
		for _, index := range back {
			_ = os.Rename(index+".aside", index)
		}
		if got != want {
			x.Fatalf("%s, %q: with the index\n%s\nwithout\n%s", what, args, got, want)
		}
	}
}

var indexedChange = []struct {
	what string
	make func(x *indexedTree, task int)
}{
	{"edited in place, with size and time as before", func(x *indexedTree, task int) {
		full := x.document(task, 3)
		st, err := os.Stat(full)
		if err != nil {
			return
		}
		src, err := os.ReadFile(full)
		if err = errors.Join(err, os.WriteFile(full, []byte(strings.Replace(string(src), "do.", "be.", 1)), 0o644), os.Chtimes(full, st.ModTime(), st.ModTime())); err != nil {
			x.Fatal(err)
		}
	}},
	{"an older one edited", func(x *indexedTree, task int) { x.write(task, 1, "do more") }},
	{"an older one in conflict", func(x *indexedTree, task int) { x.write(task, 2, "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n") }},
	{"written", func(x *indexedTree, task int) { x.write(task, 5, "go on") }},
	{"in conflict", func(x *indexedTree, task int) { x.write(task, 6, "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n") }},
	{"renamed", func(x *indexedTree, task int) { _ = os.Rename(x.document(task, 3), x.document(task, 9)) }},
	{"deleted", func(x *indexedTree, task int) { _ = os.Remove(x.document(task, 3)) }},
	{"a task deleted", func(x *indexedTree, task int) {
		if x.one {
			for phase := range 10 {
				_ = os.Remove(x.document(task, phase))
			}
			return
		}
		_ = os.RemoveAll(filepath.Dir(filepath.Dir(x.document(task, 1))))
	}},
	{"times set back", func(x *indexedTree, task int) {
		long := time.Unix(1e9, 0)
		_ = errors.Join(os.Chtimes(x.document(task, 2), long, long), os.Chtimes(filepath.Dir(x.document(task, 2)), long, long))
	}},
	{"written, with the folder's time as before", func(x *indexedTree, task int) {
		dir := filepath.Dir(x.document(task, 1))
		st, err := os.Stat(dir)
		if x.write(task, 7, "go on"); err == nil {
			_ = os.Chtimes(dir, st.ModTime(), st.ModTime())
		}
	}},
	{"the indexes of another form", func(x *indexedTree, _ int) {
		x.damage(func(src []byte) []byte {
			return []byte(strings.NewReplacer("tasks ", "tasks 9", "documents ", "documents 9").Replace(string(src)))
		})
	}},
	{"the indexes cut", func(x *indexedTree, task int) {
		x.damage(func(src []byte) []byte { return src[:len(src)*task/indexedTasks] })
	}},
	{"the indexes are links to nothing", func(x *indexedTree, _ int) {
		for _, index := range x.indexes {
			_ = errors.Join(os.Remove(index), os.Symlink("nothing", index))
		}
	}},
	{"renamed to another one", func(x *indexedTree, task int) { _ = os.Rename(x.document(task, 2), x.document(task, 3)) }},
	{"checked out as it was", func(x *indexedTree, _ int) { x.git("checkout", "-q", "-f", "HEAD~0") }},
	{"a folder is a link", func(x *indexedTree, task int) {
		at := filepath.Dir(x.document(task, 1))
		_ = errors.Join(os.Rename(at, filepath.Join(x.root, fmt.Sprintf("folder-%d", task))), os.Symlink(filepath.Join(x.root, fmt.Sprintf("folder-%d", task)), at))
	}},
	{"a document is a link", func(x *indexedTree, task int) {
		at := x.document(task, 3)
		_ = errors.Join(os.Rename(at, filepath.Join(x.root, fmt.Sprintf("moved-%d.md", task))), os.Symlink(fmt.Sprintf("../../../moved-%d.md", task), at))
	}},
	{"metadata written", func(x *indexedTree, task int) { x.metadata(task, "partial") }},
	{"a task finished", func(x *indexedTree, task int) { x.metadata(task, "completed") }},
	{"metadata damaged", func(x *indexedTree, task int) { x.metadata(task, "\n") }},
	{"claimed", func(x *indexedTree, task int) { x.answers("claim", fmt.Sprint(task+1), "--as", "a", "--ttl", "1h") }},
	{"done", func(x *indexedTree, task int) { x.answers("done", fmt.Sprint(task+1), "--as", "a") }},
	{"a session started", func(x *indexedTree, _ int) { x.answers("hook", "session-start", "--host", "claude") }},
	{"two hours later", func(x *indexedTree, _ int) { x.at = x.at.Add(2 * time.Hour) }},
	{"committed", func(x *indexedTree, _ int) { x.git("add", "-A"); x.git("commit", "-qm", "more", "--allow-empty") }},
	{"reset", func(x *indexedTree, _ int) { x.git("reset", "-q", "--hard") }},
	{"the indexes damaged", func(x *indexedTree, task int) {
		x.damage(func(src []byte) []byte {
			if len(src) > 0 {
				src[task*len(src)/indexedTasks] ^= 4
			}
			return src
		})
	}},
}

// damage changes what the indexes contain.
func (x *indexedTree) damage(change func([]byte) []byte) {
	for _, index := range x.indexes {
		if src, err := os.ReadFile(index); err == nil {
			_ = os.WriteFile(index, change(src), 0o600)
		}
	}
}
