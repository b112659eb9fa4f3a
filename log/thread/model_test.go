package thread

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// modelThread is a thread as it should be.
type modelThread struct {
	title    string
	archived bool
	parent   *Parent
	own      []modelEvent
	key      string // of the request that created it
	request  string
}

type modelEvent struct{ kind, id, of, text string }

// machine does the same operations on a store and on a model.
type machine struct {
	w       *fixture
	ticks   *atomic.Uint64
	threads map[string]*modelThread
	runs    int
}

func (m *machine) pick(t *rapid.T) (string, *modelThread) {
	ids := slices.Sorted(maps.Keys(m.threads))
	if len(ids) == 0 {
		t.Skip("no thread yet")
	}
	id := rapid.SampledFrom(ids).Draw(t, "thread")
	return id, m.threads[id]
}

func (m *machine) Create(t *rapid.T) {
	title := rapid.SampledFrom([]string{"a", "b", "é<&>"}).Draw(t, "title")
	info, _, err := m.w.Create(ctx, CreateRequest{Title: &title})
	if err != nil {
		t.Fatal(err)
	}
	m.threads[info.ThreadID] = &modelThread{title: title, own: []modelEvent{{kind: "created"}}}
}

func (m *machine) Post(t *rapid.T) {
	id, thread := m.pick(t)
	text := rapid.StringN(0, 20, -1).Draw(t, "text")
	e, err := m.w.PostMessage(ctx, id, MessageRequest{Content: text})
	if err != nil || e.Seq != uint64(len(thread.own)) {
		t.Fatal(e, err)
	}
	thread.own = append(thread.own, modelEvent{"message_appended", e.ID, "", text})
}

func (m *machine) message(t *rapid.T, thread *modelThread) string {
	ids := []string{"unknown"}
	for _, e := range thread.own {
		if e.kind == "message_appended" {
			ids = append(ids, e.id)
		}
	}
	return rapid.SampledFrom(ids).Draw(t, "message")
}

