package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/surface/problem"
	"handoff/workspace/threadops"
)

var jsonType = []string{"Content-Type", "application/json"}

// post sends JSON and compares the status.
func (s *server) post(code int, path, body string, header ...string) answer {
	s.t.Helper()
	return s.want(code, "POST", path, body, append(header, jsonType...)...)
}

// frame has the parts of a frame that tests compare.
type frame struct {
	ID, Type, StreamID, SessionID string
	Seq                           uint64
	raw                           map[string]any
}

func (f frame) text(key string) string { return fmt.Sprint(f.raw[key]) }

// read reads n frames of a stream, or up to the first one of a type.
func (s *server) read(path string, n int, until string) (list []frame) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), waittest.Limit)
	defer cancel()
	resp, lines := s.open(ctx, path)
	if resp.StatusCode != 200 {
		s.t.Fatalf("%s: %d", path, resp.StatusCode)
	}
	for len(list) < n && lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var f frame
		var keys struct {
			Type      string
			StreamID  string `json:"stream_id"`
			SessionID string `json:"session_id"`
			Seq       uint64
			ID        string
		}
		if err := json.Unmarshal([]byte(data), &keys); err != nil {
			s.t.Fatalf("%s: %v", data, err)
		}
		f.ID, f.Type, f.StreamID, f.SessionID, f.Seq = keys.ID, keys.Type, keys.StreamID, keys.SessionID, keys.Seq
		json.Unmarshal([]byte(data), &f.raw)
		if list = append(list, f); f.Type == until {
			return list
		}
	}
	if len(list) < n || until != "" {
		s.t.Fatalf("%s: %d frames, no %q: %v", path, len(list), until, types(list))
	}
	return list
}

func types(list []frame) (names []string) {
	for _, f := range list {
		names = append(names, f.Type)
	}
	return names
}

// ensure returns the id of the default thread.
func (s *server) ensure() string {
	s.t.Helper()
	return into[threadops.Ensured](s.want(200, "POST", "/threads/ensure", "")).ThreadID
}

// say posts a message and waits for the end of its run.
func (s *server) say(id, content string) messagePosted {
	s.t.Helper()
	m := into[messagePosted](s.post(202, "/threads/"+id+"/messages", fmt.Sprintf(`{"content":%q}`, content)))
	s.read("/threads/"+id+"/events?from_seq=0", 1<<20, "continuity_run_ended")
	waittest.Until(s.t, "the end of the run", func() bool {
		ended, ok, err := s.Threads.Store.SessionEnded(m.SessionID)
		if err != nil {
			s.t.Fatal(err)
		}
		return ok && ended.Reason == runner.Completed
	})
	return m
}

