package thread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/journal"
	"handoff/log/thread/frame"
)

func TestRuns(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	m1, m2 := w.post(id, "one"), w.post(id, "two")
	e, run, err := w.SpawnRun(ctx, id, RunRequest{MessageID: m1.ID})
	if err != nil || e.Seq != 3 || run == "" {
		t.Fatal(e, run, err)
	}
	if again, _, err := w.SpawnRun(ctx, id, RunRequest{MessageID: m1.ID, SessionID: run}); err != nil || again.ID != e.ID {
		t.Errorf("%+v, %v", again, err)
	}
	_, _, err = w.SpawnRun(ctx, id, RunRequest{MessageID: m2.ID, SessionID: run})
	wantKind(t, "the run of another message", err, fs.ErrExist)
	_, _, err = w.SpawnRun(ctx, id, RunRequest{MessageID: "unknown"})
	wantKind(t, "of no message", err, fs.ErrNotExist)
	_, _, err = w.SpawnRun(ctx, id, RunRequest{MessageID: m1.ID, SessionID: "../x"})
	wantKind(t, "a path", err, handoff.ErrInvalid)
	wantKind(t, "an end without a beginning", second(w.EndRun(ctx, id, "other", "completed", "", "")), fs.ErrNotExist)

	if _, ok, err := w.EndedRun(id, m1.ID, 99); ok || err != nil {
		t.Error("a run that goes on has ended", err)
	}
	ended, err := w.EndRun(ctx, id, run, "completed", "", "")
	if p, _ := ended.Payload.(*RunEnded); err != nil || ended.Seq != 4 || p.MessageID != m1.ID || p.Reason != "completed" {
		t.Errorf("%+v, %v", ended, err)
	}
	if again, err := w.EndRun(ctx, id, run, "cancelled", "", ""); err != nil || again.ID != ended.ID {
		t.Errorf("%+v, %v", again, err)
	}
	if p, ok, err := w.EndedRun(id, m1.ID, 4); !ok || err != nil || p.RunSessionID != run {
		t.Errorf("%+v, %v, %v", p, ok, err)
	}
	if _, ok, _ := w.EndedRun(id, m1.ID, 3); ok {
		t.Error("the end lies behind the cut")
	}
	for _, c := range []struct {
		message string
		want    uint64
	}{{m1.ID, 1}, {m2.ID, 4}} {
		if got, err := w.MessageReach(id, c.message); got != c.want || err != nil {
			t.Errorf("%d, want %d, %v", got, c.want, err)
		}
	}
}

// TestRunEndsOnce ends one run many times concurrently, like a run that completes
// while it is cancelled.
func TestRunEndsOnce(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	m := w.post(id, "one")
	_, run, err := w.SpawnRun(ctx, id, RunRequest{MessageID: m.ID})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := w.EndRun(ctx, id, run, fmt.Sprint(i), "", ""); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := types(w.events(id)); got != "created message_appended run_spawned run_ended" {
		t.Error(got)
	}
}

