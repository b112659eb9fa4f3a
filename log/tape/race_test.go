package tape

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// TestResetWhileAppending resets a tape during appends: every entry is on the
// tape or in an archive, once, and the tape always exists.
func TestResetWhileAppending(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("first"))
	other := openIn(t, w.folder).tape(Main)
	var wg sync.WaitGroup
	for i, tape := range []*Tape{tape, other} {
		wg.Go(func() {
			for k := range 100 {
				add(t, tape, message(fmt.Sprint(i, "-", k)))
			}
		})
	}
	for range 5 {
		must(other.Reset(ctx, ResetRequest{}))(t)
	}
	wg.Wait()
	count := map[string]int{}
	paths := must(tape.Archives())(t)
	if len(paths) != 5 {
		t.Errorf("%q", paths)
	}
	tapes := []*Tape{tape}
	for _, p := range paths {
		tapes = append(tapes, must(w.File(filepath.Join(w.folder, p)))(t))
	}
	for _, tape := range tapes {
		for i, e := range must(tape.All(Query{}))(t) {
			if e.ID != int64(i)+1 {
				t.Errorf("%s: entry %d has id %d", tape.Name(), i+1, e.ID)
			}
			if e.Kind == KindMessage {
				count[content(e)]++
			}
		}
	}
	for text, n := range count {
		if n != 1 {
			t.Errorf("%s is there %d times", text, n)
		}
	}
	if len(count) != 201 {
		t.Errorf("%d messages", len(count))
	}
}

// TestMergeWhileAppending merges a fork during appends: every accepted entry is
// merged.
func TestMergeWhileAppending(t *testing.T) {
	w := open(t)
	root := w.tape(Main)
	add(t, root, message("root"))
	must(root.Fork(ctx, ForkRequest{To: "child"}))(t)
	var taken atomic.Int64
	var wg sync.WaitGroup
	for _, s := range []*workshop{w, openIn(t, w.folder)} {
		wg.Go(func() {
			for {
				if _, err := s.tape("child").Append(ctx, message("m")); err != nil {
					return
				}
				taken.Add(1)
			}
		})
	}
	for taken.Load() < 20 {
	}
	var merges sync.WaitGroup
	for range 3 {
		merges.Go(func() { w.tape("child").Merge(ctx, MergeRequest{}) })
	}
	merges.Wait()
	wg.Wait()
	merged := must(root.All(Query{Kinds: []string{"message"}}))(t)
	if len(merged) != int(taken.Load())+1 {
		t.Errorf("%d were accepted, %d merged", taken.Load(), len(merged)-1)
	}
	if list := must(w.List())(t); len(list) != 1 {
		t.Errorf("%q", list)
	}
	nothingLeft(t, w.tape("child"))
}

// nothingLeft fails if a deleted tape has left a lock or an index.
func nothingLeft(t *testing.T, gone *Tape) {
	t.Helper()
	if left, _ := filepath.Glob(gone.Path() + "*"); len(left) > 0 {
		t.Errorf("not removed: %q", left)
	}
}

func TestNoLockIsLeftBehind(t *testing.T) {
	w := open(t)
	root := w.tape(Main)
	add(t, root, message("root"))
	for name, end := range map[string]func(tape *Tape) error{
		"merged":    func(tape *Tape) error { _, err := tape.Merge(ctx, MergeRequest{}); return err },
		"discarded": func(tape *Tape) error { _, err := tape.Discard(ctx, "no"); return err },
		"appended to later": func(tape *Tape) error {
			_, err := tape.Discard(ctx, "no")
			if _, late := tape.Append(ctx, message("late")); late == nil {
				t.Error("appended to a deleted tape")
			}
			return err
		},
	} {
		must(root.Fork(ctx, ForkRequest{To: "child"}))(t)
		child := w.tape("child")
		add(t, child, message("m"))
		if err := end(child); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		nothingLeft(t, child)
	}
	for _, noArchive := range []bool{true, false} {
		other := w.tape(fmt.Sprint("other-", noArchive))
		add(t, other, message("m"))
		must(other.Delete(ctx, DeleteRequest{NoArchive: noArchive}))(t)
		nothingLeft(t, other)
	}
}

// TestDecideAtOnce sends requests at once that must be carried out once.
func TestDecideAtOnce(t *testing.T) {
	w := open(t)
	e := must(ParseEnvelope([]byte(seedEnvelope)))(t)
	path := w.bare(say(1, "m") + "\n").Path()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			must(w.File(path))(t).Ensure(ctx)
			w.tape("x").Ensure(ctx)
			w.tape(Main).Receive(ctx, e, "")
		})
	}
	wg.Wait()
	wantShort(t, must(w.File(path))(t), Query{}, "m a:session/start e:handoff")
	wantShort(t, w.tape("x"), Query{}, "a:session/start e:handoff")
	wantShort(t, w.tape(Main), Query{}, "a:session/start e:handoff a:context_handoff e:handoff e:context_handoff.received")
}