// form replaces ids and times in an answer, so that tests can compare all of
// it.
func form(text string) string {
	text = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`).ReplaceAllString(text, "UUID")
	text = regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(text, "HASH")
	return regexp.MustCompile(`1770912300000`).ReplaceAllString(text, "NOW") // the clock of the tests
}

func (s *server) form(want string, a answer) {
	s.t.Helper()
	if got := form(a.body); got != want {
		s.t.Errorf("%s\nwant %s", got, want)
	}
}

func TestThreadBasics(t *testing.T) {
	s := serve(t, nil)
	if a := s.want(200, "GET", "/threads", ""); a.body != "[]" {
		t.Errorf("at first: %s", a.body)
	}
	id := s.ensure()
	if again := s.ensure(); again != id {
		t.Errorf("%s, then %s", id, again)
	}
	s.form(`{"thread_id":"UUID"}`, s.want(200, "POST", "/threads/ensure", "no JSON", "Content-Type", "text/plain"))
	s.form(`[{"thread_id":"UUID","created_at_ms":NOW,"title":null,"archived":false}]`, s.want(200, "GET", "/threads", ""))
	s.form(`{"thread_id":"UUID","created_at_ms":NOW,"title":null,"archived":false}`, s.want(200, "GET", "/threads/"+id, ""))

	made := s.post(201, "/threads", `{"title":"a <b>"}`)
	s.form(`{"thread_id":"UUID","created_at_ms":NOW,"title":"a <b>","archived":false}`, made)
	s.post(201, "/threads", `{}`, "Idempotency-Key", "k")
	s.post(200, "/threads", `{}`, "Idempotency-Key", "k")
	s.post(409, "/threads", `{"title":"other"}`, "Idempotency-Key", "k")
	if n := len(into[[]thread.Info](s.want(200, "GET", "/threads", ""))); n != 3 {
		t.Errorf("%d threads", n)
	}

	made2 := into[thread.Info](made).ThreadID
	s.form(`{"thread_id":"UUID","created_at_ms":NOW,"title":"new","archived":false}`, s.post(200, "/threads/"+made2+"/rename", `{"title":"new","actor_id":"alice"}`))
	s.form(`{"thread_id":"UUID","created_at_ms":NOW,"title":"new","archived":true}`, s.post(200, "/threads/"+made2+"/archive", `{}`))
	s.form(`{"thread_id":"UUID","created_at_ms":NOW,"title":null,"archived":true}`, s.post(200, "/threads/"+made2+"/rename", `{"title":null}`))
	s.form(`{"thread_id":"UUID","created_at_ms":NOW,"title":null,"archived":false}`, s.post(200, "/threads/"+made2+"/unarchive", `{}`))
}

// threadRoutes are all routes of a thread, with a valid body.
var threadRoutes = map[string]string{
	"messages":                 `{"content":"x"}`,
	"branch":                   `{}`,
	"handoff":                  `{"summary_markdown":"s"}`,
	"provider-cursor-status":   `{}`,
	"provider-cursor-rotate":   `{"actor_id":"a","origin":"o"}`,
	"context-selection-status": `{}`,
	"compaction-checkpoint":    `{"summary_markdown":"s","stride_messages":1}`,
	"compaction-cut-points":    `{}`,
	"compaction-status":        `{}`,
	"compaction-auto":          `{"actor_id":"a","origin":"o"}`,
	"compaction-auto-schedule": `{"actor_id":"a","origin":"o"}`,
	"archive":                  `{}`,
	"compile":                  `{}`,
	"unarchive":                `{}`,
	"rename":                   `{}`,
}

// TestThreadCodes: invalid bodies and ids get the same status as from RIP.
func TestThreadCodes(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	for route, good := range threadRoutes {
		path := "/threads/" + id + "/" + route
		for _, unknown := range []string{"unknown", "11111111-1111-4111-8111-111111111111", "..%2f..%2fetc", "%2e%2e", "a%00b", strings.Repeat("x", 200)} {
			s.post(404, "/threads/"+unknown+"/"+route, good)
		}
		s.post(400, "/threads/%ff/"+route, good)
		s.post(400, path, ``)
		s.post(400, path, `{`)
		s.post(400, path, "{\"content\":\"\xff\"}")
		s.post(400, "/threads/unknown/"+route, `{`) // the body is read first
		s.want(415, "POST", path, good)
		s.want(415, "POST", path, good, "Content-Type", "text/plain")
		s.post(422, path, `[]`)
		s.post(422, path, `"x"`)
		s.post(422, path, `null`)
		s.post(413, path, `{"x":"`+strings.Repeat("x", 3<<20)+`"}`)
		s.want(405, "PUT", path, good)
		s.want(405, "GET", path, "")
	}
	for _, c := range []struct{ route, body string }{
		{"messages", `{}`}, {"messages", `{"content":null}`}, {"messages", `{"content":"x","openresponses":1}`},
		{"messages", `{"content":"x","openresponses":{"include":["nothing"]}}`}, {"messages", `{"content":"x","openresponses":{"reasoning":{"effort":"huge"}}}`},
		{"branch", `{"from_seq":-1}`}, {"branch", `{"from_seq":1.5}`}, {"branch", `{"from_seq":"1"}`}, {"branch", `{"title":1}`},
		{"handoff", `{"summary_markdown":["x"]}`},
		{"provider-cursor-rotate", `{}`}, {"provider-cursor-rotate", `{"actor_id":"a"}`}, {"provider-cursor-rotate", `{"actor_id":null,"origin":"o"}`},
		{"compaction-auto", `{}`}, {"compaction-auto", `{"actor_id":"a"}`}, {"compaction-auto-schedule", `{"origin":"o"}`},
		{"compaction-cut-points", `{"limit":4294967296}`}, {"compaction-status", `{"stride_messages":-1}`},
	} {
		s.post(422, "/threads/"+id+"/"+c.route, c.body)
	}
	for _, route := range []string{"checkpoint", "cut-points", "status", "auto", "auto-schedule"} {
		s.post(400, "/threads/"+id+"/compaction-"+route, `{"stride_messages":0,"summary_markdown":"s","actor_id":"a","origin":"o"}`)
	}
	for _, path := range []string{"/threads/unknown", "/threads/..", "/threads/unknown/events", "/threads/unknown/lineage", "/threads/%2e%2e%2fx/events"} {
		s.want(404, "GET", path, "")
	}
	if _, err := s.Threads.Store.Head(id); err != nil {
		t.Error(err)
	}
	if n, _ := s.Threads.Store.Head(id); n != 0 {
		t.Errorf("refused requests left %d frames", n)
	}
}

// TestRefusals: the error explains what is wrong with a request, and does not
// repeat any part of the request.
func TestRefusals(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	s.say(id, "hello")
	path := "/threads/" + id
	other := into[threadops.Ensured](s.post(201, "/threads", `{}`)).ThreadID
	child := into[thread.HandoffResult](s.post(201, "/threads/"+other+"/handoff", `{"summary_markdown":"s"}`)).ThreadID
	e, err := s.Threads.Store.Event(child, 1)
	if err != nil {
		t.Fatal(err)
	}
	bundle := *e.Payload.(*thread.HandedOff).SummaryArtifactID
	const noMessage = "no message of the thread has that id: see its events"
	for what, body := range map[string]string{"/branch": `{"from_message_id":"x"}`, "/compaction-checkpoint": `{"summary_markdown":"s","to_message_id":"x"}`, "/compile": `{"message_id":"x"}`} {
		if got := into[problem.Problem](s.post(404, path+what, body)).Detail; got != noMessage {
			t.Errorf("%s: %s", what, got)
		}
	}
	for _, c := range []struct{ what, body, want string }{
		{"/branch", ``, "the body is empty: want JSON, at least {}"},
		{"/branch", `{"from_seq":99}`, "from_seq is out of range: the last event is 3"},
		{"/branch", `{"from_seq":1,"from_message_id":"x"}`, "give one of from_message_id and from_seq, not both"},
		{"/handoff", `{}`, "give summary_markdown or summary_artifact_id, or both"},
		{"/handoff", `{"summary_markdown":" "}`, "summary_markdown is empty: write what the successor must know"},
		{"/handoff", `{"summary_artifact_id":"../x"}`, "want the summary_artifact_id of a handoff bundle of this thread"},
		{"/handoff", `{"summary_artifact_id":"` + bundle + `"}`, "want the summary_artifact_id of a handoff bundle of this thread"},
		{"/compaction-checkpoint", `{}`, "give summary_markdown or summary_artifact_id, or both"},
		{"/compaction-checkpoint", `{"summary_markdown":"s"}`, "no checkpoint is due yet (messages: 1): give to_message_id, to_seq or a smaller stride_messages"},
		{"/compaction-checkpoint", `{"summary_markdown":"s","to_seq":0}`, "to_seq is not a message: want the event number of a message"},
		{"/compaction-checkpoint", `{"summary_artifact_id":"` + bundle + `","to_seq":1}`, "want the summary_artifact_id of a compaction summary of this thread"},
		{"/compile", `{"from_seq":99}`, "the cut is after the last event, which is 3"},
	} {
		if got := into[problem.Problem](s.post(400, path+c.what, c.body)).Detail; got != c.want {
			t.Errorf("%s %s: %s, want %s", c.what, c.body, got, c.want)
		}
	}
}

func TestThreadStream(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	body := `{"content":"hello","actor_id":"alice","origin":"team","unknown":1,"openresponses":{"endpoint":"http://127.0.0.1:9/v1/responses","model":"m","stateless_history":true,"parallel_tool_calls":false,"include":["reasoning.encrypted_content"],"followup_user_message":"go on","web_search":{"enabled":false},"reasoning":{"effort":"low","summary":"auto"}}}`
	a := s.post(202, "/threads/"+id+"/messages", body)
	s.form(`{"thread_id":"UUID","message_id":"UUID","session_id":"UUID"}`, a)
	const ignored = "openresponses.endpoint, openresponses.model, openresponses.stateless_history, openresponses.parallel_tool_calls, openresponses.include, " +
		"openresponses.followup_user_message, openresponses.web_search, openresponses.reasoning"
	if got := strings.Join(a.Header.Values("Handoff-Ignored"), ", "); got != "unknown, "+ignored || !strings.Contains(s.log.String(), ignored) {
		t.Errorf("settings that are ignored: %q, in the log %s", got, s.log)
	}
	m := into[messagePosted](a)
	got := s.read("/threads/"+id+"/events", 4, "")
	if want := []string{"continuity_created", "continuity_message_appended", "continuity_run_spawned", "continuity_run_ended"}; !slices.Equal(types(got), want) {
		t.Fatalf("%v", types(got))
	}
	for i, f := range got {
		if f.Seq != uint64(i) || f.StreamID != id {
			t.Errorf("%d: %+v", i, f)
		}
	}
	for _, f := range got[1:] {
		if f.text("actor_id") != "alice" || f.text("origin") != "team" {
			t.Errorf("%s: by %s, %s", f.Type, f.text("actor_id"), f.text("origin"))
		}
	}
	if got[1].text("content") != "hello" || got[1].ID != m.MessageID || got[2].text("run_session_id") != m.SessionID || got[3].text("reason") != "completed" {
		t.Errorf("%+v", got)
	}
	run := s.read("/sessions/"+m.SessionID+"/events", 3, "session_ended")
	if want := []string{"session_started", "output_text_delta", "session_ended"}; !slices.Equal(types(run), want) || run[1].text("delta") != "ack: hello" || run[2].text("reason") != "completed" {
		t.Errorf("%+v", run)
	}
	a = s.post(202, "/threads/"+id+"/messages", `{"content":"","actor_id":null}`)
	if got := a.Header.Values("Handoff-Ignored"); got != nil {
		t.Errorf("nothing is ignored: %q", got)
	}
	m = into[messagePosted](a)
	if got := s.read("/threads/"+id+"/events?from_seq=4", 3, ""); got[0].Seq != 4 || got[0].text("actor_id") != "user" || got[0].text("origin") != "server" || got[0].text("content") != "" {
		t.Errorf("%+v", got[0])
	}
	s.want(200, "HEAD", "/sessions/"+m.SessionID+"/events", "")
	if ct := s.want(200, "HEAD", "/threads/"+id+"/events", "").Header.Get("Content-Type"); ct != "text/event-stream" {
		t.Error(ct)
	}
}

// TestStreamLines: every line of a stream is data, an id, a comment or empty,
// and each event is its number and one line of JSON.
func TestStreamLines(t *testing.T) {
	s := serve(t, func(c *Config) { c.KeepAlive = 5 * time.Millisecond })
	id := s.ensure()
	s.say(id, "two\nlines")
	_, lines := s.open(t.Context(), "/threads/"+id+"/events")
	for n, pings := 0, 0; n < 4 || pings == 0; {
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		switch line := lines.Text(); {
		case line == "":
		case line == ": ping":
			pings++
		case line == fmt.Sprintf("id: %d", n):
			if lines.Scan(); !strings.HasPrefix(lines.Text(), `data: {"id":"`) || !json.Valid([]byte(lines.Text()[6:])) {
				t.Errorf("%q", lines.Text())
			}
			n++
		default:
			t.Fatalf("%q", line)
		}
	}
}

