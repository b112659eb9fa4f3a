package overview_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
)

// changing is a tree that changes, with a board that is notified of changes.
type changing struct {
	t     *rapid.T
	root  string
	now   time.Time
	w     *workspace.Workspace
	book  *receipts.Book
	board overview.Board
	dirs  []string // task folders below specs
	made  int
}

func (c *changing) must(err error) {
	if err != nil {
		c.t.Helper()
		c.t.Fatal(err)
	}
}

func (c *changing) full(dir string) string {
	return filepath.Join(c.root, "specs", filepath.FromSlash(dir))
}

func (c *changing) any() string {
	if len(c.dirs) == 0 {
		c.t.Skip("no task")
	}
	return rapid.SampledFrom(c.dirs).Draw(c.t, "task")
}

func (c *changing) changed(dir string) { c.board.Changed("specs/" + dir) }

func (c *changing) add(*rapid.T) {
	c.made++
	dir := fmt.Sprintf("%s%d_task", rapid.SampledFrom([]string{"", "archive/", "group/"}).Draw(c.t, "in"), c.made)
	c.must(os.MkdirAll(filepath.Join(c.full(dir), "handoffs"), 0o755))
	c.dirs = append(c.dirs, dir)
	c.changed(dir)
}

func (c *changing) write(*rapid.T) {
	dir := c.any()
	at := c.now.Add(time.Duration(rapid.SampledFrom([]int{-1, 0, 1, 30}).Draw(c.t, "hours")) * time.Hour)
	name := fmt.Sprintf("phase-%d-handoff-%s.md", rapid.IntRange(1, 3).Draw(c.t, "phase"), at.Format("20060102T150405Z"))
	text := fmt.Sprintf("# Phase 1 Handoff\n\n## Immediate Next Action\nRun step %d.\n", c.made)
	c.must(os.WriteFile(filepath.Join(c.full(dir), "handoffs", name), []byte(text), 0o600))
	c.changed(dir)
}

func (c *changing) metadata(*rapid.T) {
	dir, file := c.any(), ".return-meta.json"
	text := rapid.SampledFrom([]string{"", "{", `{"status": "completed"}`, `{"status": "partial", "started_at": "2026-02-12T14:00:00Z"}`,
		`{"status": "in_progress", "requires_user_review": true}`}).Draw(c.t, "metadata")
	c.must(os.WriteFile(filepath.Join(c.full(dir), file), []byte(text), 0o600))
	c.changed(dir)
}

func (c *changing) remove(*rapid.T) {
	dir := c.any()
	c.must(os.RemoveAll(c.full(dir)))
	c.dirs = slices.DeleteFunc(c.dirs, func(d string) bool { return d == dir })
	c.changed(dir)
}

func (c *changing) rename(*rapid.T) {
	dir := c.any()
	c.made++
	to := fmt.Sprintf("%d_renamed", c.made)
	c.must(os.Rename(c.full(dir), c.full(to)))
	c.dirs[slices.Index(c.dirs, dir)] = to
	c.changed(to)
}

// step records a step of a handoff without notifying the board.
func (c *changing) step(*rapid.T) {
	found, err := filepath.Glob(filepath.Join(c.full(c.any()), "handoffs", "*.md"))
	c.must(err)
	if len(found) == 0 {
		c.t.Skip("no handoff")
	}
	target := receipts.Target{Dir: c.root, Ref: found[len(found)-1]}
	if rapid.Bool().Draw(c.t, "deliver") {
		_ = c.book.Deliver(context.Background(), target, "bob")
		return
	}
	ttl := time.Duration(rapid.IntRange(1, 90).Draw(c.t, "minutes")) * time.Minute
	_, _ = c.book.Claim(context.Background(), target, receipt.ClaimRequest{By: "ada", TTL: ttl, Force: true, Why: "test"}) // refused for some
}

func (c *changing) wait(*rapid.T) {
	c.now = c.now.Add(time.Duration(rapid.IntRange(1, 40*60).Draw(c.t, "minutes")) * time.Minute)
}

// same compares the board with an overview that reads everything.
func (c *changing) same(*rapid.T) {
	o := overview.Options{Archived: rapid.Bool().Draw(c.t, "archived")}
	want, err := overview.Now(context.Background(), c.w, o)
	c.must(err)
	got, err := c.board.Now(context.Background(), c.w, o)
	c.must(err)
	a, _ := json.MarshalIndent(got, "", " ")
	b, _ := json.MarshalIndent(want, "", " ")
	if string(a) != string(b) {
		c.t.Fatalf("the board shows\n%s\nthe overview is\n%s", a, b)
	}
}

// TestBoard changes a tree at random. A board that reads only what changed must show what
// an overview shows that reads everything.
func TestBoard(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := &changing{t: rt, root: filepath.Join(t.TempDir(), "tree"), now: start}
		c.must(os.MkdirAll(filepath.Join(c.root, "specs"), 0o755))
		defer os.RemoveAll(c.root)
		var err error
		c.w, err = workspace.Open(c.root, workspace.Options{Now: func() time.Time { return c.now }, NewID: func() string { c.made++; return fmt.Sprintf("id%d", c.made) }})
		c.must(err)
		c.book, err = receipts.Open(c.w)
		c.must(err)
		rt.Repeat(map[string]func(*rapid.T){"add": c.add, "write": c.write, "metadata": c.metadata, "remove": c.remove, "rename": c.rename, "step": c.step,
			"wait": c.wait, "": c.same})
	})
}

// A board without notifications rereads only what the clock changes.
func TestBoardReadsWhatChanged(t *testing.T) {
	root := t.TempDir()
	first := addTask(t, root, "1_first", "", name)
	addTask(t, root, "2_second", "", name)
	w := open(t, root, start)
	var b overview.Board
	rows := func() (handoffs []int) {
		v, err := b.Now(t.Context(), w, overview.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range v.Tasks {
			handoffs = append(handoffs, one.Handoffs)
		}
		return handoffs
	}
	rows()
	for _, dir := range []string{"1_first", "2_second"} {
		addTask(t, root, dir, "", "phase-2-handoff-20260212T144022Z.md")
	}
	if got := rows(); !slices.Equal(got, []int{1, 1}) {
		t.Errorf("told nothing: %v", got)
	}
	b.Changed(filepath.ToSlash(filepath.Dir(filepath.Dir(first))))
	if got := rows(); !slices.Equal(got, []int{1, 2}) && !slices.Equal(got, []int{2, 1}) {
		t.Errorf("told of one: %v", got)
	}
	b.Changed()
	if got := rows(); !slices.Equal(got, []int{2, 2}) {
		t.Errorf("told that everything may have changed: %v", got)
	}
}

func BenchmarkBoard(b *testing.B) {
	root := b.TempDir()
	for i := range 10_000 {
		addTask(b, root, fmt.Sprintf("%d_task", i+1), "", name)
	}
	w, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return start }})
	if err != nil {
		b.Fatal(err)
	}
	var board overview.Board
	if _, err := board.Now(b.Context(), w, overview.Options{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		board.Changed("specs/77_task")
		if v, err := board.Now(b.Context(), w, overview.Options{Limit: 50}); err != nil || v.Total != 10_000 {
			b.Fatal(v.Total, err)
		}
	}
}
