package documents

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/config"
)

// indexed is a workspace of some tasks with an index.
type indexed struct {
	*testing.T
	w     *workspace.Workspace
	late  time.Duration // what the clock is ahead
	tasks int
}

const indexedTasks = 60

// newIndexed makes a tree that is old enough to be relied on, and its index.
func newIndexed(t *testing.T) *indexed {
	needs.Tool(t, "git")
	x := &indexed{T: t, tasks: indexedTasks}
	root := t.TempDir()
	x.w = workspace.New(root, config.Default(), workspace.Options{Now: func() time.Time { return time.Now().Add(x.late) }})
	x.git("init", "-q")
	for i := range x.tasks {
		for phase := range 3 {
			x.write(x.document(i, phase+1), fmt.Sprintf("do %d of %d", phase, i))
		}
		if i%3 == 0 {
			treetest.Write(t, root, x.dir(i)+"/"+handoff.MetadataFile, fmt.Sprintf(`{"status": %q}`, []string{"partial", "in_progress", "completed", "blocked"}[i/3%4]))
		}
		if i%7 == 0 { // the order of these is asked of git
			x.write(x.dir(i)+"/handoffs/phase-4-handoff.md", "say")
			x.write(x.dir(i)+"/handoffs/phase-5-handoff.md", "do")
		}
	}
	x.git("add", "-A")
	x.git("commit", "-qm", "all")
	time.Sleep(unsure + 100*time.Millisecond)
	x.list(false)
	return x
}

func (x *indexed) git(args ...string) {
	x.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-C", x.w.Root}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		x.Fatalf("git %s: %s", args, out)
	}
}

func (x *indexed) dir(i int) string { return fmt.Sprintf("specs/%d_task", i+1) }

func (x *indexed) document(i, phase int) string {
	return fmt.Sprintf("%s/handoffs/phase-%d-handoff-20260212T14%02d00Z.md", x.dir(i), phase, phase)
}

func (x *indexed) write(path, next string) {
	x.Helper()
	treetest.Write(x, x.w.Root, path, strings.Replace(treetest.Document("a.go"), "## Immediate Next Action\n", "## Immediate Next Action\n"+next+". ", 1))
}

func (x *indexed) list(unfinished bool) []Task {
	x.Helper()
	list, err := listTasks(x.Context(), x.w, func(handoff.Name) bool { return true }, look{unfinished: unfinished})
	if err != nil {
		x.Fatal(err)
	}
	return list
}

// compare compares what is known of all tasks with the index and without it.
func (x *indexed) compare(what string) {
	x.Helper()
	for _, unfinished := range []bool{true, false, true} {
		dirs, err := x.w.Tasks(x.Context())
		if err != nil {
			x.Fatal(err)
		}
		want, err := readTasks(x.Context(), x.w, dirs, look{unfinished: unfinished}, nil)
		if err != nil {
			x.Fatal(err)
		}
		got := x.list(unfinished)
		for _, list := range [][]Task{got, want} {
			slices.SortFunc(list, func(a, b Task) int { return strings.Compare(a.Dir, b.Dir) })
		}
		for i := range min(len(got), len(want)) {
			if d := want[i].Until.Sub(got[i].Until); 0 < d+time.Minute && d < time.Minute { // now, if the clock decides
				got[i].Until = want[i].Until
			}
			if !reflect.DeepEqual(got[i], want[i]) {
				x.Fatalf("%s: with the index\n%+v\nwithout\n%+v", what, got[i], want[i])
			}
		}
		if len(got) != len(want) {
			x.Fatalf("%s: %d tasks with the index, %d without", what, len(got), len(want))
		}
	}
}

// counted is how many tasks the index answers for.
func (x *indexed) counted() (n int) {
	index := openIndex(x.w, x.tasks, x.tasks)
	defer index.close()
	for i := range x.tasks {
		lives := histories{lives: livesOf(x.w, x.tasks), now: x.w.Now()}
		if _, known := index.sight(x.dir(i), &lives, look{}); known {
			n++
		}
	}
	return n
}

