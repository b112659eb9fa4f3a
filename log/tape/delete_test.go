package tape

import (
	"context"
	"errors"
	"handoff/log/tape/entry"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
)

// TestBare creates tapes as for Bub, which writes its own first anchor.
func TestBare(t *testing.T) {
	w := open(t)
	start := must(entry.Handoff(entry.AnchorStart, []byte(`{"owner": "human"}`), nil))(t)
	for name, begin := range map[string]func(*Tape) error{
		"created":  func(tape *Tape) error { return second(tape.Create(t.Context(), true)) },
		"appended": func(*Tape) error { return nil },
	} {
		tape := w.tape(name)
		if err := begin(tape); err != nil {
			t.Fatal(err)
		}
		for _, e := range start {
			if _, _, err := tape.AppendOnce(ctx, AppendRequest{Entries: []Entry{e}, Bare: true}); err != nil {
				t.Fatal(err)
			}
		}
		wantShort(t, tape, Query{}, "a:session/start e:handoff")
		if all := must(tape.All(Query{}))(t); all[0].ID != 1 || all[1].ID != 2 {
			t.Errorf("ids %v", ids(all))
		}
	}
	tape := w.tape("custom")
	for _, created := range []bool{true, false} {
		if was, err := tape.Create(t.Context(), false); err != nil || was != created {
			t.Errorf("%v, %v", was, err)
		}
	}
	wantShort(t, tape, Query{}, "a:session/start e:handoff")
	if _, err := w.bare("").Create(t.Context(), true); !errors.Is(err, handoff.ErrInvalid) {
		t.Error(err)
	}
}

func TestDelete(t *testing.T) {
	w := open(t)
	tape := w.tape("x")
	if _, err := tape.Delete(ctx, DeleteRequest{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	add(t, tape, message("old"))
	archived := must(tape.Delete(ctx, DeleteRequest{}))(t)
	if list := must(w.List())(t); len(list) != 0 {
		t.Errorf("listed: %q", list)
	}
	if all := must(tape.All(Query{}))(t); len(all) != 0 {
		t.Errorf("%s", short(all))
	}
	wantShort(t, must(w.OpenArchive(archived))(t), Query{}, "a:session/start e:handoff old")
	if m := must(w.Manifest())(t); len(m.Tapes)+len(m.Anchors) != 0 {
		t.Errorf("%+v", m)
	}
	must(tape.Handoff(ctx, "new", nil, nil))(t)
	wantShort(t, tape, Query{}, "a:session/start e:handoff a:new e:handoff")
	if got := must(tape.Archives())(t); !slices.Equal(got, []string{archived}) {
		t.Errorf("%q", got)
	}

	// Neither an empty tape nor a destroyed one leaves an archive.
	empty := w.tape("empty")
	must(empty.Create(t.Context(), true))(t)
	for _, r := range []DeleteRequest{{}, {NoArchive: true}} {
		for _, tape := range []*Tape{empty, tape} {
			if there := must(tape.Exists())(t); !there {
				must(tape.Create(t.Context(), true))(t)
			}
			archived, err := tape.Delete(ctx, r)
			if err != nil || (archived != "") != (tape.name == "x" && !r.NoArchive) {
				t.Errorf("%+v: %q, %v", r, archived, err)
			}
		}
	}

	// A fork cannot be deleted, nor can a tape be destroyed that a fork is
	// linked to.
	add(t, tape, message("m"))
	must(tape.Fork(ctx, ForkRequest{To: "f", Link: true}))(t)
	for _, refused := range []struct {
		tape *Tape
		r    DeleteRequest
	}{{w.tape("f"), DeleteRequest{}}, {tape, DeleteRequest{NoArchive: true}}, {w.bare("x"), DeleteRequest{}}} {
		if _, err := refused.tape.Delete(ctx, refused.r); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", refused.tape.name, err)
		}
	}
	must(tape.Delete(ctx, DeleteRequest{}))(t)
	wantShort(t, w.tape("f"), Query{Kinds: []string{KindMessage}}, "m")
}

// TestDeleteWhileAppending loses no entry: each is on the tape or archived.
func TestDeleteWhileAppending(t *testing.T) {
	w := open(t)
	const each = 60
	done := make(chan error, 2)
	for _, name := range []string{"a", "b"} {
		store := openIn(t, w.folder)
		go func() {
			var err error
			for i := 0; i < each && err == nil; i++ {
				_, _, err = store.tape("x").AppendOnce(ctx, AppendRequest{Entries: []Entry{message(name + strings.Repeat("i", i))}, Bare: true})
			}
			done <- err
		}()
	}
	for left := 2; left > 0; {
		select {
		case err := <-done:
			if left--; err != nil {
				t.Fatal(err)
			}
		default:
			if _, err := w.tape("x").Delete(ctx, DeleteRequest{}); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	n := len(must(w.tape("x").All(Query{}))(t))
	for _, path := range must(w.tape("x").Archives())(t) {
		n += len(must(must(w.OpenArchive(path))(t).All(Query{}))(t))
	}
	if n != 2*each {
		t.Errorf("%d entries of %d", n, 2*each)
	}
}

// TestFollowDeleted: a follower gets the rest of a deleted tape, and ends.
func TestFollowDeleted(t *testing.T) {
	w := open(t)
	tape := w.tape("x")
	add(t, tape, message("1"))
	var words []string
	deadline, cancel := context.WithCancel(ctx)
	defer cancel()
	for e, err := range tape.Follow(deadline, FollowRequest{}) {
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			break
		}
		if words = append(words, short([]Entry{e})); len(words) == 3 {
			other := openIn(t, w.folder).tape("x")
			add(t, other, message("2"))
			must(other.Delete(ctx, DeleteRequest{}))(t)
		}
	}
	if got := strings.Join(words, " "); got != "a:session/start e:handoff 1 2" {
		t.Error(got)
	}
	if _, err := os.Stat(tape.path); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
