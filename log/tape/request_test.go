package tape

import (
	"errors"
	"fmt"
	"handoff/log/tape/entry"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"

	"handoff/document/handoff"
)

func TestAppendOnce(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	first := AppendRequest{Key: "k1", Entries: []Entry{message("a"), message("b")}, After: new(int64(0))}
	stored, existed, err := tape.AppendOnce(ctx, first)
	if err != nil || existed || short(stored) != "a b" || stored[0].ID != 3 {
		t.Fatalf("%s, %v, %v", short(stored), existed, err)
	}
	add(t, tape, message("c"))
	// From another process, and after later entries.
	again, existed, err := openIn(t, w.folder).tape(Main).AppendOnce(ctx, first)
	if err != nil || !existed || len(again) != 2 || again[0].Raw() != stored[0].Raw() || again[1].Raw() != stored[1].Raw() {
		t.Errorf("again: %s, %v, %v", short(again), existed, err)
	}
	// Entries that have a request already, because they were read and are sent
	// again.
	if s, existed, err := tape.AppendOnce(ctx, AppendRequest{Key: "k1", Entries: stored}); err != nil || !existed {
		t.Errorf("as they were read: %s, %v, %v", short(s), existed, err)
	}
	for _, other := range [][]Entry{{message("a")}, {message("a"), message("x")}, {message("a"), message("b"), message("c")}, {message("b"), message("a")}} {
		if _, existed, err := tape.AppendOnce(ctx, AppendRequest{Key: "k1", Entries: other}); !errors.Is(err, fs.ErrExist) || existed {
			t.Errorf("the key for %s: %v", short(other), err)
		}
	}
	if _, _, err := tape.AppendOnce(ctx, AppendRequest{Entries: []Entry{message("d")}, After: new(int64(4))}); !errors.Is(err, ErrMoved) || !strings.Contains(err.Error(), "its largest id is 5, not 4") {
		t.Errorf("moved: %v", err)
	}
	if s, _, err := tape.AppendOnce(ctx, AppendRequest{Entries: []Entry{message("d")}, After: new(int64(5))}); err != nil || s[0].ID != 6 {
		t.Errorf("not moved: %v", err)
	}
	if _, _, err := w.tape("new").AppendOnce(ctx, AppendRequest{Entries: []Entry{message("d")}, After: new(int64(5))}); !errors.Is(err, ErrMoved) || !strings.HasSuffix(err.Error(), ": it has no entry 5: its largest id is 0") {
		t.Errorf("a new tape: %v", err)
	}
	for _, bad := range []AppendRequest{
		{Key: strings.Repeat("k", 256), Entries: []Entry{message("x")}}, {Key: "\xff", Entries: []Entry{message("x")}}, {Key: "k"},
		{Entries: []Entry{message("x")}, After: new(int64(-1))}, {Key: "k", Entries: []Entry{{Kind: "x", Meta: []byte("[]")}}},
	} {
		if _, _, err := tape.AppendOnce(ctx, bad); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	wantShort(t, tape, Query{}, "a:session/start e:handoff a b c d")

	// Neither copies nor destroyed entries count.
	must(tape.Fork(ctx, ForkRequest{To: "f"}))(t)
	if s, existed, err := w.tape("f").AppendOnce(ctx, AppendRequest{Key: "k1", Entries: []Entry{message("own")}}); err != nil || existed {
		t.Errorf("in a fork: %s, %v, %v", short(s), existed, err)
	}
	must(w.tape("f").Merge(ctx, MergeRequest{}))(t)
	if _, existed, err := tape.AppendOnce(ctx, first); err != nil || !existed {
		t.Errorf("after a merge: %v, %v", existed, err)
	}
	must(tape.Reset(ctx, ResetRequest{NoArchive: true}))(t)
	if _, existed, err := tape.AppendOnce(ctx, AppendRequest{Key: "k1", Entries: []Entry{message("z")}}); err != nil || existed {
		t.Errorf("after it was destroyed: %v, %v", existed, err)
	}
}

// TestAppendOnceArchived repeats requests whose entries were archived since, by
// resets or a delete. Nothing is appended.
func TestAppendOnceArchived(t *testing.T) {
	reset := func(t *testing.T, tape *Tape) { must(tape.Reset(ctx, ResetRequest{}))(t) }
	const fresh = "a:session/start e:handoff"
	for what, c := range map[string]struct {
		archive func(*testing.T, *Tape)
		want    string
	}{
		"reset":                     {reset, fresh},
		"reset twice":               {func(t *testing.T, tape *Tape) { reset(t, tape); add(t, tape, message("c")); reset(t, tape) }, fresh},
		"deleted":                   {func(t *testing.T, tape *Tape) { must(tape.Delete(ctx, DeleteRequest{}))(t) }, ""},
		"deleted and created again": {func(t *testing.T, tape *Tape) { must(tape.Delete(ctx, DeleteRequest{}))(t); add(t, tape, message("c")) }, fresh + " c"},
		"reset and destroyed": {func(t *testing.T, tape *Tape) {
			reset(t, tape)
			must(tape.Reset(ctx, ResetRequest{NoArchive: true}))(t)
		}, fresh},
	} {
		for _, after := range []*int64{nil, new(int64(2))} {
			w := open(t)
			tape := w.tape(Main)
			if err := tape.Ensure(ctx); err != nil {
				t.Fatal(err)
			}
			r := AppendRequest{Key: "k", Entries: []Entry{message("a"), message("b")}, After: after}
			stored, _, err := tape.AppendOnce(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			c.archive(t, tape)
			for _, w := range []*workshop{w, openIn(t, w.folder)} {
				again, existed, err := w.tape(Main).AppendOnce(ctx, r)
				if err != nil || !existed || len(again) != 2 || again[0].Raw() != stored[0].Raw() || again[1].Raw() != stored[1].Raw() {
					t.Errorf("%s: %s, %v, %v", what, short(again), existed, err)
				}
			}
			if _, _, err := tape.AppendOnce(ctx, AppendRequest{Key: "k", Entries: []Entry{message("x")}}); !errors.Is(err, ErrKeyUsed) {
				t.Errorf("%s: another request: %v", what, err)
			}
			wantShort(t, tape, Query{}, c.want)
			if s, existed, err := tape.AppendOnce(ctx, AppendRequest{Key: "k2", Entries: []Entry{message("z")}}); err != nil || existed || short(s) != "z" {
				t.Errorf("%s: another key: %s, %v, %v", what, short(s), existed, err)
			}
		}
	}
}

// TestAppendOnceTornArchive: an interrupted write that was archived is appended
// again, all of it and once.
func TestAppendOnceTornArchive(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	r := AppendRequest{Key: "k", Entries: []Entry{message("a"), message("b"), message("c")}}
	if _, _, err := tape.AppendOnce(ctx, r); err != nil {
		t.Fatal(err)
	}
	cutFrom(t, tape, `"content": "b"`)
	must(tape.Reset(ctx, ResetRequest{}))(t)
	for i := range 3 {
		stored, existed, err := tape.AppendOnce(ctx, r)
		if err != nil || existed != (i > 0) || short(stored) != "a b c" {
			t.Errorf("%d: %s, %v, %v", i, short(stored), existed, err)
		}
		wantShort(t, tape, Query{}, "a:session/start e:handoff a b c")
		if i == 1 {
			must(tape.Reset(ctx, ResetRequest{}))(t)
			if _, existed, err := tape.AppendOnce(ctx, r); err != nil || !existed {
				t.Errorf("archived: %v, %v", existed, err)
			}
			break
		}
	}
}

// TestAppendOnceAtOnce sends the same requests at once from several stores, as
// several processes would: each is carried out once.
func TestAppendOnceAtOnce(t *testing.T) {
	const requests, senders = 20, 4
	w := open(t)
	add(t, w.tape(Main), message("first"))
	var wg sync.WaitGroup
	for range senders {
		tape := openIn(t, w.folder).tape(Main)
		for i := range requests {
			wg.Go(func() {
				r := AppendRequest{Key: fmt.Sprint("k", i), Entries: []Entry{message(fmt.Sprint(i)), message("and")}}
				if stored, _, err := tape.AppendOnce(ctx, r); err != nil || short(stored) != fmt.Sprint(i, " and") {
					t.Errorf("%d: %s, %v", i, short(stored), err)
				}
			})
		}
	}
	wg.Wait()
	if n := len(must(w.tape(Main).All(Query{Kinds: []string{KindMessage}}))(t)); n != 2*requests+1 {
		t.Errorf("%d messages, want %d", n, 2*requests+1)
	}
	// Of several appends that saw the same tape, one succeeds.
	info := must(w.tape(Main).Info())(t)
	won, lost := make(chan bool, senders), 0
	for range senders {
		tape := openIn(t, w.folder).tape(Main)
		wg.Go(func() {
			_, _, err := tape.AppendOnce(ctx, AppendRequest{Entries: []Entry{message("mine")}, After: new(int64(info.Entries))})
			if err != nil && !errors.Is(err, ErrMoved) {
				t.Error(err)
			}
			won <- err == nil
		})
	}
	wg.Wait()
	for range senders {
		if !<-won {
			lost++
		}
	}
	if lost != senders-1 {
		t.Errorf("%d of %d were told that the tape has new entries", lost, senders)
	}
}

// TestAppendOnceTorn repeats requests of which a power failure has kept only
// the first entries.
func TestAppendOnceTorn(t *testing.T) {
	for _, c := range []struct{ lost, want string }{
		{"b", "a:session/start e:handoff a b c"}, {"c", "a:session/start e:handoff a b c"},
	} {
		for _, after := range []*int64{nil, new(int64(2))} {
			w := open(t)
			tape := w.tape(Main)
			if err := tape.Ensure(ctx); err != nil {
				t.Fatal(err)
			}
			r := AppendRequest{Key: "k", Entries: []Entry{message("a"), message("b"), message("c")}, After: after}
			if _, _, err := tape.AppendOnce(ctx, r); err != nil {
				t.Fatal(err)
			}
			cutFrom(t, tape, `"content": "`+c.lost+`"`)
			for range 2 {
				stored, existed, err := tape.AppendOnce(ctx, r)
				if err != nil || !existed || short(stored) != "a b c" {
					t.Errorf("%s is lost: %s, %v, %v", c.lost, short(stored), existed, err)
				}
				wantShort(t, tape, Query{}, c.want)
			}
		}
	}
	// The event of a handoff is lost. It is written again, once, unless other
	// entries follow.
	for _, c := range []struct {
		torn int // bytes that are left of the event
		next bool
		want string
	}{
		{0, false, "a:p e:handoff n"}, {0, true, "a:p n"}, {40, false, "a:p e:handoff n"}, {40, true, "a:p e:handoff n"},
	} {
		w := open(t)
		tape := w.tape(Main)
		entries := must(entry.Handoff("p", nil, nil))(t)
		r := AppendRequest{Key: "k", Entries: entries}
		if _, _, err := tape.AppendOnce(ctx, r); err != nil {
			t.Fatal(err)
		}
		whole := read(t, tape.Path())
		cutFrom(t, tape, `"kind": "event", "payload": {"name": "handoff", "data": {"name": "p"`)
		left := len(read(t, tape.Path())) + c.torn
		if err := os.WriteFile(tape.Path(), []byte(whole[:left]), 0o644); err != nil {
			t.Fatal(err)
		}
		if c.next {
			add(t, tape, message("n"))
		}
		for range 2 {
			if stored, existed, err := tape.AppendOnce(ctx, r); err != nil || !existed || stored[0].Name() != "p" {
				t.Errorf("%+v: %s, %v, %v", c, short(stored), existed, err)
			}
		}
		if !c.next {
			add(t, tape, message("n"))
		}
		wantShort(t, tape, Query{}, "a:session/start e:handoff "+c.want)
	}
}

// cutFrom removes the line with a text and all lines after it.
func cutFrom(t *testing.T, tape *Tape, text string) {
	t.Helper()
	src := read(t, tape.Path())
	at := strings.Index(src, text)
	if at < 0 {
		t.Fatalf("no %s in %s", text, src)
	}
	if err := os.Truncate(tape.Path(), int64(strings.LastIndex(src[:at], "\n")+1)); err != nil {
		t.Fatal(err)
	}
}