func (x *indexed) record(path string, decide receipt.Decision) {
	x.Helper()
	store, err := x.w.Receipts()
	if err == nil {
		_, err = store.Record(x.Context(), store.Place().Path(path), decide)
	}
	if err != nil {
		x.Fatal(err)
	}
}

// TestIndexHistories: whatever happens to a tree, the index does not change what is found.
func TestIndexHistories(t *testing.T) {
	x := newIndexed(t)
	x.compare("at first")
	if n := x.counted(); n < indexedTasks-2 {
		t.Errorf("the index answers for %d tasks of %d", n, indexedTasks)
	}
	r := rand.New(rand.NewPCG(1, 2))
	acts := slices.Sorted(maps.Keys(indexedActs))
	r.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
	for _, what := range acts {
		indexedActs[what](x, r.IntN(x.tasks))
		x.compare(what)
	}
}

var indexedActs = map[string]func(x *indexed, i int){
	"edited in place, with size and time as before": func(x *indexed, i int) {
		full := x.w.Full(x.document(i, 3))
		st, err := os.Stat(full)
		if err != nil {
			return // it was renamed
		}
		src, err := os.ReadFile(full)
		if err == nil {
			src = bytes.Replace(src, []byte("do "), []byte("be "), 1)
			err = errors.Join(os.WriteFile(full, src, 0o644), os.Chtimes(full, st.ModTime(), st.ModTime()))
		}
		if err != nil {
			x.Fatal(err)
		}
	},
	"an older one is another text": func(x *indexed, i int) {
		for n, text := range []string{"", "\xff\x00", "# Phase 1 Completion Report\n\n**Status**: COMPLETED\n", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", strings.Repeat("x", 2<<20)} {
			full := x.w.Full(x.document((i+n)%x.tasks, 1+n%2))
			if _, err := os.Stat(full); err == nil {
				_ = os.WriteFile(full, []byte(text), 0o644)
			}
		}
	},
	"renamed": func(x *indexed, i int) {
		_ = os.Rename(x.w.Full(x.document(i, 1)), x.w.Full(x.document(i, 9)))
	},
	"deleted":    func(x *indexed, i int) { _ = os.Remove(x.w.Full(x.document(i, 2))) },
	"written":    func(x *indexed, i int) { x.write(x.document(i, 5), "more") },
	"a conflict": func(x *indexed, i int) { x.write(x.document(i, 6), "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n") },
	"from a zone": func(x *indexed, i int) {
		x.write(x.dir(i)+"/handoffs/phase-7-handoff.md", "**Time**: 2026-02-12T15:00:00+05:30\n")
	},
	"of the future": func(x *indexed, i int) {
		x.write(fmt.Sprintf("%s/handoffs/phase-8-handoff-%s.md", x.dir(i), x.w.Now().Add(30*time.Hour).UTC().Format(handoff.Stamp)), "x")
	},
	"a day and a half later": func(x *indexed, i int) { x.late += 36 * time.Hour },
	"the clock set back":     func(x *indexed, i int) { x.late -= 12 * time.Hour },
	"metadata written": func(x *indexed, i int) {
		treetest.Write(x, x.w.Root, x.dir(i)+"/"+handoff.MetadataFile, `{"status": "in_progress", "requires_user_review": true}`)
	},
	"metadata of a finished task": func(x *indexed, i int) {
		treetest.Write(x, x.w.Root, x.dir(i)+"/"+handoff.MetadataFile, `{"status": "completed"}`)
	},
	"metadata damaged": func(x *indexed, i int) {
		treetest.Write(x, x.w.Root, x.dir(i)+"/"+handoff.MetadataFile, `{"status": "compl`)
	},
	"metadata that points": func(x *indexed, i int) {
		treetest.Write(x, x.w.Root, x.dir(i)+"/"+handoff.MetadataFile, fmt.Sprintf(`{"status": "partial", "partial_progress": {"handoff_path": %q}}`, x.document(i, 9)))
	},
	"metadata deleted": func(x *indexed, i int) { _ = os.Remove(x.w.Full(x.dir(i) + "/" + handoff.MetadataFile)) },
	"claimed": func(x *indexed, i int) {
		for range 4 { // some of them wait
			i = (i + 1) % x.tasks
			m := receipt.Moment{Now: x.w.Now()}
			x.record(x.document(i, 3), m.Claim(receipt.ClaimRequest{By: "a", TTL: time.Hour, ID: func() string { return "r" }, Force: true, Why: "x"}))
		}
	},
	"a lease ended": func(x *indexed, i int) { x.late += 2 * time.Hour },
	"two tasks exchanged": func(x *indexed, i int) {
		a, b, aside := x.w.Full(x.dir(i)), x.w.Full(x.dir((i+1)%x.tasks)), x.w.Full("aside")
		if err := errors.Join(os.Rename(a, aside), os.Rename(b, a), os.Rename(aside, b)); err != nil {
			x.Fatal(err)
		}
	},
	"a document that is a link": func(x *indexed, i int) {
		at := x.w.Full(x.document(i, 3))
		_ = os.Rename(at, x.w.Full(fmt.Sprintf("moved-%d.md", i)))
		_ = os.Symlink(fmt.Sprintf("../../../moved-%d.md", i), at)
	},
	"committed": func(x *indexed, i int) {
		x.git("add", "-A")
		x.git("commit", "-qm", "more", "--allow-empty")
	},
	"checked out": func(x *indexed, i int) {
		x.git("add", "-A")
		x.git("stash", "-q")
		x.git("checkout", "-q", "--detach", "HEAD")
	},
	"reset": func(x *indexed, i int) { x.git("reset", "-q", "--hard", "HEAD~0") },
	"settled": func(x *indexed, i int) {
		time.Sleep(unsure / 4)
		_ = os.Remove(openIndex(x.w, x.tasks, x.tasks).file.Path)
		x.list(true)
	},
	"the index damaged": func(x *indexed, i int) {
		at := openIndex(x.w, x.tasks, x.tasks).file.Path
		if src, err := os.ReadFile(at); err == nil && len(src) > 0 {
			src[i*len(src)/x.tasks] ^= 4
			_ = os.WriteFile(at, src, 0o600)
		}
	},
	"the index cut": func(x *indexed, i int) {
		at := openIndex(x.w, x.tasks, x.tasks).file.Path
		if st, err := os.Stat(at); err == nil {
			_ = os.Truncate(at, st.Size()/2)
		}
	},
}

