package seen

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/parse"
	"handoff/workspace/reconcile"
)

const (
	first = "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md"
	bare  = "specs/1_a/handoffs/phase-1-handoff.md"
)

// look asks a book about one document as it is on the disk, and records the answer.
func look(t *testing.T, b *Book, root, path string, ready bool, written ...string) (news bool) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	name := handoff.ParseName(path)
	s := reconcile.State{Dir: name.Dir, Documents: []reconcile.Document{{Path: path, Name: name, Doc: parse.Document(src)}}}
	list := b.News(t.Context(), s, Look{Copied: func(d reconcile.Document) bool { return strings.Contains(d.Path, "_copy") }, Now: time.Now(), Written: written, Ready: func(reconcile.Document, bool) bool { return ready }})
	if err := b.Record(name.Dir); err != nil {
		t.Fatal(err)
	}
	return len(list) == 1
}

// known is a book of a tree that is known from now on.
func known(t *testing.T, root string) *Book {
	t.Helper()
	b := Open(root)
	done, err := b.Start()
	if err == nil {
		err = done()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestNews follows a document through what happens to it. Each step is seen by a new book,
// as by another process.
func TestNews(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) { treetest.Write(t, root, path, treetest.Document(text)) }
	expect := func(what, path string, want bool) {
		t.Helper()
		if got := look(t, Open(root), root, path, true); got != want {
			t.Errorf("%s: news %v", what, got)
		}
	}
	write("specs/9_old/handoffs/phase-1-handoff-20260101T000000Z.md", "old")
	expect("before the tree is known", "specs/9_old/handoffs/phase-1-handoff-20260101T000000Z.md", false)
	known(t, root)
	expect("known from before", "specs/9_old/handoffs/phase-1-handoff-20260101T000000Z.md", false)
	write(first, "one")
	expect("written", first, true)
	expect("again", first, false)
	write(first, "one, edited")
	expect("edited", first, false)
	write("specs/1_a_v2/handoffs/phase-1-handoff-20260101T000000Z.md", "one, edited again")
	expect("renamed with its task, and edited", "specs/1_a_v2/handoffs/phase-1-handoff-20260101T000000Z.md", false)
	write("specs/3_c/handoffs/phase-1-handoff-20260101T000000Z.md", "one, edited")
	expect("the same words by another agent", "specs/3_c/handoffs/phase-1-handoff-20260101T000000Z.md", true)
	write("specs/7_g/handoffs/phase-1-handoff-20260101T000000Z.md", "one, edited")
	late := time.Now().Add(time.Minute)
	os.Chtimes(filepath.Join(root, "specs/7_g/handoffs/phase-1-handoff-20260101T000000Z.md"), late, late)
	expect("copied a minute later", "specs/7_g/handoffs/phase-1-handoff-20260101T000000Z.md", false)
	write("specs/6_copy/handoffs/phase-1-handoff-20260101T000000Z.md", "one, edited")
	expect("copied with its task", "specs/6_copy/handoffs/phase-1-handoff-20260101T000000Z.md", false)
	write("specs/archive/4_d/handoffs/phase-1-handoff-20260101T000001Z.md", "archived")
	expect("in an archive", "specs/archive/4_d/handoffs/phase-1-handoff-20260101T000001Z.md", false)
	write("specs/4_d/handoffs/phase-1-handoff-20260101T000001Z.md", "archived")
	expect("taken out of the archive", "specs/4_d/handoffs/phase-1-handoff-20260101T000001Z.md", false)
	write("specs/5_e/handoffs/phase-1-handoff-20260101T000002Z.md", "elsewhere")
	long := time.Now().Add(-time.Hour)
	os.Chtimes(filepath.Join(root, "specs/5_e/handoffs/phase-1-handoff-20260101T000002Z.md"), long, long)
	expect("moved here from elsewhere", "specs/5_e/handoffs/phase-1-handoff-20260101T000002Z.md", false)
	write(bare, "one step")
	expect("under a name without a time", bare, true)
	write(bare, "one step")
	expect("the same step", bare, false)
	write(bare, "another step")
	expect("another step under that name", bare, true)
}

// TestFirstLook: what was there before the first look at the tree is no news, what was
// written while it goes on is, or it would be linked never.
func TestFirstLook(t *testing.T) {
	root := t.TempDir()
	const old, young = "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md", "specs/2_b/handoffs/phase-1-handoff-20260101T000001Z.md"
	treetest.Write(t, root, old, treetest.Document("old"))
	before := time.Now().Add(-time.Second)
	os.Chtimes(filepath.Join(root, old), before, before)
	b := Open(root)
	done, err := b.Start()
	if err != nil {
		t.Fatal(err)
	}
	treetest.Write(t, root, young, treetest.Document("young"))
	after := time.Now().Add(time.Second)
	os.Chtimes(filepath.Join(root, young), after, after)
	if look(t, b, root, old, true) || !look(t, b, root, young, true) || look(t, b, root, young, true) {
		t.Error("only what was written during the look is news, once")
	}
	if err := done(); err != nil {
		t.Fatal(err)
	}
	if look(t, Open(root), root, old, true) || look(t, Open(root), root, young, true) {
		t.Error("news after the look")
	}
}

// TestCopiedFolder: the metadata of a copied task names only the newest of its documents. The
// others came with it; one of other words was written here.
func TestCopiedFolder(t *testing.T) {
	root := t.TempDir()
	known(t, root)
	const older, newer, own = "handoffs/phase-1-handoff-20260101T000000Z.md", "handoffs/phase-2-handoff-20260101T000001Z.md", "handoffs/phase-2-handoff-20260101T000002Z.md"
	for _, p := range []string{older, newer} {
		treetest.Write(t, root, "specs/1_a/"+p, treetest.Document(p))
		look(t, Open(root), root, "specs/1_a/"+p, true)
	}
	s := reconcile.State{Dir: "specs/2_b"}
	for _, p := range []string{older, newer, own} {
		text := treetest.Document(p)
		p = "specs/2_b/" + p
		treetest.Write(t, root, p, text)
		s.Documents = append(s.Documents, reconcile.Document{Path: p, Name: handoff.ParseName(p), Doc: parse.Document([]byte(text))})
	}
	named := func(d reconcile.Document) bool { return strings.HasSuffix(d.Path, newer) }
	news := Open(root).News(t.Context(), s, Look{Copied: named, Now: time.Now(), Ready: func(reconcile.Document, bool) bool { return true }})
	if !slices.Equal(news, []string{"specs/2_b/" + own}) {
		t.Errorf("news: %v", news)
	}
}

// TestDraft: a document that is not ready is news when it is, and one that the caller wrote
// even in a tree that is not known.
func TestDraft(t *testing.T) {
	for _, isKnown := range []bool{true, false} {
		root := t.TempDir()
		if isKnown {
			known(t, root)
		}
		treetest.WriteDocument(t, root, first)
		if look(t, Open(root), root, first, false, first) || look(t, Open(root), root, first, false) {
			t.Error("a draft is news")
		}
		known(t, root)
		if !look(t, Open(root), root, first, true) || look(t, Open(root), root, first, true) {
			t.Errorf("known before %v: a draft that was filled in is not news, once", isKnown)
		}
	}
}

// TestWrittenIsNews: what the caller saw being written is news in a tree that is not known,
// unless it was seen before: then it was edited.
func TestWrittenIsNews(t *testing.T) {
	root := t.TempDir()
	treetest.WriteDocument(t, root, first)
	if !look(t, Open(root), root, first, true, first) {
		t.Error("a document that was just written is not news")
	}
	treetest.Write(t, root, first, treetest.Document("edited"))
	if look(t, Open(root), root, first, true, first) {
		t.Error("a document that was just edited is news")
	}
}

// TestTornBook reads a book whose last line a killed process left half written, and adds to it.
func TestTornBook(t *testing.T) {
	root := t.TempDir()
	known(t, root)
	treetest.WriteDocument(t, root, first)
	look(t, Open(root), root, first, true)
	file := filepath.Join(root, ".handoff", "seen")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	treetest.WriteDocument(t, root, bare)
	for cut := range 40 {
		if err := os.WriteFile(file, append(slices.Clone(src), src[len(src)-60:len(src)-60+cut]...), 0o644); err != nil {
			t.Fatal(err)
		}
		if look(t, Open(root), root, first, true) || !look(t, Open(root), root, bare, true) || look(t, Open(root), root, bare, true) {
			t.Fatalf("%d bytes of a line: forgotten", cut)
		}
	}
}

// TestRead sees at once what another process records, and keeps what it knows if the file is
// removed.
func TestRead(t *testing.T) {
	root := t.TempDir()
	b := known(t, root)
	treetest.WriteDocument(t, root, first)
	if !look(t, Open(root), root, first, true) || look(t, b, root, first, true) {
		t.Error("not the same news for two")
	}
	os.RemoveAll(filepath.Join(root, ".handoff"))
	if look(t, b, root, first, true) {
		t.Error("forgotten")
	}
}

// TestCheckoutIsNoNews: a checkout writes the files before the index. A look in between waits for the
// index, and does not take for news what git has just written.
func TestCheckoutIsNoNews(t *testing.T) {
	needs.Tool(t, "git")
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	index := filepath.Join(root, ".git", "index")
	git("init", "-q", "-b", "main")
	treetest.Write(t, root, "specs/README.md", "# Tasks\n")
	git("add", "-A")
	git("commit", "-q", "-m", "begin")
	git("checkout", "-q", "-b", "topic")
	treetest.Write(t, root, first, treetest.Document("one"))
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	after, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	git("checkout", "-q", "main")
	known(t, root)

	if err := os.WriteFile(index+".lock", after, 0o644); err != nil {
		t.Fatal(err)
	}
	treetest.Write(t, root, first, treetest.Document("one"))
	renamed := make(chan error, 1)
	time.AfterFunc(50*time.Millisecond, func() { renamed <- os.Rename(index+".lock", index) })
	if look(t, Open(root), root, first, true) {
		t.Error("what a checkout wrote is news")
	}
	if err := <-renamed; err != nil {
		t.Fatal(err)
	}
	treetest.Write(t, root, bare, treetest.Document("two"))
	if !look(t, Open(root), root, bare, true) {
		t.Error("what git does not track is no news")
	}
}
