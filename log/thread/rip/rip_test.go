package rip

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/thread"
)

var ctx = context.Background()

// ours is a store of ours with its artifacts.
type ours struct {
	*thread.Store
	t     *testing.T
	root  string
	blobs *artifact.Store
}

func newOurs(t *testing.T) *ours {
	t.Helper()
	root := t.TempDir()
	blobs, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	var ticks atomic.Uint64
	s, err := thread.Open(filepath.Join(root, ".handoff"), thread.Options{Workspace: "/home/u/proj", Artifacts: blobs,
		Now:   func() time.Time { return time.UnixMilli(1769092800000 + int64(ticks.Add(1))) },
		NewID: func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", ticks.Add(1)) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); blobs.Close() })
	return &ours{s, t, root, blobs}
}

func newPlace(t *testing.T) Place {
	root := t.TempDir()
	return Place{Data: filepath.Join(root, "data"), Workspace: filepath.Join(root, "workspace")}
}

func (o *ours) take(from Place) Report {
	o.t.Helper()
	r, err := Import(ctx, o.Store, o.blobs, from)
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

func (o *ours) give(to Place, threads ...string) Report {
	o.t.Helper()
	r, err := Export(ctx, o.Store, o.blobs, to, ExportOptions{Threads: threads})
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

// files are the contents of all files below a folder, without indexes and locks.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		if err != nil || d.IsDir() || strings.Contains(rel, ".idx") || strings.HasSuffix(rel, ".lock") || d.Name() == ".gitignore" { // ours
			return err
		}
		src, err := os.ReadFile(path)
		all[filepath.ToSlash(rel)] = string(src)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: %s is missing", what, name)
		}
	}
	for name, src := range got {
		if src != want[name] {
			t.Errorf("%s: %s\n got %q\nwant %q", what, name, src, want[name])
		}
	}
}