// TestIndexUnsure: what was changed shortly before the first file was read, or after that, is read again. Here
// reading takes longer than the tree exists.
func TestIndexUnsure(t *testing.T) {
	x := newIndexed(t)
	if err := os.Remove(openIndex(x.w, x.tasks, x.tasks).file.Path); err != nil {
		t.Fatal(err)
	}
	var calls atomic.Int64
	now := x.w.Options.Now
	x.w.Options.Now = func() time.Time { return now().Add(time.Duration(calls.Add(1)) * 10 * time.Second) }
	x.list(false)
	x.late = 24 * time.Hour
	x.w.Options.Now = now
	if n := x.counted(); n != 0 || len(openIndex(x.w, x.tasks, x.tasks).at) == 0 {
		t.Errorf("the index answers for %d tasks", n)
	}
	x.compare("unsure")
}

// TestIndexOfHead: a commit can decide which document is the newest though no file changes.
func TestIndexOfHead(t *testing.T) {
	x := newIndexed(t)
	const i = 1
	first, second := x.dir(i)+"/handoffs/phase-4-handoff.md", x.dir(i)+"/handoffs/phase-5-handoff.md"
	x.git("rm", "-q", x.document(i, 1), x.document(i, 2), x.document(i, 3))
	x.write(first, "one")
	x.write(second, "two")
	time.Sleep(unsure + 100*time.Millisecond)
	if err := os.Remove(openIndex(x.w, x.tasks, x.tasks).file.Path); err != nil {
		t.Fatal(err)
	}
	x.list(false)
	index := openIndex(x.w, x.tasks, x.tasks)
	answers := func() bool {
		_, known := index.sight(x.dir(i), &histories{lives: livesOf(x.w, 1), now: x.w.Now()}, look{})
		return known
	}
	if !answers() {
		t.Error("the index does not answer while HEAD is the same")
	}
	x.git("add", first)
	x.git("commit", "-qm", "first")
	if index = openIndex(x.w, x.tasks, x.tasks); answers() {
		t.Error("the index answers after a commit")
	}
	x.compare("the first one is committed")
}

