package tape

import (
	"errors"
	"fmt"
	"handoff/log/tape/entry"
	"handoff/log/tape/envelope"
	"handoff/log/tape/lineage"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// brokenOff is a closed fork, and its parent before and after the write of the
// merge.
type brokenOff struct {
	folder        string // of the store
	parent, child string // the paths in it
	before, after string // what the parent has
}

// breakOff is a store whose merge was interrupted before that write.
func breakOff(t *testing.T, keep bool) (b brokenOff, entries string) {
	t.Helper()
	w, tape := phases(t)
	must(tape.Fork(ctx, ForkRequest{To: "child", Intention: &Intention{NextSteps: "x"}}))(t)
	child := w.tape("child")
	add(t, child, message("é1"))
	must(child.Handoff(ctx, "h", []byte(`{"summary": "s"}`), nil))(t)
	add(t, child, message("m2"), message("m3"))
	j, release, err := w.journal(t.Context(), child.path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := child.closeAs(ctx, j, lineage.Closing{As: lineage.Merged, Into: Main, KeepAnchors: keep}); err != nil {
		t.Fatal(err)
	}
	release()
	b = brokenOff{folder: filepath.Join(t.TempDir(), ".handoff"), before: read(t, tape.path)}
	b.parent, b.child = strings.TrimPrefix(tape.path, w.folder), strings.TrimPrefix(child.path, w.folder)
	if err := os.CopyFS(b.folder, os.DirFS(w.folder)); err != nil {
		t.Fatal(err)
	}
	must(child.Merge(ctx, MergeRequest{KeepAnchors: keep}))(t)
	b.after = read(t, tape.path)
	return b, short(must(tape.All(Query{}))(t))
}

// again is a copy of that store, in which the parent has the first n bytes of
// the write.
func (b brokenOff) again(t *testing.T, n int) *workshop {
	t.Helper()
	folder := filepath.Join(t.TempDir(), fmt.Sprint(n), ".handoff")
	if err := os.CopyFS(folder, os.DirFS(b.folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder+b.parent, []byte(b.after[:len(b.before)+n]), 0o644); err != nil {
		t.Fatal(err)
	}
	return openIn(t, folder)
}

// cuts is numbers of bytes: at and next to each line end, and some others; all
// of them with HANDOFF_CUTS=all.
func (b brokenOff) cuts() map[int]bool {
	write := b.after[len(b.before):]
	at := map[int]bool{}
	for n := range len(write) {
		around := write[max(0, n-2):min(len(write), n+1)]
		if os.Getenv("HANDOFF_CUTS") == "all" || n%149 == 0 || strings.Contains(around, "\n") {
			at[n] = true
		}
	}
	return at
}

// eachCut runs a test for each of the cuts. The stores that it opens are closed
// before the next one: all of them at once exceed the limit of open files.
func (b brokenOff) eachCut(t *testing.T, test func(t *testing.T, n int)) {
	t.Helper()
	for n := range b.cuts() {
		t.Run(fmt.Sprintf("%d-bytes", n), func(t *testing.T) { test(t, n) })
	}
}

// TestMergeTornAnywhere interrupts the write of a merge at many of its bytes,
// as a kill or a power failure may, and merges again: the parent has every
// entry of the fork once, also if another program has appended in between.
func TestMergeTornAnywhere(t *testing.T) {
	for _, keep := range []bool{false, true} {
		b, want := breakOff(t, keep)
		b.eachCut(t, func(t *testing.T, n int) {
			for _, between := range []bool{false, true} {
				w := b.again(t, n)
				tape := w.tape(Main)
				if between {
					add(t, tape, message("other"))
				}
				must(w.tape("child").Merge(ctx, MergeRequest{KeepAnchors: keep}))(t)
				entries := must(tape.All(Query{}))(t)
				others := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return content(e) == "other" })
				if got := short(others); got != want || len(entries)-len(others) > 1 {
					t.Fatalf("cut after %d bytes, keep %v, between %v: %s, want %s", n, keep, between, short(entries), want)
				}
				if list := ids(entries); !slices.IsSorted(list) || len(slices.Compact(list)) != len(entries) {
					t.Fatalf("cut after %d bytes: ids %v", n, list)
				}
				if _, err := os.Stat(w.folder + b.child); err == nil {
					t.Fatalf("cut after %d bytes: the fork is not archived", n)
				}
			}
		})
	}
}

// TestReceiveTornAnywhere interrupts the write of a received envelope, and
// receives it again: its anchor, the event and the receipt are on the tape
// once.
func TestReceiveTornAnywhere(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("m"))
	b := brokenOff{folder: filepath.Join(t.TempDir(), ".handoff"), before: read(t, tape.path), parent: strings.TrimPrefix(tape.path, w.folder)}
	if err := os.CopyFS(b.folder, os.DirFS(w.folder)); err != nil {
		t.Fatal(err)
	}
	e := must(ParseEnvelope([]byte(seedEnvelope)))(t)
	if _, _, err := tape.Receive(ctx, e, ""); err != nil {
		t.Fatal(err)
	}
	b.after = read(t, tape.path)
	b.eachCut(t, func(t *testing.T, n int) {
		w := b.again(t, n)
		anchor, existed, err := w.tape(Main).Receive(ctx, e, "")
		if err != nil || anchor.Name() != envelope.Type || anchor.ID != 4 {
			t.Fatalf("cut after %d bytes: %s, %v, %v", n, anchor.Raw(), existed, err)
		}
		wantShort(t, w.tape(Main), Query{}, "a:session/start e:handoff m a:context_handoff e:handoff e:"+entry.EventReceived)
		if again, existed, err := w.tape(Main).Receive(ctx, e, ""); again.ID != 4 || !existed || err != nil {
			t.Fatalf("cut after %d bytes, received once more: %s, %v, %v", n, again.Raw(), existed, err)
		}
	})
}