// TestFrameOrderOfARun is the order of RIP with a provider.
func TestFrameOrderOfARun(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	m := w.post(id, "one")
	_, run, err := w.SpawnRun(ctx, id, RunRequest{MessageID: m.ID, ActorID: "alice", Origin: "team"})
	if err != nil {
		t.Fatal(err)
	}
	selected := SelectionDecided{RunSessionID: run, MessageID: m.ID, CompilerID: "c", CompilerStrategy: "recent_messages_v1", Limits: []byte(`{"recent_messages_v1_limit":16}`)}
	if _, err := w.RecordContext(ctx, id, selected, ContextCompiled{RunSessionID: run, BundleArtifactID: strings.Repeat("0a", 32), CompilerID: "c", CompilerStrategy: "recent_messages_v1", FromSeq: 1}); err != nil {
		t.Fatal(err)
	}
	e, err := w.RecordReports(ctx, id, &SideEffects{RunSessionID: run, ToolID: "t", ToolName: "write", AffectedPaths: []string{`b\c`, "a", "b/c", "./a"}})
	if err != nil || len(e) != 1 {
		t.Fatalf("%+v, %v", e, err)
	}
	if p, _ := e[0].Payload.(*SideEffects); !slices.Equal(p.AffectedPaths, []string{"a", "b/c"}) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := w.setCursor(id, CursorUpdated{Provider: "openresponses", Cursor: []byte(`{"previous_response_id":"resp_1"}`), RunSessionID: &run}); err != nil {
		t.Error(err)
	}
	if _, err := w.EndRun(ctx, id, run, "completed", "", ""); err != nil {
		t.Error(err)
	}
	want := "created message_appended run_spawned context_selection_decided context_compiled tool_side_effects provider_cursor_updated run_ended"
	if got := types(w.events(id)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	wantKind(t, "limits that are no JSON", second(w.RecordContext(ctx, id, SelectionDecided{}, ContextCompiled{})), handoff.ErrInvalid)
}

// TestSideEffects queries ranges, and reads no other events in them: a damaged line
// in between is not noticed.
func TestSideEffects(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	var at []uint64
	for i := range 10 {
		w.post(id, strings.Repeat("x", 10))
		e, err := w.RecordReports(ctx, id, &SideEffects{RunSessionID: "r", ToolID: strconv.Itoa(i), ToolName: "write"})
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, e[0].Seq)
	}
	j, release, err := w.open(t.Context(), Continuity, id) // keeps the index, which has read all
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if n, err := j.Len(); err != nil || n != at[9]+1 {
		t.Fatal(n, err)
	}
	path := w.path(Continuity, id)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(bytes.ReplaceAll(src, []byte(`"xxxxxxxxxx"`), []byte(`xxxxxxxxxxxx`)), 0); err != nil {
		t.Fatal(err)
	}
	for from := range at[9] + 2 {
		for upTo := from; upTo < at[9]+2; upTo++ {
			var want, got []string
			for i, seq := range at {
				if from <= seq && seq <= upTo {
					want = append(want, strconv.Itoa(i))
				}
			}
			all, err := w.SideEffects(id, from, upTo)
			for _, p := range all {
				got = append(got, p.ToolID)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("from %d to %d: %v, want %v, %v", from, upTo, got, want, err)
			}
		}
	}
	_, err = w.SideEffects("nothing", 0, 1)
	wantKind(t, "side effects of nothing", err, fs.ErrNotExist)
}