// TestIndexElsewhere: an index of another workspace or time, and one that cannot be written, are as none.
func TestIndexElsewhere(t *testing.T) {
	x := newIndexed(t)
	file := openIndex(x.w, x.tasks, x.tasks).file
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(x.w.Root, moved); err != nil {
		t.Fatal(err)
	}
	was := x.w
	x.w = workspace.New(moved, config.Default(), was.Options)
	if n := x.counted(); n != 0 {
		t.Errorf("an index of another folder answers for %d tasks", n)
	}
	if err := os.Rename(moved, was.Root); err != nil {
		t.Fatal(err)
	}
	x.w = was
	x.late = -time.Hour
	if n := x.counted(); n != 0 {
		t.Errorf("an index of the future answers for %d tasks", n)
	}
	x.late = 0
	if err := errors.Join(os.Remove(file.Path), os.Mkdir(file.Path, 0o755)); err != nil {
		t.Fatal(err)
	}
	x.compare("a folder instead of the index")
}

// TestIndexOfAFew: readers of a small tree write nothing.
func TestIndexOfAFew(t *testing.T) {
	x := &indexed{T: t, tasks: 3}
	x.w = workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	for i := range x.tasks {
		x.write(x.document(i, 1), "do")
	}
	x.list(false)
	if entries, err := os.ReadDir(x.w.Root); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestIndexAtOnce: several readers that write the index at once, while documents are written, leave one that changes nothing.
func TestIndexAtOnce(t *testing.T) {
	x := newIndexed(t)
	for round := range 4 {
		_ = os.Remove(openIndex(x.w, x.tasks, x.tasks).file.Path)
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				_, _ = listTasks(t.Context(), x.w, func(handoff.Name) bool { return true }, look{unfinished: round%2 == 0})
			})
		}
		for i := range 20 {
			x.write(x.document(i, 5+round), "more")
		}
		readers.Wait()
		x.compare("read and written at once")
	}
}

// TestNamesWithIndex: the names of documents are those of a listing, whatever becomes of a folder.
func TestNamesWithIndex(t *testing.T) {
	x := newIndexed(t)
	listed := func(i int) []string {
		names, _, err := workspace.NamesIn(x.w.Trusted(), x.w.Full(x.dir(i)+"/"+handoff.Folder), "")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return names
	}
	known := func(i int) ([]string, bool) {
		index := openIndex(x.w, x.tasks, x.tasks)
		defer index.close()
		return index.names(x.dir(i))
	}
	for i := range x.tasks {
		if names, ok := known(i); ok && !slices.Equal(names, listed(i)) || !ok && i > 2 {
			t.Errorf("%s: %q, %t", x.dir(i), names, ok)
		}
	}
	x.write(x.document(3, 1), "edited in place")
	if names, ok := known(3); !ok || !slices.Equal(names, listed(3)) {
		t.Errorf("%q, %t after an edit of a document", names, ok)
	}
	for i, change := range []func(dir string) error{
		func(dir string) error { return os.WriteFile(dir+"/new.md", nil, 0o644) },
		func(dir string) error { return os.Remove(filepath.Join(x.w.Root, x.document(5, 1))) },
		func(dir string) error { return os.Rename(dir, dir+"s") },
		func(dir string) error { return errors.Join(os.Rename(dir, dir+"s"), os.Symlink("handoffss", dir)) },
	} {
		if err := change(x.w.Full(x.dir(4+i) + "/" + handoff.Folder)); err != nil {
			t.Fatal(err)
		}
		if names, ok := known(4 + i); ok {
			t.Errorf("change %d: the index answers %q", i, names)
		}
	}
}
