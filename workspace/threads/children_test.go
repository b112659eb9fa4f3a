package threads_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"handoff/log/thread"
)

// TestChildren: the threads that continue one are those of its tree, by way of the index and by listing all, also if the catalogue lacks
// threads, or has some that were deleted.
func TestChildren(t *testing.T) {
	root := t.TempDir()
	o := open(t, root)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	branch := func(parent, title string) string {
		t.Helper()
		b, err := o.Branch(t.Context(), parent, thread.BranchRequest{Title: &title, Key: title})
		must(err)
		return b.ThreadID
	}
	info, _, err := o.Create(t.Context(), thread.CreateRequest{})
	must(err)
	top := info.ThreadID
	first := branch(top, "first")
	second := branch(top, "second")
	below := branch(first, "below")
	branch(below, "last")
	_, err = o.Rename(t.Context(), second, thread.RenameRequest{Title: new("renamed")})
	must(err)
	_, err = o.Archive(t.Context(), second, thread.By{})
	must(err)
	same := func(when string) {
		t.Helper()
		for _, id := range []string{top, first, second, below} {
			if !o.Has(id) {
				continue
			}
			var got, want []string
			children, err := o.Children(t.Context(), id) // before the tree adds what is missing
			must(err)
			for _, c := range children {
				got = append(got, fmt.Sprintf("%s %q %v %s %d", c.ThreadID, *c.Title, c.Archived, c.Parent.Kind, c.Parent.Seq))
			}
			tree, err := o.Lineage(t.Context(), id)
			must(err)
			for tree.ThreadID != id {
				tree = tree.Children[0]
			}
			for _, n := range tree.Children {
				want = append(want, fmt.Sprintf("%s %q %v %s %d", n.ThreadID, *n.Title, n.Archived, n.Parent.Kind, n.Parent.Seq))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: children of %s:\n got %q\nwant %q", when, id, got, want)
			}
		}
	}
	file := func(id string) string { return filepath.Join(root, ".handoff/threads", id+".jsonl") }
	same("new")
	src, err := os.ReadFile(file(second))
	must(err)
	must(os.Remove(file(second)))
	same("deleted")
	must(os.WriteFile(file(second), src, 0o644))
	same("restored")
	must(o.Close())
	must(os.Remove(filepath.Join(root, ".handoff/threads.jsonl")))
	o = open(t, root)
	same("without a catalogue")
	for i := range 40 {
		branch(first, fmt.Sprint(i))
	}
	same("many")
	if _, err := o.Children(t.Context(), "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
