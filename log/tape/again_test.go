package tape

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/document/handoff"
)

// TestForkOnce repeats a request for a fork: at once, after the parent has
// continued, and after the fork or its parent has ended.
func TestForkOnce(t *testing.T) {
	for what, r := range map[string]ForkRequest{
		"named":   {Key: "k", To: "child", FromAnchor: new("p"), Intention: &Intention{NextSteps: "n"}},
		"unnamed": {Key: "k", Link: true},
	} {
		w, tape := phases(t)
		first := must(tape.Fork(ctx, r))(t)
		if first.Existed {
			t.Errorf("%s: %+v", what, first)
		}
		same := func(when string) {
			t.Helper()
			again, err := openIn(t, w.folder).tape(Main).Fork(ctx, r)
			if want := first; err != nil || !again.Existed || again.Tape != want.Tape || again.SessionID != want.SessionID || again.Entries != want.Entries || again.Linked != want.Linked {
				t.Errorf("%s, %s: %+v, %v", what, when, again, err)
			}
			if forks := must(w.Forks(ctx))(t); len(forks) != 1 {
				t.Errorf("%s, %s: %+v", what, when, forks)
			}
		}
		same("at once")
		add(t, tape, message("more"))
		must(tape.Handoff(ctx, "p", nil, nil))(t)
		same("when the parent has moved on")
		for _, other := range []ForkRequest{{Key: "k"}, {Key: "k", To: "other", FromAnchor: r.FromAnchor, Intention: r.Intention, Link: r.Link}} {
			if f, err := tape.Fork(ctx, other); !errors.Is(err, ErrKeyUsed) || !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s: the key for another request: %+v, %v", what, f, err)
			}
		}
		// A process was killed before it added the fork to the graph.
		if err := os.Remove(w.graph().Path); err != nil {
			t.Fatal(err)
		}
		same("not noted")
		must(w.tape(first.Tape).Merge(ctx, MergeRequest{}))(t)
		same("merged")
		must(tape.Reset(ctx, ResetRequest{}))(t)
		same("when the parent was reset")
		if list := must(w.List())(t); !slices.Equal(list, []string{Main}) {
			t.Errorf("%s: %q", what, list)
		}
	}
}

// TestForkOfKeys: a key belongs to the tape that is forked; a name that another
// request has used stays taken.
func TestForkOfKeys(t *testing.T) {
	w, tape := phases(t)
	a := must(tape.Fork(ctx, ForkRequest{Key: "a"}))(t)
	b := must(tape.Fork(ctx, ForkRequest{Key: "b"}))(t)
	c := must(w.tape(a.Tape).Fork(ctx, ForkRequest{Key: "a"}))(t)
	if a.Tape == b.Tape || c.Tape == a.Tape || c.Existed || c.Parent != a.Tape {
		t.Errorf("%+v, %+v, %+v", a, b, c)
	}
	must(tape.Fork(ctx, ForkRequest{To: "taken"}))(t)
	if f, err := tape.Fork(ctx, ForkRequest{Key: "c", To: "taken"}); !errors.Is(err, fs.ErrExist) || errors.Is(err, ErrKeyUsed) {
		t.Errorf("%+v, %v", f, err)
	}
	for _, key := range []string{"\xff", strings.Repeat("k", 256)} {
		if _, err := tape.Fork(ctx, ForkRequest{Key: key}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", key, err)
		}
		if _, err := tape.Reset(ctx, ResetRequest{Key: key}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// TestOnceAtOnce sends the same requests at once from several stores, as
// several processes would: each is carried out once.
func TestOnceAtOnce(t *testing.T) {
	w, _ := phases(t)
	var wg sync.WaitGroup
	for range 4 {
		tape := openIn(t, w.folder).tape(Main)
		for i := range 5 {
			wg.Go(func() { must(tape.Fork(ctx, ForkRequest{Key: fmt.Sprint(i), To: fmt.Sprint("f", i)}))(t) })
			wg.Go(func() { must(tape.Fork(ctx, ForkRequest{Key: fmt.Sprint("no name ", i)}))(t) })
		}
	}
	wg.Wait()
	if list := must(w.List())(t); len(list) != 11 {
		t.Errorf("%q", list)
	}
	archived := make([]string, 8)
	for i := range archived {
		tape := openIn(t, w.folder).tape(Main)
		wg.Go(func() { archived[i] = must(tape.Reset(ctx, ResetRequest{Key: "r"}))(t) })
	}
	wg.Wait()
	if paths := must(w.tape(Main).Archives())(t); len(paths) != 1 || len(slices.Compact(archived)) != 1 || archived[0] != paths[0] {
		t.Errorf("%q, told %q", paths, archived)
	}
}

// TestResetOnce repeats a request for a reset: at once, after the tape has
// continued, and after other resets.
func TestResetOnce(t *testing.T) {
	for _, name := range []string{Main, "child"} {
		w, root := phases(t)
		must(root.Fork(ctx, ForkRequest{To: "child"}))(t)
		tape := w.tape(name)
		r := ResetRequest{Key: "k"}
		first := must(tape.Reset(ctx, r))(t)
		same := func(when string, archives int) {
			t.Helper()
			again, err := openIn(t, w.folder).tape(name).Reset(ctx, r)
			if paths := must(tape.Archives())(t); err != nil || again != first || len(paths) != archives {
				t.Errorf("%s, %s: %s and not %s, %v, %q", name, when, again, first, err, paths)
			}
		}
		same("at once", 1)
		add(t, tape, message("new"))
		same("when the tape has new entries", 1)
		if _, err := tape.Reset(ctx, ResetRequest{Key: "k", NoArchive: true}); !errors.Is(err, ErrKeyUsed) {
			t.Errorf("the key for another request: %v", err)
		}
		if _, _, err := tape.AppendOnce(ctx, AppendRequest{Key: "k", Entries: []Entry{message("x")}}); !errors.Is(err, ErrKeyUsed) {
			t.Errorf("the key for an append: %v", err)
		}
		must(tape.Reset(ctx, ResetRequest{Key: "other"}))(t)
		must(tape.Reset(ctx, ResetRequest{}))(t)
		same("when others have reset it", 3)
		add(t, tape, message("kept"))
		must(tape.Reset(ctx, ResetRequest{Key: "d", NoArchive: true}))(t)
		add(t, tape, message("since"))
		if archived := must(tape.Reset(ctx, ResetRequest{Key: "d", NoArchive: true}))(t); archived != "" {
			t.Errorf("%s: destroyed, but archived as %s", name, archived)
		}
		wantShort(t, tape, Query{Kinds: []string{KindMessage}}, "since")
	}
}

// TestResetOnceThenDeleted: repeating a reset does not create a tape that was
// deleted since. Forks of a reset tape do not have its key.
func TestResetOnceThenDeleted(t *testing.T) {
	w := open(t)
	tape := w.tape("new")
	add(t, tape, message("m"))
	first := must(tape.Reset(ctx, ResetRequest{Key: "k"}))(t)
	must(tape.Fork(ctx, ForkRequest{To: "f"}))(t)
	if archived := must(w.tape("f").Reset(ctx, ResetRequest{Key: "k"}))(t); archived == first {
		t.Error("the key of another tape")
	}
	must(tape.Delete(ctx, DeleteRequest{}))(t)
	if again := must(tape.Reset(ctx, ResetRequest{Key: "k"}))(t); again != first {
		t.Errorf("%s and not %s", again, first)
	}
	if exists := must(tape.Exists())(t); exists {
		t.Error("it was created again")
	}
}