// TestRIPCursors: provider_cursor_status_and_rotate_are_auditable.
func TestRIPCursors(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	status, err := w.CursorStatus(t.Context(), id)
	if err != nil || status.Active != nil || status.Cursors == nil || len(status.Cursors) != 0 {
		t.Errorf("%+v, %v", status, err)
	}
	none, err := w.RotateCursor(ctx, id, RotateRequest{})
	if err != nil || none.Rotated || none.CursorEventID != nil || len(w.events(id)) != 1 {
		t.Errorf("%+v, %v", none, err)
	}
	set := func(provider, model string) {
		if _, err := w.setCursor(id, CursorUpdated{Provider: provider, Model: &model, Cursor: []byte(`{"id":"` + model + `"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	set("b", "1")
	set("a", "2")
	set("a", "1")
	set("a", "2")
	rotated, err := w.RotateCursor(ctx, id, RotateRequest{Model: new("1"), Reason: new("user asked")})
	if err != nil || !rotated.Rotated || text(rotated.Provider) != "a" || text(rotated.Model) != "1" || rotated.Endpoint != nil {
		t.Errorf("%+v, %v", rotated, err)
	}
	status, err = w.CursorStatus(t.Context(), id)
	var got []string
	for _, c := range status.Cursors {
		got = append(got, fmt.Sprint(c.Provider, text(c.Model), c.Action, c.Seq, string(c.Cursor)))
	}
	if want := `[a1rotated5 a2set4{"id":"2"} b1set1{"id":"1"}]`; err != nil || fmt.Sprint(got) != want || status.Active.CursorEventID != text(rotated.CursorEventID) {
		t.Errorf("%v, want %s, %v", got, want, err)
	}
	for i := range 40 {
		set("many", fmt.Sprint(i))
	}
	if status, err := w.CursorStatus(t.Context(), id); err != nil || len(status.Cursors) != maxCursors || text(status.Active.Model) != "39" {
		t.Errorf("%d cursors, %v", len(status.Cursors), err)
	}
	for i := range maxCursorsKept { // more than are distinguished
		set("very many", fmt.Sprint(i))
	}
	if status, err := w.CursorStatus(t.Context(), id); err != nil || len(status.Cursors) != maxCursors || text(status.Active.Model) != fmt.Sprint(maxCursorsKept-1) {
		t.Errorf("%d cursors, %v", len(status.Cursors), err)
	}
	if r, err := w.RotateCursor(ctx, id, RotateRequest{Provider: new("b")}); err != nil || !r.Rotated {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.RotateCursor(ctx, id, RotateRequest{Provider: new("nobody")}); err != nil || r.Rotated {
		t.Errorf("%+v, %v", r, err)
	}
	wantKind(t, "status", second(w.CursorStatus(t.Context(), "unknown")), fs.ErrNotExist)
	wantKind(t, "rotate", second(w.RotateCursor(ctx, "unknown", RotateRequest{})), fs.ErrNotExist)
}

func TestSelectionStatus(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	for i := range 60 {
		w.record(id, &SelectionDecided{RunSessionID: fmt.Sprint(i), Limits: []byte(`{}`), ActorID: "a", Origin: "o"}, &Message{ActorID: "a", Origin: "o", Content: "x"})
	}
	for _, c := range []struct {
		limit *uint32
		want  int
	}{{nil, 10}, {new(uint32(0)), 0}, {new(uint32(1)), 1}, {new(uint32(99)), 50}} {
		status, err := w.SelectionStatus(t.Context(), id, SelectionRequest{Limit: c.limit})
		if err != nil || len(status.Decisions) != c.want {
			t.Errorf("%d decisions, want %d, %v", len(status.Decisions), c.want, err)
		}
		for i, d := range status.Decisions {
			if d.RunSessionID != fmt.Sprint(59-i) || d.Seq != uint64(1+2*(59-i)) || d.Resets == nil {
				t.Errorf("%d: %+v", i, d)
			}
		}
	}
	wantKind(t, "", second(w.SelectionStatus(t.Context(), "unknown", SelectionRequest{Limit: nil})), fs.ErrNotExist)
}

func TestSessions(t *testing.T) {
	w := newFixture(t)
	if _, err := w.StartSession(ctx, "r1", "hello"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "twice", second(w.StartSession(ctx, "r1", "hello")), fs.ErrExist)
	wantKind(t, "a path", second(w.StartSession(ctx, "../r1", "hello")), handoff.ErrInvalid)
	wantKind(t, "not started", second(w.AppendSession(ctx, "r2", &OutputDelta{Delta: "x"})), fs.ErrNotExist)
	wantKind(t, "an event of a thread", second(w.AppendSession(ctx, "r1", &Message{})), handoff.ErrInvalid)
	if _, ok, err := w.SessionEnded("r1"); ok || err != nil {
		t.Error("ended", err)
	}
	follow, stop := context.WithCancel(ctx)
	defer stop()
	seen := make(chan string, 10)
	go func() {
		defer close(seen)
		for e, err := range parsed(w.followed(follow, Session, "r1", 1)) {
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				return
			}
			seen <- e.Payload.Type()
		}
	}()
	for _, p := range []Payload{&OutputDelta{Delta: "a"}, &frame.ToolStarted{ToolID: "t", Name: "n", Args: []byte("{}")}, &OutputDelta{Delta: "éé"}, &SessionEnded{Reason: "completed"}} {
		if _, err := w.AppendSession(ctx, "r1", p); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"output_text_delta", "tool_started", "output_text_delta", "session_ended"} {
		if got := <-seen; got != want {
			t.Errorf("followed %s, want %s", got, want)
		}
	}
	stop()
	for range seen {
		t.Error("more than there is")
	}
	if ended, ok, err := w.SessionEnded("r1"); !ok || err != nil || ended.Reason != "completed" {
		t.Error(ended, ok, err)
	}
	for max, want := range map[int]string{0: "", 1: "a", 2: "a", 3: "aé", 100: "aéé"} {
		if got, more, err := w.SessionText("r1", max); got != want || more != (max < 5) || err != nil {
			t.Errorf("%d: %q, %v, %v", max, got, more, err)
		}
	}
	if ids, err := w.Streams(Session); err != nil || !slices.Equal(ids, []string{"r1"}) {
		t.Errorf("%v, %v", ids, err)
	}
	if list, _ := w.List(ctx); len(list) != 0 {
		t.Errorf("a run is listed as a thread: %+v", list)
	}
}

func (w *fixture) setCursor(id string, p CursorUpdated) (Event, error) {
	p.Action = "set"
	return w.one(ctx, id, by(&p, &p.ActorID, &p.Origin))
}

func TestMessages(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	for i := range 5 {
		w.run(id, fmt.Sprint(i)) // 1, 4, 7, 10, 13
	}
	for _, c := range []struct {
		upTo uint64
		max  int
		want string
	}{{99, 99, "01234"}, {99, 2, "34"}, {10, 2, "23"}, {9, 2, "12"}, {0, 9, ""}, {99, 0, ""}} {
		got := ""
		events, err := w.Messages(id, c.upTo, c.max)
		for _, e := range events {
			got += e.Payload.(*Message).Content
		}
		if got != c.want || err != nil {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	if n, err := w.MessagesUpTo(id, 99); n != 5 || err != nil {
		t.Error(n, err)
	}
	if e, err := w.Event(id, 4); err != nil || e.Payload.(*Message).Content != "1" {
		t.Error(e, err)
	}
	wantKind(t, "event", second(w.Event(id, 99)), fs.ErrNotExist)
}

func TestFollow(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	w.post(id, "0")
	follow, stop := context.WithCancel(ctx)
	defer stop()
	next := uint64(1)
	for e, err := range w.Follow(follow, id, 1) {
		if err != nil {
			wantKind(t, "the end", err, context.Canceled)
			break
		}
		if e.Seq != next {
			t.Fatalf("%d, want %d", e.Seq, next)
		}
		if next++; next == 10 {
			stop()
			continue
		}
		w.post(id, fmt.Sprint(next))
	}
	if next != 10 {
		t.Errorf("followed up to %d", next)
	}
}

// A caller that decides what to append reads the thread once, however many others
// append at the same time.
func TestDecideOnce(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	const n = 100
	var looks atomic.Int64
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			events, err := w.decide(ctx, id, func(j *journal.Journal) ([]Payload, error) {
				looks.Add(1)
				head, err := j.Len()
				return []Payload{&Message{ActorID: "alice", Origin: "team", Content: strconv.FormatUint(head, 10)}}, err
			})
			if err != nil {
				t.Error(err)
			} else if e := events[0]; e.Payload.(*Message).Content != strconv.FormatUint(e.Seq, 10) {
				t.Errorf("event %d was decided from %s events", e.Seq, e.Payload.(*Message).Content)
			}
		})
	}
	wg.Wait()
	if looks.Load() != n {
		t.Errorf("%d looks for %d events", looks.Load(), n)
	}
	if got := len(w.events(id)); got != n+1 {
		t.Errorf("%d events", got)
	}
}