// TestInheritedStream reads what a branch of a branch inherits before its own events, numbered through, from each number on, and what comes later. Without
// a part of it, nothing is sent.
func TestInheritedStream(t *testing.T) {
	s := serve(t, nil)
	root := s.ensure()
	s.say(root, "hello")
	s.say(root, "not inherited")
	middle := into[thread.BranchResult](s.post(201, "/threads/"+root+"/branch", `{"from_seq":1}`)).ThreadID
	s.say(middle, "more")
	last := into[thread.BranchResult](s.post(201, "/threads/"+middle+"/branch", `{"from_seq":2}`)).ThreadID
	path := "/threads/" + last + "/events?inherited=true"
	if n := s.want(200, "HEAD", path, "").Header.Get("Handoff-Last-Seq"); n != "6" {
		t.Errorf("the last one is %s, want 6", n)
	}
	s.say(last, "own")
	var want []string
	for _, f := range [][]any{{root, 0}, {root, 1}, {middle, 0}, {middle, 1}, {middle, 2}, {last, 0}, {last, 1}, {last, 2}} {
		want = append(want, fmt.Sprint(f...))
	}
	for from := range 8 {
		resp, lines := s.open(t.Context(), path+fmt.Sprint("&from_seq=", from))
		if from%2 == 1 {
			resp.Body.Close()
			resp, lines = s.open(t.Context(), path, "Last-Event-ID", strconv.Itoa(from-1))
		}
		for n := from; n < 8 && lines.Scan(); {
			id, number := strings.CutPrefix(lines.Text(), "id: ")
			data, event := strings.CutPrefix(lines.Text(), "data: ")
			switch {
			case number && id != strconv.Itoa(n):
				t.Errorf("event %s, want %d", id, n)
			case event:
				var f struct {
					StreamID string `json:"stream_id"`
					Seq      int
				}
				if err := json.Unmarshal([]byte(data), &f); err != nil || fmt.Sprint(f.StreamID, f.Seq) != want[n] {
					t.Errorf("event %d: %+v, want %s, %v", n, f, want[n], err)
				}
				n++
			}
		}
		resp.Body.Close()
	}
	if err := os.Remove(filepath.Join(s.Threads.Root(), ".handoff", "threads", root+".jsonl")); err != nil {
		t.Fatal(err)
	}
	if a := s.want(409, "GET", path, ""); !strings.Contains(a.body, "restore its parent") {
		t.Errorf("%s", a.body)
	}
}

