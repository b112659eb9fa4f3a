package tape

import (
	"context"
	"errors"
	"fmt"
	"handoff/log/tape/entry"
	"io/fs"
	"math/rand"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/waittest"
)

// followed collects n entries in the form of short; "|" marks a reset.
func followed(t *testing.T, tape *Tape, r FollowRequest, n int) (list []Entry, text string) {
	t.Helper()
	deadline := waittest.Context(t)
	var words []string
	r.Reset = func() { words = append(words, "|") }
	for e, err := range tape.Follow(deadline, r) {
		if err != nil {
			t.Fatalf("%q, then %v", strings.Join(words, " "), err)
		}
		list, words = append(list, e), append(words, short([]Entry{e}))
		if len(list) == n {
			break
		}
	}
	return list, strings.Join(words, " ")
}

func TestFollow(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("1"))
	must(tape.Handoff(ctx, "a", nil, nil))(t)
	add(t, tape, message("2"), message("3"))
	other := openIn(t, w.folder).tape(Main)
	time.AfterFunc(20*time.Millisecond, func() { other.Append(ctx, message("4"), event("x"), message("5")) })
	for _, c := range []struct {
		request FollowRequest
		want    string
	}{
		{FollowRequest{}, "a:session/start e:handoff 1 a:a e:handoff 2 3 4 e:x 5"},
		{FollowRequest{Query: Query{Window: FromLastAnchor()}}, "e:handoff 2 3 4 e:x 5"},
		{FollowRequest{Query: Query{Window: AfterAnchor("session/start"), Kinds: []string{"message"}}}, "1 2 3 4 5"},
		{FollowRequest{Query: Query{FromID: new(int64(7))}}, "3 4 e:x 5"},
		{FollowRequest{Query: Query{FromID: new(int64(8))}}, "4 e:x 5"},
		{FollowRequest{Query: Query{FromID: new(int64(10))}}, "5"},
		{FollowRequest{Query: Query{FromID: new(int64(2)), Window: FromLastAnchor(), Limit: new(4)}}, "e:handoff 2 3 4"},
	} {
		if _, got := followed(t, tape, c.request, len(strings.Fields(c.want))); got != c.want {
			t.Errorf("%+v: %q, want %q", c.request, got, c.want)
		}
	}
	all, _ := followed(t, tape, FollowRequest{}, 10)
	for i, e := range all[:9] {
		m, err := ParseCursor(e.Cursor().String())
		if err != nil || m != e.Cursor() {
			t.Fatalf("%s: %v, %v", e.Cursor(), m, err)
		}
		if rest, _ := followed(t, tape, FollowRequest{After: m, Query: Query{Window: FromLastAnchor()}}, 1); rest[0].ID != all[i+1].ID {
			t.Errorf("after %d comes %d", e.ID, rest[0].ID)
		}
	}
	for _, q := range []Query{{Window: BetweenAnchors("a", "b")}, {Limit: new(-1)}, {From: "soon"}} {
		for _, err := range tape.Follow(ctx, FollowRequest{Query: q}) {
			if !errors.Is(err, handoff.ErrInvalid) {
				t.Errorf("%+v: %v", q, err)
			}
		}
	}
	for _, err := range w.tape("none").Follow(ctx, FollowRequest{}) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "1", "1-", "0-0123456789abcdef", "1-0123456789abcde", "01-0123456789abcdef", "1.0-0123456789abcdef", "-1-0123456789abcdef", "1.x-0123456789abcdef", "99999999999999999999-0123456789abcdef"} {
		if m, err := ParseCursor(bad); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v, %v", bad, m, err)
		}
	}
}

// TestFollowResets resets a tape while a slow follower reads it and another has
// disconnected: only destroyed entries are lost.
func TestFollowResets(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("1"), message("2"))
	other := openIn(t, w.folder).tape(Main)
	const fresh = "| a:session/start e:handoff "
	var words []string
	var at Cursor
	n := 0
	for e, err := range tape.Follow(ctx, FollowRequest{Reset: func() { words = append(words, "|") }}) {
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, short([]Entry{e}))
		switch n++; n {
		case 3: // the follower must read the rest of this tape in the archive, all of the next, and more
			at = e.Cursor()
			must(other.Reset(ctx, ResetRequest{}))(t)
			add(t, other, message("3"))
			must(other.Reset(ctx, ResetRequest{}))(t)
			add(t, other, message("4"))
		}
		if content(e) == "4" {
			break
		}
	}
	// The second tape was archived before it was read.
	want := "a:session/start e:handoff 1 2 " + fresh + "3 " + fresh + "4"
	if got := strings.Join(words, " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, got := followed(t, tape, FollowRequest{After: at}, 7); got != "2 "+fresh+"3 "+fresh+"4" {
		t.Errorf("after reconnecting: %q", got)
	}
	if _, got := followed(t, tape, FollowRequest{After: at, Query: Query{Kinds: []string{"message"}, FromID: new(int64(4))}}, 3); got != "2 | 3 | 4" {
		t.Errorf("after reconnecting, with a filter: %q", got)
	}
	must(other.Reset(ctx, ResetRequest{NoArchive: true}))(t)
	last := must(tape.All(Query{}))(t)
	if _, got := followed(t, tape, FollowRequest{After: must(ParseCursor("1-0123456789abcdef"))(t)}, 2); got != strings.TrimSpace(fresh) {
		t.Errorf("after an unknown entry: %q", got)
	}
	if len(last) != 2 {
		t.Errorf("%d entries", len(last))
	}
	if _, got := followed(t, tape, FollowRequest{After: at}, 6); got != "2 "+fresh+"3 "+strings.TrimSpace(fresh) {
		t.Errorf("after destroyed entries: %q", got)
	}
}