// TestAppendTornAnywhere interrupts the write of several entries with a key,
// and repeats the request: it appends the missing ones.
func TestAppendTornAnywhere(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("m"))
	b := brokenOff{folder: filepath.Join(t.TempDir(), ".handoff"), before: read(t, tape.path), parent: strings.TrimPrefix(tape.path, w.folder)}
	if err := os.CopyFS(b.folder, os.DirFS(w.folder)); err != nil {
		t.Fatal(err)
	}
	r := AppendRequest{Entries: []Entry{message("a"), message("b"), message("c")}, Key: "k"}
	if _, _, err := tape.AppendOnce(ctx, r); err != nil {
		t.Fatal(err)
	}
	b.after = read(t, tape.path)
	b.eachCut(t, func(t *testing.T, n int) {
		w := b.again(t, n)
		stored, _, err := w.tape(Main).AppendOnce(ctx, r)
		if err != nil || short(stored) != "a b c" {
			t.Fatalf("cut after %d bytes: %s, %v", n, short(stored), err)
		}
		wantShort(t, w.tape(Main), Query{}, "a:session/start e:handoff m a b c")
		if write := b.after[len(b.before):][:n]; strings.Count(write, "\n") == 0 {
			return // the first entry, which has the key, may be lost
		}
		w = b.again(t, n)
		for _, other := range []string{"other", "another"} { // who appends before the request, and before its repetition
			add(t, w.tape(Main), message(other))
			if stored, _, err = w.tape(Main).AppendOnce(ctx, r); err != nil || short(stored) != "a b c" {
				t.Fatalf("cut after %d bytes, then %s: %s, %v", n, other, short(stored), err)
			}
		}
		all := short(must(w.tape(Main).All(Query{Kinds: []string{"message"}}))(t))
		if !slices.Contains([]string{"m a other b c another", "m a b other c another", "m a b c other another"}, all) {
			t.Fatalf("cut after %d bytes: %s", n, all)
		}
		r := r
		r.Entries = []Entry{message("a"), message("b"), message("d")}
		if _, _, err := w.tape(Main).AppendOnce(ctx, r); !errors.Is(err, ErrKeyUsed) {
			t.Fatalf("another request: %v", err)
		}
	})
}

// TestTornMergeArchived resets the parent after an interrupted merge: the
// archive does not change, and the parent gets the whole fork, once.
func TestTornMergeArchived(t *testing.T) {
	b, _ := breakOff(t, false)
	w := b.again(t, len(b.after)-len(b.before)-10)
	tape := w.tape(Main)
	archived := filepath.Join(w.folder, must(tape.Reset(ctx, ResetRequest{}))(t))
	kept := read(t, archived)
	for range 2 {
		must(w.tape("child").Merge(ctx, MergeRequest{}))(t)
		wantShort(t, tape, Query{}, "a:session/start e:handoff e:tape.merge é1 e:handoff m2 m3")
		if got := read(t, archived); got != kept {
			t.Errorf("%s", got)
		}
		paths := must(w.tape("child").Archives())(t)
		if err := os.Rename(filepath.Join(w.folder, paths[0]), w.folder+b.child); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMergeAgainOtherwise repeats a complete merge with the other choice of
// anchors before the fork was archived: nothing is written twice.
func TestMergeAgainOtherwise(t *testing.T) {
	for _, keep := range []bool{false, true} {
		b, want := breakOff(t, keep)
		w := b.again(t, len(b.after)-len(b.before))
		must(w.tape("child").Merge(ctx, MergeRequest{KeepAnchors: !keep}))(t)
		wantShort(t, w.tape(Main), Query{}, want)
	}
}