func TestBranch(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	m := s.say(id, "hello")
	s.say(id, "more")
	path := "/threads/" + id + "/branch"
	a := s.post(201, path, fmt.Sprintf(`{"title":"child","from_message_id":%q,"from_seq":null,"actor_id":"alice","origin":"team"}`, m.MessageID))
	s.form(`{"thread_id":"UUID","parent_thread_id":"UUID","parent_seq":3,"parent_message_id":"UUID"}`, a)
	b := into[thread.BranchResult](a)
	if b.ParentThreadID != id || *b.ParentMessageID != m.MessageID {
		t.Errorf("%s", a.body)
	}
	got := s.read("/threads/"+b.ThreadID+"/events", 2, "")
	if !slices.Equal(types(got), []string{"continuity_created", "continuity_branched"}) || got[1].text("actor_id") != "alice" || got[1].text("origin") != "team" || got[0].text("title") != "child" {
		t.Errorf("%+v", got)
	}
	s.form(`{"thread_id":"UUID","parent_thread_id":"UUID","parent_seq":6,"parent_message_id":"UUID"}`, s.post(201, path, `{}`))
	s.form(`{"thread_id":"UUID","parent_thread_id":"UUID","parent_seq":0}`, s.post(201, path, `{"from_seq":0}`))
	s.form(`{"thread_id":"UUID","parent_thread_id":"UUID","parent_seq":2,"parent_message_id":"UUID"}`, s.post(201, path, `{"from_seq":2,"x":1}`))
	s.post(400, path, `{"from_seq":999}`)
	s.post(400, path, fmt.Sprintf(`{"from_seq":1,"from_message_id":%q}`, m.MessageID))
	s.post(404, path, `{"from_message_id":"22222222-2222-4222-8222-222222222222"}`)
	s.post(404, path, `{"from_message_id":""}`)
	first := s.post(201, path, `{"title":"t"}`, "Idempotency-Key", "once")
	if again := s.post(200, path, `{"title":"t"}`, "Idempotency-Key", "once"); again.body != first.body {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	s.post(409, path, `{"title":"u"}`, "Idempotency-Key", "once")

	tree := into[thread.Node](s.want(200, "GET", "/threads/"+b.ThreadID+"/lineage", ""))
	if tree.ThreadID != id || len(tree.Children) != 1 || !tree.Children[0].Focus || tree.Children[0].Parent.Seq != 3 {
		t.Errorf("%+v", tree)
	}
	if tree := into[thread.Node](s.want(200, "GET", "/threads/"+id+"/lineage", "")); len(tree.Children) != 5 {
		t.Errorf("%d children", len(tree.Children))
	}
}

func TestThreadHandoff(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	m := s.say(id, "hello")
	path := "/threads/" + id + "/handoff"
	a := s.post(201, path, fmt.Sprintf(`{"title":"handoff","summary_markdown":"# Summary\n\n- hello","summary_artifact_id":null,"from_message_id":%q,"from_seq":null,"actor_id":"alice","origin":"team"}`, m.MessageID))
	s.form(`{"thread_id":"UUID","from_thread_id":"UUID","from_seq":3,"from_message_id":"UUID"}`, a)
	child := into[thread.HandoffResult](a).ThreadID
	got := s.read("/threads/"+child+"/events", 2, "")
	if !slices.Equal(types(got), []string{"continuity_created", "continuity_handoff_created"}) || got[1].text("summary_markdown") != "# Summary\n\n- hello" || got[1].text("actor_id") != "alice" {
		t.Errorf("%+v", got)
	}
	blob := s.want(200, "GET", "/artifacts/"+got[1].text("summary_artifact_id"), "")
	b, err := bundle.ParseHandoff([]byte(blob.body))
	if err != nil || b.SummaryMarkdown != "# Summary\n\n- hello" || len(b.Refs.Threads) != 1 || b.Refs.Threads[0].ThreadID != id || b.Refs.Threads[0].Seq != 3 || *b.Refs.Threads[0].MessageID != m.MessageID {
		t.Errorf("%s, %v", blob.body, err)
	}
	s.form(`{"thread_id":"UUID","from_thread_id":"UUID","from_seq":0}`, s.post(201, path, `{"summary_markdown":"s","from_seq":0}`))
	s.post(201, path, fmt.Sprintf(`{"summary_artifact_id":%q,"from_message_id":%q}`, artifact.Sum([]byte(blob.body)), m.MessageID))
	for _, body := range []string{`{}`, `{"title":"x"}`, `{"summary_markdown":null}`, `{"summary_markdown":"s","from_seq":999}`,
		fmt.Sprintf(`{"summary_markdown":"s","from_seq":1,"from_message_id":%q}`, m.MessageID), `{"summary_artifact_id":"../../etc/passwd"}`} {
		s.post(400, path, body)
	}
	s.post(404, path, `{"summary_markdown":"s","from_message_id":"22222222-2222-4222-8222-222222222222"}`)
	id2, _, err := s.Threads.Blobs.Put([]byte("log"))
	if err != nil {
		t.Fatal(err)
	}
	a = s.post(201, path, fmt.Sprintf(`{"summary_markdown":"s","from_seq":0,"refs":{"artifacts":[{"artifact_id":"%s","note":"the log"}],"files":[{"path":"a/b.go","note":null},{"path":"c"}]}}`, id2))
	got = s.read("/threads/"+into[thread.HandoffResult](a).ThreadID+"/events", 2, "")
	blob = s.want(200, "GET", "/artifacts/"+got[1].text("summary_artifact_id"), "")
	if want := `"artifacts":[{"artifact_id":"` + id2.String() + `","note":"the log"}],"files":[{"path":"a/b.go","note":null},{"path":"c","note":null}]}}`; !strings.HasSuffix(blob.body, want) {
		t.Errorf("%s\nwant in it %s", blob.body, want)
	}
	for _, body := range []string{`{"summary_markdown":"s","refs":{"artifacts":[],"files":[{"path":"../up","note":null}]}}`, `{"summary_markdown":"s","refs":{"artifacts":[{"artifact_id":"nothex"}],"files":[]}}`,
		fmt.Sprintf(`{"summary_artifact_id":%q,"refs":{"artifacts":[],"files":[{"path":"a"}]}}`, got[1].text("summary_artifact_id"))} {
		if a := s.ask("POST", path, body, jsonType...); a.StatusCode != 400 && a.StatusCode != 422 {
			t.Errorf("%s: %d", body, a.StatusCode)
		}
	}
	s.post(404, path, `{"summary_markdown":"s","refs":{"artifacts":[{"artifact_id":"`+strings.Repeat("d", 64)+`"}],"files":[]}}`)
	other := into[thread.Info](s.post(201, "/threads", `{}`)).ThreadID
	a = s.post(201, path, `{"summary_markdown":"s","refs":{"threads":[{"thread_id":"`+other+`","seq":0,"note":"too"}]}}`)
	s.post(404, path, `{"summary_markdown":"s","refs":{"threads":[{"thread_id":"22222222-2222-4222-8222-222222222222","seq":0}]}}`)
	s.post(400, path, `{"summary_markdown":"s","refs":{"threads":[{"thread_id":"`+other+`","seq":9}]}}`)
	s.form(`{"thread_id":"UUID","event_id":"UUID","to_thread_id":"UUID","seq":0}`, s.post(201, "/threads/"+id+"/references", `{"to_thread_id":"`+other+`"}`))
	s.post(404, "/threads/"+id+"/references", `{"to_thread_id":"22222222-2222-4222-8222-222222222222"}`)
	s.post(202, "/threads/"+id+"/messages", `{"content":"see there","refs":{"threads":[{"thread_id":"`+other+`","seq":0}]}}`)
	for child, want := range map[string]int{into[thread.HandoffResult](a).ThreadID: 1, id: 1} {
		made := into[compiled](s.post(200, "/threads/"+child+"/compile", `{"refs":true}`))
		if n := strings.Count(string(made.Context), `"thread_ref","thread_id":"`+other+`","seq":0`); n != want {
			t.Errorf("%d references in %s", n, made.Context)
		}
	}
	a = s.post(201, path, `{"summary_markdown":"s","refs":{"files":[{"path":"README.md"}]}}`)
	if text := s.post(200, "/threads/"+into[thread.HandoffResult](a).ThreadID+"/compile", `{"refs_text":true}`).body; !strings.Contains(text, "files are not included here") {
		t.Errorf("who asks a server reads any file: %s", text)
	}
	before := len(into[[]thread.Info](s.want(200, "GET", "/threads", "")))
	a = s.ask("POST", path, `{"summary_artifact_id":"`+strings.Repeat("d", 64)+`"}`, jsonType...)
	if a.StatusCode != 404 && a.StatusCode != 400 {
		t.Errorf("an artifact that is not there: %d", a.StatusCode)
	}
	if after := len(into[[]thread.Info](s.want(200, "GET", "/threads", ""))); after != before {
		t.Errorf("a ghost thread: %d, then %d", before, after)
	}
}

func TestCursors(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	status, rotate := "/threads/"+id+"/provider-cursor-status", "/threads/"+id+"/provider-cursor-rotate"
	s.form(`{"thread_id":"UUID","active":null,"cursors":[]}`, s.post(200, status, `{}`))
	s.form(`{"thread_id":"UUID","rotated":false,"provider":null,"endpoint":null,"model":null,"cursor_event_id":null}`,
		s.post(200, rotate, `{"provider":null,"endpoint":null,"model":null,"reason":"user asked","actor_id":"user","origin":"server"}`))
	endpoint, model, session := "http://127.0.0.1:9/v1/responses", "m", "33333333-3333-4333-8333-333333333333"
	reason := "run_completed"
	set := thread.Event{ID: thread.NewUUID(), StreamID: id, TimestampMS: 1770912300000, Seq: 1, Payload: &thread.CursorUpdated{
		Provider: "openresponses", Endpoint: &endpoint, Model: &model, Cursor: []byte(`{"previous_response_id":"resp_1"}`), Action: "set",
		Reason: &reason, RunSessionID: &session, ActorID: "user", Origin: "cli"}}
	line, err := set.Line()
	if err == nil {
		_, err = s.Threads.Store.Import(t.Context(), thread.Continuity, id, [][]byte{line})
	}
	if err != nil {
		t.Fatal(err)
	}
	one := `{"cursor_event_id":"UUID","provider":"openresponses","endpoint":"http://127.0.0.1:9/v1/responses","model":"m","cursor":{"previous_response_id":"resp_1"},"action":"set","reason":"run_completed","run_session_id":"UUID","actor_id":"user","origin":"cli","seq":1,"timestamp_ms":NOW}`
	s.form(`{"thread_id":"UUID","active":`+one+`,"cursors":[`+one+`]}`, s.post(200, status, `{}`))
	s.form(`{"thread_id":"UUID","rotated":true,"provider":"openresponses","endpoint":"http://127.0.0.1:9/v1/responses","model":"m","cursor_event_id":"UUID"}`,
		s.post(200, rotate, `{"actor_id":"  ","origin":""}`))
	if last := s.read("/threads/"+id+"/events?from_seq=2", 1, "")[0]; last.text("actor_id") != "user" || last.text("origin") != "server" || last.text("action") != "rotated" {
		t.Errorf("%+v", last)
	}
	s.form(`{"thread_id":"UUID","decisions":[]}`, s.post(200, "/threads/"+id+"/context-selection-status", `{"limit":10}`))
}

func TestCompaction(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	m := s.say(id, "hello")
	path := "/threads/" + id + "/compaction-"
	s.form(`{"thread_id":"UUID","stride_messages":1,"message_count":1,"cut_rule_id":"stride_messages_v1/1","cut_points":[{"target_message_ordinal":1,"to_seq":1,"to_message_id":"UUID","already_checkpointed":false,"latest_checkpoint_id":null}]}`,
		s.post(200, path+"cut-points", `{"stride_messages":1,"limit":2}`))
	s.form(`{"thread_id":"UUID","stride_messages":1,"message_count":1,"latest_checkpoint":null,"next_cut_point":{"target_message_ordinal":1,"to_seq":1,"to_message_id":"UUID"},"inflight_job_id":null,"last_schedule_decision":null,"last_job_outcome":null}`,
		s.post(200, path+"status", `{"stride_messages":1}`))
	head, _ := s.Threads.Store.Head(id)
	s.form(`{"thread_id":"UUID","job_id":null,"job_kind":null,"status":"noop","stride_messages":1,"message_count":1,"cut_rule_id":"stride_messages_v1/1","planned":[{"target_message_ordinal":1,"to_seq":1,"to_message_id":"UUID"}],"result":[],"error":null}`,
		s.post(200, path+"auto", `{"stride_messages":1,"max_new_checkpoints":1,"dry_run":true,"actor_id":"user","origin":"cli"}`))
	s.post(200, path+"auto-schedule", `{"stride_messages":1,"dry_run":true,"actor_id":"user","origin":"cli"}`)
	if after, _ := s.Threads.Store.Head(id); after != head {
		t.Errorf("a dry run appended %d frames", after-head)
	}
	s.form(`{"thread_id":"UUID","checkpoint_id":"UUID","cut_rule_id":"manual_v1","summary_artifact_id":"HASH","to_seq":1,"to_message_id":"UUID"}`,
		s.post(201, path+"checkpoint", fmt.Sprintf(`{"summary_markdown":"checkpoint summary","summary_artifact_id":null,"to_message_id":%q,"to_seq":null,"stride_messages":null,"actor_id":null,"origin":null}`, m.MessageID)))
	s.post(400, path+"checkpoint", `{}`)
	s.post(404, path+"checkpoint", `{"summary_markdown":"s","to_message_id":"22222222-2222-4222-8222-222222222222"}`)
	s.say(id, "second")
	a := s.post(202, path+"auto", `{"stride_messages":1,"actor_id":"user","origin":"cli"}`)
	if r := into[thread.AutoResult](a); r.Status != "spawned" || r.JobID == nil {
		t.Errorf("%s", a.body)
	}
	s.read("/threads/"+id+"/events", 1<<20, "continuity_job_ended")
	s.say(id, "third")
	s.form(`{"thread_id":"UUID","decision_id":"UUID","policy_id":"compaction_auto_schedule_v1/stride_messages_v1/1/max_new_checkpoints_v1/1/block_on_inflight_v1/true","decision":"scheduled","execute":true,"stride_messages":1,"max_new_checkpoints":1,"block_on_inflight":true,"message_count":3,"cut_rule_id":"stride_messages_v1/1","planned":[{"target_message_ordinal":3,"to_seq":`+fmt.Sprint(into[thread.CutPoints](s.post(200, path+"cut-points", `{"stride_messages":1}`)).CutPoints[0].ToSeq)+`,"to_message_id":"UUID"}],"job_id":"UUID","job_kind":"compaction_summarizer_v1","result":[],"error":null}`,
		s.post(202, path+"auto-schedule", `{"stride_messages":1,"max_new_checkpoints":1,"block_on_inflight":true,"execute":true,"dry_run":false,"actor_id":"user","origin":"cli"}`))
}

func TestSessions(t *testing.T) {
	s := serve(t, nil)
	a := s.want(201, "POST", "/sessions", "")
	s.form(`{"session_id":"UUID"}`, a)
	id := into[sessionCreated](a).SessionID
	resp, lines := s.open(t.Context(), "/sessions/"+id+"/events") // before there are any events
	if resp.StatusCode != 200 {
		t.Fatal(resp.StatusCode)
	}
	if a := s.post(202, "/sessions/"+id+"/input", `{"input":"{\"tool\":\"artifact_fetch\"}"}`); a.body != "" {
		t.Errorf("%q", a.body)
	}
	var got []string
	for len(got) < 3 && lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var f struct{ Type string }
			json.Unmarshal([]byte(data), &f)
			got = append(got, f.Type)
		}
	}
	if !slices.Equal(got, []string{"session_started", "output_text_delta", "session_ended"}) {
		t.Errorf("%v", got)
	}
	for lines.Scan() { // the stream ends with the run
		if strings.HasPrefix(lines.Text(), "data: ") {
			t.Errorf("after the end: %q", lines.Text())
		}
	}
	for from, want := range map[string]int{"2": 1, "3": 0, "9": 0} {
		_, rest := s.open(t.Context(), "/sessions/"+id+"/events?from_seq="+from)
		n := 0
		for rest.Scan() {
			n += strings.Count(rest.Text(), "data: ")
		}
		if n != want {
			t.Errorf("from %s: %d frames, want %d", from, n, want)
		}
	}
	s.post(409, "/sessions/"+id+"/input", `{"input":"again"}`)
	s.want(204, "POST", "/sessions/"+id+"/cancel", "") // it has already ended
	for _, unknown := range []string{"unknown", "..%2fx", "%2e%2e"} {
		s.post(404, "/sessions/"+unknown+"/input", `{"input":"x"}`)
		s.want(404, "GET", "/sessions/"+unknown+"/events", "")
		s.want(404, "POST", "/sessions/"+unknown+"/cancel", "")
	}
	s.post(422, "/sessions/"+id+"/input", `{}`)
	s.post(400, "/sessions/"+id+"/input", ``)
	s.want(415, "POST", "/sessions/"+id+"/input", `{"input":"x"}`)

	waiting := into[sessionCreated](s.want(201, "POST", "/sessions", "")).SessionID
	_, lines = s.open(t.Context(), "/sessions/"+waiting+"/events")
	s.want(204, "POST", "/sessions/"+waiting+"/cancel", "")
	s.want(404, "POST", "/sessions/"+waiting+"/cancel", "")
	s.post(404, "/sessions/"+waiting+"/input", `{"input":"x"}`)
	for lines.Scan() {
		if lines.Text() != "" {
			t.Errorf("%q", lines.Text())
		}
	}
}