// TestFollowFork follows forks, which read from other tapes and end.
func TestFollowFork(t *testing.T) {
	w, tape := phases(t)
	must(tape.Fork(ctx, ForkRequest{To: "f", Link: true}))(t)
	fork := w.tape("f")
	add(t, fork, message("own"))
	all := must(fork.All(Query{}))(t)
	want := short(all)
	if _, got := followed(t, fork, FollowRequest{}, len(all)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i, e := range all[:len(all)-1] {
		rest, _ := followed(t, fork, FollowRequest{After: e.Cursor()}, len(all)-i-1)
		if got := short(rest); got != short(all[i+1:]) {
			t.Errorf("after entry %d: %q", i, got)
		}
	}
	parents := all[len(all)-3] // its own entries have smaller ids and would be found first
	if rest, got := followed(t, fork, FollowRequest{Query: Query{FromID: new(parents.ID)}}, 2); rest[0].ID != parents.ID {
		t.Errorf("from %d: %s", parents.ID, got)
	}
	var got []Entry
	merged := openIn(t, w.folder).tape("f")
	for e, err := range fork.Follow(ctx, FollowRequest{After: all[len(all)-2].Cursor()}) {
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) || short(got) != short(all[len(all)-1:])+" e:tape.closed" {
				t.Errorf("%q, %v", short(got), err)
			}
			break
		}
		if got = append(got, e); len(got) == 1 { // the follower is running
			go merged.Merge(ctx, MergeRequest{})
		}
	}
	for e, err := range fork.Follow(ctx, FollowRequest{After: all[len(all)-1].Cursor()}) { // also after the end
		if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && e.Name() != entry.EventClosed {
			t.Errorf("%v, %v", e, err)
		}
	}
}

// TestFollowBub follows a file that Bub removes and creates again.
func TestFollowBub(t *testing.T) {
	w := open(t)
	tape := w.bare(say(1, "a") + "\n" + say(2, "b") + say(3, "c") + "\n")
	_, got := followed(t, tape, FollowRequest{After: must(tape.All(Query{}))(t)[1].Cursor()}, 1)
	if got != "c" {
		t.Errorf("after a joined entry: %q", got)
	}
	var words []string
	for e, err := range tape.Follow(waittest.Context(t), FollowRequest{Reset: func() { words = append(words, "|") }}) {
		if err != nil {
			t.Fatalf("%q, then %v", words, err)
		}
		if words = append(words, content(e)); content(e) == "d" {
			break
		}
		if content(e) == "c" {
			if err := os.Remove(tape.Path()); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(100*time.Millisecond, func() { os.WriteFile(tape.Path(), []byte(say(1, "d")+"\n"), 0o644) })
		}
	}
	if got := strings.Join(words, " "); got != "a b c | d" {
		t.Errorf("%q", got)
	}
	done, cancel := context.WithCancel(ctx)
	time.AfterFunc(20*time.Millisecond, cancel)
	for e, err := range tape.Follow(done, FollowRequest{Query: Query{Limit: new(2)}}) {
		if err != nil && !errors.Is(err, context.Canceled) || err == nil && content(e) != "d" {
			t.Errorf("%v, %v", e, err)
		}
	}
}

// TestArchivedWhileFollowed: the file that a follower wants to continue with is
// archived before the follower lists the archives. It is one of them then, and
// must not be read again as the present file.
func TestArchivedWhileFollowed(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("a"))
	read := must(tape.All(Query{Limit: new(1)}))(t)[0].Cursor()
	must(tape.Reset(ctx, ResetRequest{}))(t)
	add(t, tape, message("b"))
	present := must(tape.store.firstLines(tape.path))(t)
	for want, reset := range []bool{false, true} { // want: archives after the one with the cursor
		if reset {
			must(tape.Reset(ctx, ResetRequest{}))(t)
		}
		paths, past, err := tape.archivesSince(read, present)
		if err != nil || len(paths) != want+1 || past != reset {
			t.Errorf("archived %v: %q, past %v, %v", reset, paths, past, err)
		}
		var got []string
		f := follower{tape: tape, ctx: ctx, last: read, yield: func(e Entry, _ error) bool {
			if e.Kind == KindMessage {
				got = append(got, content(e))
			}
			return true
		}}
		if past, err = f.archives(present); err != nil || past != reset || len(got) != want+1 {
			t.Errorf("archived %v: passed %q, past %v, %v", reset, got, past, err)
		}
	}
}

// TestFollowRace resets and appends while followers connect and disconnect:
// each gets every entry once, in order.
func TestFollowRace(t *testing.T) {
	const rounds, followers = 300, 4
	w := open(t)
	tape := w.tape(Main)
	writer := openIn(t, w.folder).tape(Main)
	add(t, writer, message("0"))
	start := must(tape.All(Query{Limit: new(1)}))(t)[0].Cursor() // a client without a position starts with the current tape
	var wg sync.WaitGroup
	for range followers {
		wg.Go(func() {
			next, cursor := 0, start
			for next <= rounds {
				left := 1 + rand.Intn(20)
				for e, err := range tape.Follow(ctx, FollowRequest{After: cursor}) {
					if err != nil {
						t.Error(err)
						return
					}
					if e.Kind == KindMessage {
						if content(e) != fmt.Sprint(next) {
							t.Errorf("%s, want %d", content(e), next)
							return
						}
						next++
					}
					if cursor, left = e.Cursor(), left-1; left == 0 || next > rounds {
						break
					}
				}
			}
		})
	}
	for i := range rounds {
		if i%7 == 0 {
			must(writer.Reset(ctx, ResetRequest{}))(t)
		}
		add(t, writer, message(fmt.Sprint(i+1)))
	}
	wg.Wait()
}
