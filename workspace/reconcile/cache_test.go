package reconcile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/file/regular"
	"handoff/internal/testing/needs"
	"handoff/log/artifact"
)

// crowd is a folder of many documents that are older than the racy time, and a
// cache for it.
type crowd struct {
	*testing.T
	root  string
	store *artifact.Store
	cache *Cache
	now   time.Time
}

const crowdTask = "specs/1_a"

func newCrowd(t *testing.T, documents int) *crowd {
	t.Helper()
	c := &crowd{T: t, root: t.TempDir(), now: time.Now().Add(time.Hour)}
	c.cache = &Cache{Now: func() time.Time { return c.now }}
	if err := os.MkdirAll(filepath.Join(c.root, crowdTask, "handoffs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range documents {
		c.write(i, fmt.Sprint(i))
	}
	var err error
	if c.store, err = artifact.Open(c.root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.store.Close() })
	folder, err := regular.OpenFolder(filepath.Join(c.root, crowdTask, "handoffs"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if _, ok, err := folder.Stamp(filepath.Base(c.path(0))); err != nil {
		t.Fatal(err)
	} else if !ok {
		needs.Linux(t, "elsewhere nothing is kept")
	}
	return c
}

func (c *crowd) path(i int) string {
	at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
	return crowdTask + "/handoffs/phase-1-handoff-" + at.Format("20060102T150405Z") + ".md"
}

func (c *crowd) write(i int, action string) {
	c.Helper()
	text := "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `" + action + "`.\n"
	if err := os.WriteFile(filepath.Join(c.root, c.path(i)), []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
}

// reads loads the folder and returns how many documents were read for it. The
// result must be the same as without a cache.
func (c *crowd) reads() int {
	c.Helper()
	before := c.cache.read
	load := Loader{Cache: c.cache}
	got, err := load.Load(context.Background(), c.root, c.store, crowdTask)
	if err != nil {
		c.Fatal(err)
	}
	want, err := new(Loader).Load(context.Background(), c.root, c.store, crowdTask)
	if err != nil {
		c.Fatal(err)
	}
	if g, w := crowdText(got), crowdText(want); g != w {
		c.Errorf("loaded\n%s\nwant\n%s", g, w)
	}
	return c.cache.read - before
}

func crowdText(s State) string {
	var text strings.Builder
	for _, d := range s.Documents {
		l, _ := s.linkOf(d)
		fmt.Fprintln(&text, d.Path, d.Name, len(d.Doc.Source), l.id, len(s.bytes(l)))
	}
	return text.String()
}

func (c *crowd) wants(what string, reads int) {
	c.Helper()
	if got := c.reads(); got != reads {
		c.Errorf("%s: %d documents were read, want %d", what, got, reads)
	}
}

func TestCacheReadsWhatChanged(t *testing.T) {
	const many = 200
	c := newCrowd(t, many)
	file := func(i int) string { return filepath.Join(c.root, c.path(i)) }
	c.wants("at first", many)
	c.wants("at rest", 0)
	c.write(many, "new")
	c.wants("one more", 1)
	c.write(3, "3") // as it was
	c.wants("written again", 1)
	if err := os.Remove(file(4)); err != nil {
		t.Fatal(err)
	}
	c.wants("one less", 0)
	c.write(4, "4")
	c.wants("there again", 1)

	st, err := os.Stat(file(5)) // a file of the same size and time takes the place of another
	if err != nil {
		t.Fatal(err)
	}
	c.write(many+1, "x")
	if err := os.Rename(file(many+1), file(5)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file(5), st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	c.wants("replaced", 1)
	if err := os.Remove(file(6)); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, file(7), file(6)) // what it leads to changes by itself
	c.wants("a link", 0)
	c.write(7, "other")
	c.wants("the file of a link", 1)
	c.now = c.now.Add(keptFor)
	c.wants("after five minutes", len(c.cache.tasks[crowdTask+"/handoffs"]))
}

// A document that was changed just before it was read is read again: a later
// change could have the same time.
func TestCacheRacyTimes(t *testing.T) {
	const many = 40
	c := newCrowd(t, many)
	c.now = time.Now()
	c.wants("at first", many)
	c.wants("too young to be known", many)
	c.now = time.Now().Add(2 * racy)
	c.wants("old enough", many) // an earlier read is not good enough
	c.wants("at rest", 0)
}

func TestCacheIsBounded(t *testing.T) {
	c := newCrowd(t, manyDocuments-1)
	c.wants("a folder of few", 0)
	if len(c.cache.tasks) != 0 {
		t.Error("a folder of few is kept")
	}
	c = newCrowd(t, 40)
	large := strings.Repeat("x", keptBytes/20)
	for i := range 40 {
		c.write(i, large)
	}
	c.reads()
	if n := len(c.cache.tasks[crowdTask+"/handoffs"]); n == 0 || n >= 20 || c.cache.size > keptBytes {
		t.Errorf("%d documents of %d bytes are kept", n, c.cache.size)
	}
	c.cache.replace("specs/2_b/handoffs", c.cache.tasks[crowdTask+"/handoffs"])
	if len(c.cache.tasks) != 1 || c.cache.size > keptBytes {
		t.Errorf("%d folders of %d bytes are kept", len(c.cache.tasks), c.cache.size)
	}
	c.cache.replace("specs/2_b/handoffs", nil)
	if c.cache.size != 0 {
		t.Errorf("%d bytes of nothing", c.cache.size)
	}
}