// TestCancel cancels a running run: its stream and its thread report that,
// once.
func TestCancel(t *testing.T) {
	needs.Unix(t, "the command is a shell's")
	s := serve(t, func(c *Config) { c.Command = []string{"sh", "-c", "echo begun; sleep 60"} })
	id := s.ensure()
	m := into[messagePosted](s.post(202, "/threads/"+id+"/messages", `{"content":"x"}`))
	s.read("/sessions/"+m.SessionID+"/events", 99, "output_text_delta")
	s.want(204, "POST", "/sessions/"+m.SessionID+"/cancel", "")
	if end := s.read("/sessions/"+m.SessionID+"/events", 99, "session_ended"); end[len(end)-1].text("reason") != "cancelled" {
		t.Errorf("%+v", end)
	}
	end := s.read("/threads/"+id+"/events", 99, "continuity_run_ended")
	if want := []string{"continuity_created", "continuity_message_appended", "continuity_run_spawned", "continuity_context_selection_decided",
		"continuity_context_compiled", "continuity_run_ended"}; !slices.Equal(types(end), want) || end[5].text("reason") != "cancelled" {
		t.Errorf("%v", types(end))
	}
	s.want(404, "POST", "/sessions/"+m.SessionID+"/cancel", "")
	s.form(`{"thread_id":"UUID","decisions":[{"decision_event_id":"UUID","run_session_id":"UUID","message_id":"UUID","compiler_id":"rip.context_compiler.v1","compiler_strategy":"recent_messages_v1","limits":{"hierarchical_summaries_v1_max_refs":3,"recent_messages_v1_limit":16},"compaction_checkpoint":null,"resets":[],"reason":{"cause":"no_compaction_checkpoint","selected":"recent_messages_v1"},"actor_id":"user","origin":"server","seq":3,"timestamp_ms":NOW}]}`,
		s.post(200, "/threads/"+id+"/context-selection-status", `{"limit":1}`))
}