func noProblems(t *testing.T, r Report) {
	t.Helper()
	for _, p := range r.Problems {
		t.Error(p)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestGoldenStore imports, exports and imports again a store as RIP writes it.
func TestGoldenStore(t *testing.T) {
	contracts := os.Getenv("HANDOFF_CONTRACTS")
	if contracts == "" {
		t.Skip("set HANDOFF_CONTRACTS to the folder that holds rip-golden-store")
	}
	golden := Place{filepath.Join(contracts, "rip-golden-store", "data"), filepath.Join(contracts, "rip-golden-store", "workspace")}
	thereAndBack(t, golden, 4, 1)
}

// thereAndBack imports a store, exports it, and imports the export.
func thereAndBack(t *testing.T, golden Place, streams, blobs int) {
	t.Helper()
	a := newOurs(t)
	r := a.take(golden)
	noProblems(t, r)
	if len(r.Streams) != streams || r.Blobs != blobs {
		t.Errorf("%+v", r)
	}
	before := files(t, a.root)
	if r := a.take(golden); len(r.Streams) != 0 || r.Same != streams || r.Blobs != 0 || len(r.Problems) != 0 {
		t.Errorf("taken in again: %+v", r)
	}
	same(t, "taken in again", files(t, a.root), before)

	out := newPlace(t)
	r = a.give(out)
	noProblems(t, r)
	same(t, "given out", files(t, out.Data), files(t, golden.Data))
	same(t, "given out", files(t, out.Workspace), files(t, golden.Workspace))
	if r := a.give(out); len(r.Streams) != 0 || r.Same != streams || r.Snapshots != 0 {
		t.Errorf("given out again: %+v", r)
	}
	same(t, "given out again", files(t, out.Data), files(t, golden.Data))

	b := newOurs(t)
	noProblems(t, b.take(out))
	after := files(t, b.root)
	for _, tree := range []map[string]string{before, after} {
		delete(tree, ".handoff/threads.jsonl") // it contains the time of the import
	}
	same(t, "taken in from what was given out", after, before)
	listA, errA := a.List(ctx)
	listB, errB := b.List(ctx)
	if errA != nil || errB != nil || fmt.Sprint(texts(listA)) != fmt.Sprint(texts(listB)) {
		t.Errorf("%v, %v; %v, %v", texts(listA), errA, texts(listB), errB)
	}
}

func texts(list []thread.Info) (all []string) {
	for _, i := range list {
		parent := ""
		if i.Parent != nil {
			parent = fmt.Sprint(i.Parent.Kind, i.Parent.ThreadID, i.Parent.Seq)
		}
		all = append(all, fmt.Sprintf("%s %d %s %v %s", i.ThreadID, i.CreatedAtMS, text(i.Title), i.Archived, parent))
	}
	return all
}

// full is a store of ours with a bit of everything.
func full(t *testing.T) (o *ours, root string, child string) {
	t.Helper()
	o = newOurs(t)
	info, err := o.Ensure(ctx)
	if err != nil {
		t.Fatal(err)
	}
	root = info.ThreadID
	m, err := o.PostMessage(ctx, root, thread.MessageRequest{Content: "hello <&>\u2028"})
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := o.SpawnRun(ctx, root, thread.RunRequest{MessageID: m.ID})
	if err == nil {
		_, err = o.StartSession(ctx, run, "hello")
	}
	if err == nil {
		_, err = o.AppendSession(ctx, run, &thread.OutputDelta{Delta: "ack"}, &thread.SessionEnded{Reason: "completed"})
	}
	if err == nil {
		_, err = o.EndRun(ctx, root, run, "completed", "", "")
	}
	if err == nil {
		_, err = o.Branch(ctx, root, thread.BranchRequest{Title: new("b"), Key: "k"})
	}
	if err == nil {
		_, err = o.Checkpoint(ctx, root, thread.CheckpointRequest{SummaryMarkdown: new("sum"), ToMessageID: &m.ID})
	}
	h, hErr := o.Handoff(ctx, root, thread.HandoffRequest{Title: new("first title"), SummaryMarkdown: new("s")})
	if err = errors.Join(err, hErr); err == nil {
		_, err = o.Rename(ctx, h.ThreadID, thread.RenameRequest{Title: new("second \"title\"")})
	}
	if err == nil {
		_, err = o.Archive(ctx, h.ThreadID, thread.By{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return o, root, h.ThreadID
}

func TestThereAndBack(t *testing.T) {
	o, root, child := full(t)
	place := newPlace(t)
	r := o.give(place)
	noProblems(t, r)
	if len(r.Streams) != 4 || r.Blobs != 2 || r.Snapshots != 1 {
		t.Errorf("%+v", r)
	}
	tree := files(t, place.Data)
	if !strings.Contains(tree["continuities/index.json"], `"title": "second \"title\"",`+"\n      "+`"archived": true`) || !strings.Contains(tree["continuities/index.json"], `"/home/u/proj": "`+root+`"`) {
		t.Error(tree["continuities/index.json"])
	}
	if _, ok := tree["authority/lock.json"]; ok {
		t.Error("the lock is still there")
	}
	thereAndBack(t, place, 4, 2)
	back := newOurs(t)
	back.take(place)
	if info, err := back.Get(ctx, child); err != nil || text(info.Title) != `second "title"` || !info.Archived {
		t.Errorf("%+v, %v", info, err)
	}
	if info, err := back.Ensure(ctx); err != nil || info.ThreadID != root {
		t.Errorf("%+v, %v", info, err)
	}
	if b, err := back.Branch(ctx, root, thread.BranchRequest{Title: new("b"), Key: "k"}); err != nil || !b.Existed {
		t.Errorf("a key is forgotten on the way: %+v, %v", b, err)
	}
}

// TestExportAddsTo exports to a store of RIP with other events, and imports what RIP
// has added.
func TestExportAddsTo(t *testing.T) {
	o, root, _ := full(t)
	place := newPlace(t)
	o.give(place)
	for _, name := range []string{root + ".jsonl", root + ".mr.seek.v1.jsonl", root + "x.jsonl"} {
		write(t, place.path("continuity_streams", name), "stale")
	}
	write(t, place.indexPath(), `{"version":1,"more":{"a": 1.50},"continuities":{"rip-own":{"created_at_ms":5,"title":null,"archived":false,"x":1}},"workspaces":{"/w":"rip-own"}}`)
	log := files(t, place.Data)["events.jsonl"]
	foreign := `{"id":"e0","session_id":"rip-own","stream_kind":"continuity","stream_id":"rip-own","timestamp_ms":5,"seq":0,"type":"continuity_created","workspace":"/w","title":null,"more":[1.50]}`
	write(t, place.events(), log+foreign) // without a newline

	m, err := o.PostMessage(ctx, root, thread.MessageRequest{Content: "more"})
	if err != nil {
		t.Fatal(err)
	}
	r := o.give(place)
	if noProblems(t, r); len(r.Streams) != 1 || r.Streams[0] != (Moved{thread.Continuity, root, 1}) || r.Same != 3 {
		t.Errorf("%+v", r)
	}
	tree := files(t, place.Data)
	line, _ := m.Line()
	if want := log + foreign + "\n" + string(line) + "\n"; tree["events.jsonl"] != want {
		t.Errorf("\n got %s\nwant %s", tree["events.jsonl"], want)
	}
	if _, ok := tree["continuity_streams/"+root+".jsonl"]; ok || tree["continuity_streams/"+root+"x.jsonl"] != "stale" || tree["continuity_streams/"+root+".mr.seek.v1.jsonl"] != "" {
		t.Errorf("wrong caches are gone: %v", tree)
	}
	if x := tree["continuities/index.json"]; !strings.Contains(x, `"a": 1.50`) || !strings.Contains(x, `"x": 1`) || !strings.Contains(x, root) || strings.Index(x, "rip-own") > strings.Index(x, root) {
		t.Error(x)
	}
	r = o.take(place)
	if noProblems(t, r); len(r.Streams) != 1 || r.Streams[0] != (Moved{thread.Continuity, "rip-own", 1}) {
		t.Errorf("%+v", r)
	}
	if got := files(t, o.root)[".handoff/threads/rip-own.jsonl"]; got != foreign+"\n" {
		t.Errorf("%q", got)
	}
	if id, err := o.Default("/w"); id != "rip-own" || err != nil {
		t.Error(id, err)
	}
}

func created(id string, seq int, more string) string {
	return fmt.Sprintf(`{"id":"e%d","session_id":"%s","timestamp_ms":%d,"seq":%d,"type":"continuity_created","workspace":"/w","title":null%s}`+"\n", seq, id, seq, seq, more)
}

// TestDamagedLog imports what can be read, and reports where the rest is.
func TestDamagedLog(t *testing.T) {
	place := newPlace(t)
	write(t, place.events(), created("good", 0, "")+
		"{\"id\":broken\n"+
		created("gap", 0, "")+created("gap", 2, "")+created("gap", 3, "")+
		`{"id":"e","session_id":"new","stream_kind":"continuity","timestamp_ms":1,"seq":0,"type":"continuity_context_retrieval_decided"}`+"\n"+
		"\n"+
		created("../../up", 0, "")+
		created("twice", 0, `,"seq":0`)+
		created("good", 1, `,"more":"é"`)+
		"{\"id\":\"e2\",\"session_id\":\"go")
	o := newOurs(t)
	r := o.take(place)
	var got []string
	for _, p := range r.Problems {
		got = append(got, strings.TrimPrefix(p.Error(), place.events()))
	}
	want := []string{":2: column 7", ":4: event 2 of continuity gap found where event 1 is expected", `:6: "continuity_context_retrieval_decided": not an event type of RIP`,
		":7: column 1: is empty", `:8: invalid id "../../up"`, ":9: seq: duplicate key", ":11: the last line is incomplete"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%s, want %s", got[i], want[i])
		}
	}
	if fmt.Sprint(r.Streams) != "[{continuity gap 1} {continuity good 2}]" {
		t.Errorf("%+v", r.Streams)
	}
	if src := files(t, o.root)[".handoff/threads/good.jsonl"]; src != created("good", 0, "")+created("good", 1, `,"more":"é"`) {
		t.Error(src)
	}

	before := files(t, place.Data)
	_, err := Export(ctx, o.Store, o.blobs, place, ExportOptions{})
	if !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), "events.jsonl:2:") {
		t.Errorf("added to a log that RIP cannot read: %v", err)
	}
	same(t, "after that", files(t, place.Data), before)
}

// TestBecameAnother does not change streams that have diverged.
func TestBecameAnother(t *testing.T) {
	o, root, child := full(t)
	place := newPlace(t)
	o.give(place)
	log := files(t, place.Data)["events.jsonl"]
	write(t, place.events(), log+created(root, 5, ""))
	if _, err := o.PostMessage(ctx, root, thread.MessageRequest{Content: "here"}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.PostMessage(ctx, child, thread.MessageRequest{Content: "there"}); err != nil {
		t.Fatal(err)
	}
	head, _ := o.Head(root)
	r := o.give(place)
	if len(r.Problems) != 1 || !errors.Is(r.Problems[0], fs.ErrExist) || len(r.Streams) != 1 || r.Streams[0].ID != child {
		t.Errorf("head %d, %+v", head, r)
	}
	r = o.take(place)
	if len(r.Problems) != 1 || !errors.Is(r.Problems[0], fs.ErrExist) {
		t.Errorf("%+v", r)
	}
}

func TestChosenThreads(t *testing.T) {
	o, root, child := full(t)
	other, _, err := o.Create(ctx, thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	place := newPlace(t)
	r := o.give(place, child)
	if noProblems(t, r); len(r.Streams) != 3 || r.Streams[0].ID != child && r.Streams[1].ID != child {
		t.Errorf("want the child, its parent %s and the run: %+v", root, r)
	}
	if log := files(t, place.Data)["events.jsonl"]; strings.Contains(log, other.ThreadID) {
		t.Error("went along uncalled for")
	}
	_, err = Export(ctx, o.Store, o.blobs, place, ExportOptions{Threads: []string{"unknown"}})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestNotForRIP does not export what RIP could not read or index.
func TestNotForRIP(t *testing.T) {
	o, root, _ := full(t)
	line := `{"id":"no-uuid","session_id":"odd","timestamp_ms":1,"seq":1,"type":"continuity_message_appended","actor_id":"a","origin":"o","content":"x"}`
	if _, err := o.Import(ctx, thread.Continuity, "odd", [][]byte{[]byte(strings.TrimSpace(created("odd", 0, ""))), []byte(line)}); err != nil {
		t.Fatal(err)
	}
	unknown := filepath.Join(o.root, ".handoff/threads", "unknown.jsonl")
	write(t, unknown, created("unknown", 0, "")+`{"id":"x","session_id":"unknown","timestamp_ms":1,"seq":1,"type":"continuity_new_kind"}`+"\n")
	place := newPlace(t)
	r := o.give(place)
	if len(r.Problems) != 2 || !strings.Contains(r.Problems[0].Error(), "UUID") || !errors.Is(r.Problems[1], errUnknownType) {
		t.Errorf("%+v", r.Problems)
	}
	if log := files(t, place.Data)["events.jsonl"]; !strings.Contains(log, root) || strings.Contains(log, `"odd"`) || strings.Contains(log, "unknown") {
		t.Error(log)
	}
}

// TestAuthority: nothing is written while a server answers or the process in the
// lock exists; otherwise the stale lock is removed.
func TestAuthority(t *testing.T) {
	o, _, _ := full(t)
	const gone = 1 << 30 // higher than any process id: the id of an ended process may be in use again
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/openapi.json" {
			http.NotFound(w, r)
		}
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	const dead = "http://127.0.0.1:1" // below the range of dynamic ports
	lock := func(pid int) string {
		return fmt.Sprintf(`{"pid":%d,"started_at_ms":1,"workspace_root":"/w"}`+"\n", pid)
	}
	meta := func(endpoint string, pid int) string {
		return fmt.Sprintf(`{"endpoint":"%s","pid":%d,"started_at_ms":1,"workspace_root":"/w"}`, endpoint, pid)
	}
	old := time.Now().Add(-time.Minute)
	for name, c := range map[string]struct {
		lock, meta string
		fresh      bool
		live, held bool
	}{
		"free":                       {},
		"a server answers":           {lock: lock(os.Getpid()), meta: meta("http://"+l.Addr().String(), os.Getpid()), live: true},
		"it answers without a lock":  {meta: meta("http://"+l.Addr().String(), 1), live: true},
		"a process is starting":      {lock: lock(os.Getpid()), held: true},
		"it is there, but silent":    {lock: lock(os.Getpid()), meta: meta(dead, os.Getpid()), held: true},
		"the process is gone":        {lock: lock(gone), meta: meta(dead, gone)},
		"gone before it said more":   {lock: lock(gone)},
		"old junk":                   {lock: "junk"},
		"junk that is being written": {lock: "{", fresh: true, held: true},
		"meta is junk":               {meta: "junk"},
	} {
		place := newPlace(t)
		if c.lock != "" {
			write(t, place.lockPath(), c.lock)
			if !c.fresh {
				os.Chtimes(place.lockPath(), old, old)
			}
		}
		if c.meta != "" {
			write(t, place.path("authority", "meta.json"), c.meta)
		}
		_, err := Export(ctx, o.Store, o.blobs, place, ExportOptions{})
		var live *LiveError
		var held *LockedError
		if errors.As(err, &live) != c.live || errors.As(err, &held) != c.held || (err == nil) == (c.live || c.held) || err != nil && !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
		if live != nil && live.Endpoint != "http://"+l.Addr().String() {
			t.Errorf("%s: %+v", name, live)
		}
		if held != nil && strings.Contains(err.Error(), "process 0") {
			t.Errorf("%s: %v", name, err)
		}
		tree := files(t, place.Data)
		if (tree["events.jsonl"] != "") != (err == nil) || err == nil && tree["authority/lock.json"] != "" || err != nil && tree["authority/lock.json"] != c.lock {
			t.Errorf("%s: left %v", name, tree)
		}
	}
}

func TestSnapshots(t *testing.T) {
	o, _, _ := full(t)
	place := newPlace(t)
	o.give(place)
	runs, _ := o.Streams(thread.Session)
	path := place.path("snapshots", runs[0]+".json")
	whole := files(t, place.Data)[filepath.ToSlash("snapshots/"+runs[0]+".json")]
	write(t, path, strings.Replace(whole, "ack", "nak", 1))
	write(t, place.path("snapshots", "lost.json"), strings.ReplaceAll(whole, runs[0], "lost"))
	write(t, place.path("snapshots", "junk.json"), "junk")
	b := newOurs(t)
	r := b.take(place)
	if len(r.Problems) != 2 || !strings.Contains(r.Problems[0].Error(), runs[0]+".json: differs from the log at event 1") || !strings.Contains(r.Problems[1].Error(), "junk.json") {
		t.Errorf("%+v", r.Problems)
	}
	if text, _, err := b.SessionText("lost", 100); text != "ack" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if text, _, err := b.SessionText(runs[0], 100); text != "ack" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestIndexThatRIPWouldDrop: such an index is reported, and never overwritten.
func TestIndexThatRIPWouldDrop(t *testing.T) {
	o, root, _ := full(t)
	place := newPlace(t)
	o.give(place)
	log := files(t, place.Data)["events.jsonl"]
	for _, src := range []string{"junk", `{"version":2,"workspaces":{},"continuities":{}}`, `{"version":1,"workspaces":[]}`} {
		write(t, place.indexPath(), src)
		if r := o.take(place); len(r.Problems) != 1 || r.Problems[0].Path != place.indexPath() {
			t.Errorf("%s: %+v", src, r.Problems)
		}
		if _, err := o.PostMessage(ctx, root, thread.MessageRequest{Content: "x"}); err != nil {
			t.Fatal(err)
		}
		if _, err := Export(ctx, o.Store, o.blobs, place, ExportOptions{}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", src, err)
		}
		if got, _ := os.ReadFile(place.indexPath()); string(got) != src {
			t.Errorf("%s became %s", src, got)
		}
		if now := files(t, place.Data)["events.jsonl"]; now != log {
			t.Errorf("%s: the log was added to", src)
		}
	}
}

// TestLegacyLog has frames of older versions, as RIP's own fixture does.
func TestLegacyLog(t *testing.T) {
	place := newPlace(t)
	log := created("t", 0, "") + `{"id":"s0","session_id":"r","timestamp_ms":1,"seq":0,"type":"session_started","prompt":"hello"}` + "\n" +
		`{"id":"s1","session_id":"r","timestamp_ms":2,"seq":1,"type":"output","content":"ack: hello"}` + "\n" +
		`{"id":"k0","session_id":"k","timestamp_ms":3,"seq":0,"type":"tool_task_cancelled","task_id":"k","reason":"r","wall_time_ms":null}` + "\n"
	write(t, place.events(), log)
	o := newOurs(t)
	if r := o.take(place); len(r.Streams) != 3 || len(r.Problems) != 0 {
		t.Errorf("%+v", r)
	}
	if text, _, err := o.SessionText("r", 100); text != "ack: hello" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	out := newPlace(t)
	o.give(out)
	if got := files(t, out.Data)["events.jsonl"]; got != log {
		t.Errorf("\n got %s\nwant %s", got, log)
	}
}

// FuzzImport: whatever a log holds, all that came in goes out as a log that
// RIP can read, and comes in again the same.
func FuzzImport(f *testing.F) {
	f.Add([]byte(created("a", 0, "") + created("a", 1, `,"x":1`) + created("b", 0, "")))
	f.Add([]byte("{\n\n" + created("a", 0, "") + created("a", 2, "") + created("../a", 0, "") + `{"id":"`))
	f.Add([]byte(created("a", 0, "") + `{"id":"11111111-1111-4111-8111-111111111111","session_id":"a","timestamp_ms":0,"seq":1,"type":"continuity_message_appended","actor_id":"","origin":"","content":""}`))
	f.Fuzz(func(t *testing.T, log []byte) {
		from, to := newPlace(t), newPlace(t)
		write(t, from.events(), string(log))
		o := newOurs(t)
		o.take(from)
		o.give(to)
		err := scan(to.events(), func(l line) error { return l.err })
		if err != nil {
			t.Fatalf("%q came out as %q: %v", log, files(t, to.Data)["events.jsonl"], err)
		}
		if r := o.take(to); len(r.Streams) != 0 || len(r.Problems) != 0 {
			t.Fatalf("%q: %+v", log, r)
		}
	})
}
