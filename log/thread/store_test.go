package thread

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
)

// fixture is a store with a predictable clock and ids.
type fixture struct {
	*Store
	t         testing.TB
	root      string
	artifacts *artifact.Store
}

const workspaceName = "/home/u/proj"

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return openFixture(t, t.TempDir(), new(atomic.Uint64))
}

func openFixture(t testing.TB, root string, ticks *atomic.Uint64) *fixture {
	t.Helper()
	artifacts, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(filepath.Join(root, ".handoff"), Options{
		Workspace: workspaceName,
		Artifacts: artifacts,
		Now:       func() time.Time { return time.UnixMilli(1769092800000 + int64(ticks.Add(1))) },
		NewID:     func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", ticks.Add(1)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); artifacts.Close() })
	return &fixture{s, t, root, artifacts}
}

var ctx = context.Background()

func (w *fixture) create(title string) string {
	w.t.Helper()
	info, _, err := w.Create(ctx, CreateRequest{Title: &title})
	if err != nil {
		w.t.Fatal(err)
	}
	return info.ThreadID
}

func (w *fixture) post(id, content string) Event {
	w.t.Helper()
	e, err := w.PostMessage(ctx, id, MessageRequest{Content: content, ActorID: "alice", Origin: "team"})
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// record appends whatever it is given.
func (w *fixture) record(id string, payloads ...Payload) []Event {
	w.t.Helper()
	events, err := w.append(ctx, id, payloads...)
	if err != nil {
		w.t.Fatal(err)
	}
	return events
}

// run posts a message with a run that was started and ended for it, without other
// events in between.
func (w *fixture) run(id, content string) Event {
	w.t.Helper()
	m := w.post(id, content)
	run := w.options.NewID()
	w.record(id, &RunSpawned{RunSessionID: run, MessageID: m.ID})
	w.record(id, &RunEnded{RunSessionID: run, MessageID: m.ID, Reason: "completed"})
	return m
}

func (w *fixture) events(id string) []Event {
	w.t.Helper()
	var all []Event
	for e, err := range w.Store.Events(id, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func types(events []Event) string {
	var all []string
	for _, e := range events {
		all = append(all, strings.TrimPrefix(e.Payload.Type(), "continuity_"))
	}
	return strings.Join(all, " ")
}

func wantKind(t *testing.T, what string, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want one that is %q", what, err, kind)
	}
}

func text(p *string) string {
	if p == nil {
		return "(nil)"
	}
	return *p
}

func TestEmptyStore(t *testing.T) {
	w := newFixture(t)
	if list, err := w.List(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	for what, err := range map[string]error{
		"get":  second(w.Get(ctx, "missing")),
		"post": second(w.PostMessage(ctx, "missing", MessageRequest{Content: "x"})),
		"head": second(w.Head("missing")),
	} {
		wantKind(t, what, err, fs.ErrNotExist)
	}
	for _, err := range w.Store.Events("missing", 0) {
		wantKind(t, "events", err, fs.ErrNotExist)
	}
	if _, err := os.Stat(filepath.Join(w.root, ".handoff")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made a folder: %v", err)
	}
	for _, id := range []string{"../x", "", "a/b", "..", strings.Repeat("x", 1000)} {
		wantKind(t, "get of "+foreign(id), second(w.Get(ctx, id)), handoff.ErrInvalid)
		wantKind(t, "post to "+foreign(id), second(w.PostMessage(ctx, id, MessageRequest{})), handoff.ErrInvalid)
		wantKind(t, "branch of "+foreign(id), second(w.Branch(ctx, id, BranchRequest{})), handoff.ErrInvalid)
	}
}

func second[T any](_ T, err error) error { return err }

func TestCreateAndPost(t *testing.T) {
	w := newFixture(t)
	id := w.create("one")
	m := w.post(id, "hello\n<&>")
	if m.Seq != 1 || m.ID == "" {
		t.Errorf("%+v", m)
	}
	src, err := os.ReadFile(filepath.Join(w.root, ".handoff/threads", id+".jsonl"))
	want := `{"id":"00000000-0000-4000-8000-000000000003","session_id":"` + id + `","stream_kind":"continuity","stream_id":"` + id + `","timestamp_ms":1769092800002,"seq":0,"type":"continuity_created","workspace":"/home/u/proj","title":"one"}
{"id":"` + m.ID + `","session_id":"` + id + `","stream_kind":"continuity","stream_id":"` + id + `","timestamp_ms":1769092800005,"seq":1,"type":"continuity_message_appended","actor_id":"alice","origin":"team","content":"hello\n<&>"}
`
	if err != nil || string(src) != want {
		t.Errorf("%v\n got %s\nwant %s", err, src, want)
	}
	if _, err := w.PostMessage(ctx, id, MessageRequest{Content: "\xff"}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("posted what is not UTF-8: %v", err)
	}
	if _, err := w.PostMessage(ctx, id, MessageRequest{Content: strings.Repeat("x", maxEvent)}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("posted too much: %.200v", err)
	}
	e, err := w.PostMessage(ctx, id, MessageRequest{Content: ""})
	if m, _ := e.Payload.(*Message); err != nil || m.ActorID != "user" || m.Origin != "handoff" {
		t.Errorf("%+v, %v", m, err)
	}
	if head, err := w.Head(id); head != 2 || err != nil {
		t.Errorf("head %d, %v", head, err)
	}
}

func TestListGetRenameArchive(t *testing.T) {
	w := newFixture(t)
	a, b := w.create("a"), w.create("b")
	c, err := w.Branch(ctx, b, BranchRequest{Title: new("c")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Rename(ctx, a, RenameRequest{Title: new("A")}); err != nil {
		t.Error(err)
	}
	if _, err := w.Rename(ctx, b, RenameRequest{Title: new(" ")}); err != nil {
		t.Error(err)
	}
	for range 2 { // the second changes nothing
		if info, err := w.Archive(ctx, c.ThreadID, By{}); err != nil || !info.Archived {
			t.Errorf("%+v, %v", info, err)
		}
	}
	wantKind(t, "rename", second(w.Rename(ctx, "missing", RenameRequest{})), fs.ErrNotExist)
	wantKind(t, "archive", second(w.Archive(ctx, "missing", By{})), fs.ErrNotExist)
	for name, w := range map[string]*fixture{"this store": w, "another that opens the same": openFixture(t, w.root, new(atomic.Uint64))} {
		list, err := w.List(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, info := range list {
			got = append(got, fmt.Sprint(info.ThreadID[30:], text(info.Title), info.Archived, info.Parent != nil))
			one, err := w.Get(ctx, info.ThreadID)
			if err != nil || fmt.Sprint(one.CreatedAtMS, text(one.Title), one.Archived) != fmt.Sprint(info.CreatedAtMS, text(info.Title), info.Archived) {
				t.Errorf("%s: get %+v, list %+v, %v", name, one, info, err)
			}
		}
		if want := fmt.Sprintf("[%sAfalse false %s(nil)false false %sctrue true]", a[30:], b[30:], c.ThreadID[30:]); fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", name, got, want)
		}
	}
	lines, _ := os.ReadFile(filepath.Join(w.root, ".handoff/threads.jsonl"))
	if n := strings.Count(string(lines), "\n"); n != 6 {
		t.Errorf("%d records in the catalogue, want 6:\n%s", n, lines)
	}
	if info, err := w.Unarchive(ctx, c.ThreadID, By{}); err != nil || info.Archived {
		t.Errorf("%+v, %v", info, err)
	}
}

// TestCatalogueIsHealed deletes or damages the catalogue: it is rebuilt from the
// threads.
func TestCatalogueIsHealed(t *testing.T) {
	w := newFixture(t)
	a := w.create("a")
	w.post(a, "hello")
	b, err := w.Handoff(ctx, a, HandoffRequest{Title: new("b"), SummaryMarkdown: new("s")})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.root, ".handoff/threads.jsonl")
	for name, damage := range map[string]func() error{
		"gone":  func() error { return os.Remove(path) },
		"empty": func() error { return os.Truncate(path, 0) },
		"junk":  func() error { return os.WriteFile(path, []byte("junk\n{}\n"), 0o644) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		w := openFixture(t, w.root, new(atomic.Uint64))
		if info, err := w.Get(ctx, b.ThreadID); err != nil || text(info.Title) != "b" || info.Parent == nil || info.Parent.ThreadID != a {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
		list, err := w.List(ctx)
		if err != nil || len(list) != 2 || text(list[0].Title) != "a" || list[1].Parent == nil || list[1].Parent.Seq != 1 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		if src, err := os.ReadFile(path); err != nil || strings.Count(string(src), `"created"`) != 2 {
			t.Errorf("%s: healed to %s, %v", name, src, err)
		}
	}
}

// TestOneDamagedThread hides no other.
func TestOneDamagedThread(t *testing.T) {
	w := newFixture(t)
	good, bad := w.create("good"), w.create("bad")
	w.post(bad, "x")
	path := filepath.Join(w.root, ".handoff/threads", bad+".jsonl")
	src, _ := os.ReadFile(path)
	lines := strings.SplitAfter(string(src), "\n")
	if err := os.WriteFile(path, []byte(lines[0]+"{\"broken\"\n"+lines[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(w.root, ".handoff/threads.jsonl"))
	w = openFixture(t, w.root, new(atomic.Uint64))
	list, err := w.List(ctx)
	if len(list) != 1 || list[0].ThreadID != good || err == nil || !strings.Contains(err.Error(), bad+".jsonl:2:") {
		t.Errorf("%+v, %v", list, err)
	}
	for e, err := range w.Store.Events(bad, 0) {
		if err == nil && e.Seq != 0 || err != nil && !strings.Contains(err.Error(), bad+".jsonl:2:") {
			t.Errorf("%+v, %v", e, err)
		}
	}
	w.post(good, "still")
}

func TestEnsure(t *testing.T) {
	w := newFixture(t)
	first, err := w.Ensure(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w.create("newer")
	if _, err := w.Branch(ctx, first.ThreadID, BranchRequest{}); err != nil {
		t.Fatal(err)
	}
	other := openFixture(t, w.root, new(atomic.Uint64))
	for range 2 {
		again, err := other.Ensure(ctx)
		if err != nil || again.ThreadID != first.ThreadID {
			t.Errorf("%+v, %v", again, err)
		}
	}
	if list, err := w.List(ctx); err != nil || len(list) != 3 {
		t.Errorf("%d threads, %v", len(list), err)
	}
	other.options.Workspace = "/moved/proj"
	if moved, err := other.Ensure(ctx); err != nil || moved.ThreadID != first.ThreadID {
		t.Errorf("of a folder that was moved: %+v, %v", moved, err)
	}
	if err := os.Remove(filepath.Join(w.root, ".handoff/threads", first.ThreadID+".jsonl")); err != nil {
		t.Fatal(err)
	}
	made, err := openFixture(t, w.root, new(atomic.Uint64)).Ensure(ctx)
	if err != nil || len(w.events(made.ThreadID)) != 1 {
		t.Errorf("of one whose file was taken away: %+v, %v", made, err)
	}
}

func TestIdempotencyKeys(t *testing.T) {
	w := newFixture(t)
	parent := w.create("p")
	w.post(parent, "hello")
	info, existed, err := w.Create(ctx, CreateRequest{Title: new("x"), Key: "k0"})
	again, existedAgain, errAgain := w.Create(ctx, CreateRequest{Title: new("x"), Key: "k0"})
	if err != nil || errAgain != nil || existed || !existedAgain || info.ThreadID != again.ThreadID {
		t.Errorf("%v %v %v, %v %v %v", info, existed, err, again, existedAgain, errAgain)
	}
	branch := BranchRequest{Title: new("b"), Key: "k1"}
	b, err := w.Branch(ctx, parent, branch)
	if err != nil || b.Existed {
		t.Fatal(b, err)
	}
	w.post(parent, "meanwhile") // the head has changed
	if b2, err := w.Branch(ctx, parent, branch); err != nil || !b2.Existed || b2.ThreadID != b.ThreadID || b2.ParentSeq != 1 || text(b2.ParentMessageID) != text(b.ParentMessageID) {
		t.Errorf("%+v, %v", b2, err)
	}
	ho := HandoffRequest{SummaryMarkdown: new("s"), Key: "k2", Refs: HandoffRefs{Files: []bundle.FileRef{{Path: "a"}}}}
	h, err := w.Handoff(ctx, parent, ho)
	if err != nil || h.Existed {
		t.Fatal(h, err)
	}
	h2, err := w.Handoff(ctx, parent, ho)
	if h2.Existed = false; err != nil || fmt.Sprint(h2.ThreadID, h2.FromSeq, text(h2.FromMessageID), h2.SummaryArtifactID) != fmt.Sprint(h.ThreadID, h.FromSeq, text(h.FromMessageID), h.SummaryArtifactID) {
		t.Errorf("%+v, want %+v, %v", h2, h, err)
	}
	list, _ := w.List(ctx)
	other := ho
	other.Refs.Files = nil
	for what, err := range map[string]error{
		"another title":  second(w.Branch(ctx, parent, BranchRequest{Title: new("c"), Key: "k1"})),
		"another verb":   second(w.Handoff(ctx, parent, HandoffRequest{SummaryMarkdown: new("s"), Key: "k1"})),
		"other files":    second(w.Handoff(ctx, parent, other)),
		"another create": third(w.Create(ctx, CreateRequest{Key: "k0"})),
	} {
		wantKind(t, what, err, fs.ErrExist)
	}
	if after, _ := w.List(ctx); len(after) != len(list) || len(after) != 4 {
		t.Errorf("%d threads, then %d", len(list), len(after))
	}
	if b, err := w.Branch(ctx, b.ThreadID, branch); err != nil || b.Existed {
		t.Errorf("the same key for another parent: %+v, %v", b, err)
	}
	for _, e := range w.events(b.ThreadID) {
		if !e.Known() {
			t.Errorf("%+v", e)
		}
	}
}

func third[A, B any](_ A, _ B, err error) error { return err }

// TestUnknownThread: append_*_unknown_continuity_is_error.
func TestUnknownThread(t *testing.T) {
	w := newFixture(t)
	w.create("another")
	_, _, spawn := w.SpawnRun(ctx, "unknown", RunRequest{MessageID: "m"})
	for what, err := range map[string]error{
		"spawn":        spawn,
		"end":          second(w.EndRun(ctx, "unknown", "r", "", "", "")),
		"side effects": second(w.RecordReports(ctx, "unknown", &SideEffects{})),
		"context":      second(w.RecordContext(ctx, "unknown", SelectionDecided{Limits: []byte("{}")}, ContextCompiled{})),
		"cursor":       second(w.setCursor("unknown", CursorUpdated{Provider: "p"})),
		"messages":     second(w.Messages("unknown", 1, 1)),
		"up to":        second(w.MessagesUpTo("unknown", 1)),
		"reach":        second(w.MessageReach("unknown", "m")),
		"message":      second(w.MessageByID("unknown", "m")),
		"checkpoint":   second(w.CheckpointUpTo("unknown", 1, 1, "")),
		"job":          second(w.RunJob(ctx, Job{ThreadID: "unknown"})),
		"default":      w.SetDefault(ctx, "/w", "unknown"),
		"text":         third(w.SessionText("unknown", 1)),
		"ended":        third(w.SessionEnded("unknown")),
	} {
		wantKind(t, what, err, fs.ErrNotExist)
	}
	for _, err := range w.StreamEvents(Session, "unknown", 0) {
		wantKind(t, "session events", err, fs.ErrNotExist)
	}
	for _, err := range w.Follow(ctx, "unknown", 0) {
		wantKind(t, "follow", err, fs.ErrNotExist)
	}
}

// TestIndexIsGone: append_message_recovers_seq_when_next_seq_cache_missing,
// and everything else that the index finds.
func TestIndexIsGone(t *testing.T) {
	w := newFixture(t)
	first, err := w.Ensure(ctx)
	if err != nil {
		t.Fatal(err)
	}
	id := first.ThreadID
	m := w.run(id, "one")
	w.post(id, "two")
	w.Close()
	folders, _ := filepath.Glob(filepath.Join(w.root, ".handoff", "*", "*.idx"))
	for _, f := range append(folders, filepath.Join(w.root, ".handoff/threads.jsonl")) {
		if err := os.RemoveAll(f); err != nil {
			t.Fatal(err)
		}
	}
	ticks := new(atomic.Uint64)
	ticks.Store(1000)
	w = openFixture(t, w.root, ticks)
	if e := w.post(id, "three"); e.Seq != 5 {
		t.Errorf("continues with %d", e.Seq)
	}
	if b, err := w.Branch(ctx, id, BranchRequest{FromMessageID: &m.ID}); err != nil || b.ParentSeq != 3 {
		t.Errorf("%+v, %v", b, err)
	}
	// ensure_default_recovers_from_missing_index, and never to a child.
	if again, err := w.Ensure(ctx); err != nil || again.ThreadID != id {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestFolderIsAFile: thread_ensure_returns_500_when_index_parent_is_file.
func TestFolderIsAFile(t *testing.T) {
	w := newFixture(t)
	if err := os.WriteFile(filepath.Join(w.root, ".handoff"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, ensure := w.Ensure(ctx)
	_, _, create := w.Create(ctx, CreateRequest{})
	for _, err := range []error{ensure, create} {
		if err == nil || errors.Is(err, handoff.ErrInvalid) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
			t.Errorf("%v: not the disk's fault?", err)
		}
	}
}