// TestRunner: a command gets the context of a branch, and its output is sent.
func TestRunner(t *testing.T) {
	needs.Unix(t, "the command is a shell's")
	s := serve(t, func(c *Config) {
		c.Command = []string{"sh", "-c", `grep -c secret-of-the-parent; echo "$HANDOFF_THREAD_ID"`}
	})
	id := s.ensure()
	s.say(id, "secret-of-the-parent")
	child := into[thread.BranchResult](s.post(201, "/threads/"+id+"/branch", `{}`)).ThreadID
	m := s.say(child, "go on")
	text, _, err := s.Threads.Store.SessionText(m.SessionID, 1000)
	if want := "1\n" + child + "\n"; text != want || err != nil {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
}

// TestRunsEnd: a server that stops lets runs finish for a while, and then ends
// the others.
func TestRunsEnd(t *testing.T) {
	needs.Unix(t, "the command is a shell's")
	s := serve(t, func(c *Config) { c.Drain, c.Command = 100*time.Millisecond, []string{"sleep", "60"} })
	id := s.ensure()
	m := into[messagePosted](s.post(202, "/threads/"+id+"/messages", `{"content":"x"}`))
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".handoff/threads/" + id, ".handoff/sessions/" + m.SessionID} {
		if src, err := os.ReadFile(s.path(path + ".jsonl")); err != nil || !strings.Contains(string(src), `"reason":"cancelled"`) {
			t.Errorf("%s, %v", src, err)
		}
	}
}