func (m *machine) Run(t *rapid.T) {
	id, thread := m.pick(t)
	message := m.message(t, thread)
	m.runs++
	run := fmt.Sprintf("run-%d", m.runs)
	_, _, err := m.w.SpawnRun(ctx, id, RunRequest{MessageID: message, SessionID: run})
	if message == "unknown" {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	thread.own = append(thread.own, modelEvent{"run_spawned", run, message, ""})
}

func (m *machine) EndRun(t *rapid.T) {
	id, thread := m.pick(t)
	open := ""
	for _, e := range thread.own {
		if e.kind == "run_spawned" {
			open = e.id
		}
	}
	if open == "" {
		t.Skip("no run")
	}
	i := slices.IndexFunc(thread.own, func(e modelEvent) bool { return e.kind == "run_spawned" && e.id == open })
	_, err := m.w.EndRun(ctx, id, open, "completed", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(thread.own, func(e modelEvent) bool { return e.kind == "run_ended" && e.id == open }) {
		thread.own = append(thread.own, modelEvent{"run_ended", open, thread.own[i].of, ""})
	}
}

// cut applies §5 of the contract by reading all events.
func (thread *modelThread) cut(messageID *string, seq *uint64) (at uint64, message string, ok bool) {
	at = uint64(len(thread.own) - 1)
	if messageID != nil {
		found := false
		for i, e := range thread.own {
			if e.kind == "message_appended" && e.id == *messageID {
				at, found = uint64(i), true
			} else if found && e.of == *messageID {
				at = uint64(i)
			}
		}
		return at, *messageID, found
	}
	if seq != nil {
		if *seq > at {
			return 0, "", false
		}
		at = *seq
	}
	for _, e := range thread.own[:at+1] {
		if e.kind == "message_appended" {
			message = e.id
		}
	}
	return at, message, true
}

func (m *machine) selectors(t *rapid.T, thread *modelThread) (messageID *string, seq *uint64) {
	switch rapid.IntRange(0, 2).Draw(t, "selector") {
	case 1:
		return new(m.message(t, thread)), nil
	case 2:
		return nil, new(rapid.Uint64Range(0, uint64(len(thread.own))).Draw(t, "seq"))
	}
	return nil, nil
}

func (m *machine) child(t *rapid.T, kind, parent string, thread *modelThread, id, relation, key, request string, existed bool, at uint64, message string) {
	if existed {
		old := m.threads[id]
		if old == nil || old.key != key || old.request != request {
			t.Fatalf("%s existed, and the model has %+v", id, old)
		}
		return
	}
	if m.threads[id] != nil {
		t.Fatalf("%s was made twice", id)
	}
	p := &Parent{Kind: kind, ThreadID: parent, Seq: at}
	if message != "" {
		p.MessageID = &message
	}
	m.threads[id] = &modelThread{title: "child", parent: p, own: []modelEvent{{kind: "created"}, {kind: relation}}, key: key, request: request}
}

func (m *machine) Branch(t *rapid.T) {
	id, thread := m.pick(t)
	messageID, seq := m.selectors(t, thread)
	key := rapid.SampledFrom([]string{"", "", "k1", "k2"}).Draw(t, "key")
	r, err := m.w.Branch(ctx, id, BranchRequest{Title: new("child"), FromMessageID: messageID, FromSeq: seq, Key: key})
	request := fmt.Sprint("branch", text(messageID), number(seq))
	if m.conflict(t, id, key, request, err) {
		return
	}
	at, message, ok := thread.cut(messageID, seq)
	if (err == nil) != (ok || r.Existed) {
		t.Fatalf("%+v, %v, the model says %v", r, err, ok)
	}
	if err == nil {
		m.child(t, ByBranch, id, thread, r.ThreadID, "branched", key, request, r.Existed, at, message)
	}
}

func (m *machine) Handoff(t *rapid.T) {
	id, thread := m.pick(t)
	messageID, seq := m.selectors(t, thread)
	key := rapid.SampledFrom([]string{"", "", "k1", "k2"}).Draw(t, "key")
	r, err := m.w.Handoff(ctx, id, HandoffRequest{Title: new("child"), SummaryMarkdown: new("s"), FromMessageID: messageID, FromSeq: seq, Key: key})
	request := fmt.Sprint("handoff", text(messageID), number(seq))
	if m.conflict(t, id, key, request, err) {
		return
	}
	at, message, ok := thread.cut(messageID, seq)
	if (err == nil) != (ok || r.Existed) {
		t.Fatalf("%+v, %v, the model says %v", r, err, ok)
	}
	if err == nil {
		m.child(t, ByHandoff, id, thread, r.ThreadID, "handoff_created", key, request, r.Existed, at, message)
	}
}

func number(n *uint64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// conflict reports whether another request has used the key, so that the store must
// refuse it.
func (m *machine) conflict(t *rapid.T, parent, key, request string, err error) bool {
	for _, thread := range m.threads {
		if key != "" && thread.parent != nil && thread.parent.ThreadID == parent && thread.key == key && thread.request != request {
			if !errors.Is(err, fs.ErrExist) {
				t.Fatalf("the key is used: %v", err)
			}
			return true
		}
	}
	return false
}

func (m *machine) Archive(t *rapid.T) {
	id, thread := m.pick(t)
	do := m.w.Archive
	if thread.archived = rapid.Bool().Draw(t, "archived"); !thread.archived {
		do = m.w.Unarchive
	}
	if _, err := do(ctx, id, By{}); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) Rename(t *rapid.T) {
	id, thread := m.pick(t)
	title := rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "title")
	if _, err := m.w.Rename(ctx, id, RenameRequest{Title: &title}); err != nil {
		t.Fatal(err)
	}
	thread.title = title
}

// Reopen acts like another process.
func (m *machine) Reopen(t *rapid.T) {
	m.w.Close()
	m.w = openFixture(m.w.t, m.w.root, m.ticks)
}

// LoseCatalogue deletes the catalogue: only what is in the threads remains.
func (m *machine) LoseCatalogue(t *rapid.T) {
	for _, thread := range m.threads {
		if thread.archived || thread.parent != nil && thread.title != "child" || thread.parent == nil && !slices.Contains([]string{"a", "b", "é<&>"}, thread.title) {
			t.Skip("would be lost")
		}
	}
	for id, thread := range m.threads { // renamed to another of the first titles
		if info := m.w.events(id)[0].Payload.(*Created); text(info.Title) != thread.title {
			t.Skip("would be lost")
		}
	}
	m.w.Close()
	if err := os.RemoveAll(filepath.Join(m.w.root, ".handoff/threads.jsonl")); err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(filepath.Join(m.w.root, ".handoff/threads.jsonl.idx"))
	m.w = openFixture(m.w.t, m.w.root, m.ticks)
}

// inherited is the complete view of a thread.
func (m *machine) inherited(id string) []string {
	thread := m.threads[id]
	var view []string
	if p := thread.parent; p != nil && p.Kind == ByBranch {
		above := m.inherited(p.ThreadID)
		own := len(m.threads[p.ThreadID].own)
		view = above[:len(above)-own+int(p.Seq)+1]
	}
	for _, e := range thread.own {
		view = append(slices.Clip(view), e.kind+" "+e.text)
	}
	return view
}

func (m *machine) Check(t *rapid.T) {
	list, err := m.w.List(ctx)
	if err != nil || len(list) != len(m.threads) {
		t.Fatalf("%d threads, want %d, %v", len(list), len(m.threads), err)
	}
	for _, info := range list {
		thread := m.threads[info.ThreadID]
		if thread == nil || strings.TrimPrefix(text(info.Title), "(nil)") != thread.title || info.Archived != thread.archived {
			t.Fatalf("%+v (%s), want %+v", info, text(info.Title), thread)
		}
		if fmt.Sprint(parentText(info.Parent)) != fmt.Sprint(parentText(thread.parent)) {
			t.Fatalf("%s comes from %s, want %s", info.ThreadID, parentText(info.Parent), parentText(thread.parent))
		}
		var view []string
		for e, err := range m.w.view(info.ThreadID) {
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			if p, ok := e.Payload.(*Message); ok {
				said = p.Content
			}
			view = append(view, types([]Event{e})+" "+said)
		}
		if want := m.inherited(info.ThreadID); !slices.Equal(view, want) {
			t.Fatalf("%s:\n got %q\nwant %q", info.ThreadID, view, want)
		}
	}
}

func parentText(p *Parent) string {
	if p == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s %s %d %s", p.Kind, p.ThreadID, p.Seq, text(p.MessageID))
}

// TestModel does random operations on a store and compares it with a model.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		ticks := new(atomic.Uint64)
		m := &machine{w: openFixture(t, dir, ticks), ticks: ticks, threads: map[string]*modelThread{}}
		defer func() { m.w.Close() }()
		rt.Repeat(map[string]func(*rapid.T){
			"create": m.Create, "post": m.Post, "run": m.Run, "end run": m.EndRun, "branch": m.Branch, "handoff": m.Handoff,
			"archive": m.Archive, "rename": m.Rename, "reopen": m.Reopen, "lose catalogue": m.LoseCatalogue, "": m.Check,
		})
	})
}