// TestKilledRun: a run whose process was killed ends for the clients that
// follow it, although no other process checks it. A run that cannot be closed
// is reported once.
func TestKilledRun(t *testing.T) {
	s := serve(t, func(c *Config) { c.Reap = time.Millisecond })
	id := s.ensure()
	e, err := s.Threads.Store.PostMessage(t.Context(), id, thread.MessageRequest{Content: "x"})
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := s.Threads.Store.SpawnRun(t.Context(), id, thread.RunRequest{MessageID: e.ID})
	if err == nil {
		_, err = s.Threads.Store.StartSession(t.Context(), run, "x")
	}
	if err != nil {
		t.Fatal(err)
	}
	record := func(name, text string) {
		if err := os.MkdirAll(s.path(".handoff/runs"), 0o755); err != nil {
			t.Fatal(err)
		}
		whole := s.path(".handoff/runs/" + name) // the server polls the file, so it must appear complete
		if err := errors.Join(os.WriteFile(whole, []byte(text), 0o644), os.Rename(whole, whole+".json")); err != nil {
			t.Fatal(err)
		}
	}
	record("broken", "{")
	record(run, fmt.Sprintf(`{"run_id":%q,"thread_id":%q,"message_id":%q}`, run, id, e.ID))
	if got := s.read("/sessions/"+run+"/events", 2, "")[1]; got.Type != "session_ended" || got.raw["reason"] != runner.Killed {
		t.Errorf("%+v", got)
	}
	if got := s.read("/threads/"+id+"/events", 4, "")[3]; got.Type != "continuity_run_ended" || got.raw["reason"] != runner.Killed {
		t.Errorf("%+v", got)
	}
	time.Sleep(20 * time.Millisecond) // enough time for many more polls
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if text := s.log.String(); strings.Count(text, "could not be closed") != 1 || !strings.Contains(text, "broken") {
		t.Errorf("%s", text)
	}
}

func TestCompile(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	m := s.say(id, "hello")
	child := into[thread.BranchResult](s.post(201, "/threads/"+id+"/branch", `{}`)).ThreadID
	s.say(child, "in the child")
	path := "/threads/" + child + "/compile"
	a := s.post(200, path, `{"for":"prompt"}`)
	c := into[compiled](a)
	prompt, _ := c.Rendering.(string)
	if !strings.Contains(prompt, "hello") || !strings.Contains(prompt, "in the child") || !strings.Contains(string(c.Context), `"schema":"rip.context_bundle.v1"`) {
		t.Errorf("%s", a.body)
	}
	if blob := s.want(200, "GET", "/artifacts/"+c.Bundle.String(), ""); blob.body != string(c.Context) {
		t.Errorf("%s is not %s", blob.body, c.Context)
	}
	c = into[compiled](s.post(200, path, `{"base":false,"store":false,"for":"anthropic"}`))
	if rendering := fmt.Sprint(c.Rendering); strings.Contains(rendering, "hello") || !strings.Contains(rendering, "messages") {
		t.Errorf("%s", rendering)
	}
	s.want(404, "GET", "/artifacts/"+c.Bundle.String(), "")
	if c := into[compiled](s.post(200, path, `{"from_seq":0}`)); c.Rendering != nil || c.Explanation.FromSeq != 0 {
		t.Errorf("%+v", c)
	}
	for body, want := range map[string]int{
		`{"from_seq":99}`: 400, `{"message_id":""}`: 400, `{"message_id":"x","from_seq":0}`: 400, `{"budget":0}`: 400, `{"budget":1}`: 400, `{"for":"morse"}`: 422,
		`{"message_id":"22222222-2222-4222-8222-222222222222"}`: 404, fmt.Sprintf(`{"message_id":%q}`, m.MessageID): 404,
	} {
		s.post(want, path, body)
	}
	s.Threads.Blobs.Max = 100
	if a := s.post(413, path, `{}`); !strings.Contains(a.body, "set a budget to leave out what does not fit") {
		t.Errorf("%s", a.body)
	}
}
