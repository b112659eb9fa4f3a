package httpapi

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/log/thread/compile/render"
)

// TestRIPRuns repeats RIP's own tests of runs that a provider answers, each
// under its name in RIP. A command replaces the provider.
func TestRIPRuns(t *testing.T) {
	needs.Unix(t, "the command is a shell's")
	for name, test := range map[string]func(*testing.T, *server){
		"thread_post_message_with_openresponses_emits_context_compiled": testContextCompiled,
		"parallel_runs_get_a_bundle_each":                               testParallelRuns,
		"hierarchical_selection_is_logged":                              testHierarchyLogged,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, serve(t, func(c *Config) {
				c.Command = []string{"cat"}
				c.Form, _ = render.FormatOf("openresponses")
			}))
		})
	}
}

// context is the bundle of a run, as named by its frame.
func (s *server) context(f frame) bundle.Context {
	s.t.Helper()
	c, err := bundle.ParseContext([]byte(s.want(200, "GET", "/artifacts/"+f.text("bundle_artifact_id"), "").body))
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func testContextCompiled(t *testing.T, s *server) {
	id := s.ensure()
	m := into[messagePosted](s.post(202, "/threads/"+id+"/messages", `{"content":"hello","actor_id":"alice","origin":"team"}`))
	got := s.read("/threads/"+id+"/events", 99, "continuity_run_ended")
	if want := []string{"continuity_created", "continuity_message_appended", "continuity_run_spawned", "continuity_context_selection_decided",
		"continuity_context_compiled", "continuity_run_ended"}; !slices.Equal(types(got), want) {
		t.Fatalf("%v", types(got))
	}
	decided, compiled := got[3], got[4]
	for _, f := range []frame{decided, compiled} {
		if f.text("run_session_id") != m.SessionID || f.text("compiler_id") != "rip.context_compiler.v1" || f.text("compiler_strategy") != "recent_messages_v1" ||
			f.text("actor_id") != "alice" || f.text("origin") != "team" {
			t.Errorf("%v", f.raw)
		}
	}
	limits, reason := decided.raw["limits"].(map[string]any), decided.raw["reason"].(map[string]any)
	if decided.text("message_id") != m.MessageID || limits["recent_messages_v1_limit"] != 16.0 || reason["selected"] != "recent_messages_v1" {
		t.Errorf("%v", decided.raw)
	}
	if compiled.text("from_message_id") != m.MessageID || len(compiled.text("bundle_artifact_id")) != 64 {
		t.Errorf("%v", compiled.raw)
	}
	c := s.context(compiled)
	if c.Source.ThreadID != id || fmt.Sprint(c.Source.FromSeq) != compiled.text("from_seq") || c.Provenance.RunSessionID != m.SessionID || c.Provenance.ActorID != "alice" {
		t.Errorf("%+v", c)
	}
	text, _, err := s.Threads.Store.SessionText(m.SessionID, 1<<20) // the input of the provider
	var sent map[string]any
	if err == nil {
		err = json.Unmarshal([]byte(text), &sent)
	}
	input, _ := sent["input"].([]any)
	if _, ok := sent["previous_response_id"]; ok || err != nil || len(input) != 1 {
		t.Errorf("%q, %v", text, err)
	}
	status := into[thread.SelectionStatus](s.post(200, "/threads/"+id+"/context-selection-status", `{"limit":1}`))
	if len(status.Decisions) != 1 || status.Decisions[0].DecisionEventID != decided.ID || status.Decisions[0].RunSessionID != m.SessionID {
		t.Errorf("%+v", status)
	}
}

func testParallelRuns(t *testing.T, s *server) {
	const runs = 8
	id := s.ensure()
	var all sync.WaitGroup
	for n := range runs {
		all.Go(func() { s.say(id, fmt.Sprint("message ", n)) })
	}
	all.Wait()
	head, err := s.Threads.Store.Head(id)
	if err != nil || head != 5*runs {
		t.Fatalf("the last event is %d, %v", head, err)
	}
	messages, bundles := map[string]string{}, map[string]bool{}
	for _, f := range s.read("/threads/"+id+"/events", int(head)+1, "") {
		switch f.Type {
		case "continuity_run_spawned":
			messages[f.text("run_session_id")] = f.text("message_id")
		case "continuity_context_compiled":
			c := s.context(f)
			bundles[f.text("bundle_artifact_id")] = true
			if run := f.text("run_session_id"); c.Provenance.RunSessionID != run || messages[run] == "" || *c.Source.FromMessageID != messages[run] || f.text("from_message_id") != messages[run] {
				t.Errorf("run %s of %s: %+v", run, messages[run], c)
			}
		}
	}
	if len(messages) != runs || len(bundles) != runs {
		t.Errorf("%d runs, %d bundles", len(messages), len(bundles))
	}
}

func testHierarchyLogged(t *testing.T, s *server) {
	id := s.ensure()
	for n := range 4 {
		m, err := s.Threads.Store.PostMessage(t.Context(), id, thread.MessageRequest{Content: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if n%2 == 1 {
			s.post(201, "/threads/"+id+"/compaction-checkpoint", fmt.Sprintf(`{"summary_markdown":"the first %d","to_message_id":%q}`, n, m.ID))
		}
	}
	s.say(id, "go on")
	got := s.read("/threads/"+id+"/events", 99, "continuity_context_compiled")
	decided := got[len(got)-2]
	list, _ := decided.raw["compaction_checkpoints"].([]any)
	if decided.text("compiler_strategy") != "hierarchical_summaries_recent_messages_v1" || len(list) != 2 || fmt.Sprint(decided.raw["reason"].(map[string]any)["to_seqs"]) != "[2 5]" {
		t.Errorf("%v", decided.raw)
	}
	if c := s.context(got[len(got)-1]); len(c.Items) != 3 { // two summaries, one message
		t.Errorf("%+v", c.Items)
	}
}

// TestRIPArtifacts: artifact_fetch's pages, by Range, and its refusals.
func TestRIPArtifacts(t *testing.T) {
	s := serve(t, nil)
	id := into[storedArtifact](s.want(201, "POST", "/artifacts", "hello world")).ID.String()
	if a := s.want(206, "GET", "/artifacts/"+id, "", "Range", "bytes=6-10"); a.body != "world" || a.Header.Get("Content-Range") != "bytes 6-10/11" {
		t.Errorf("%q, %s", a.body, a.Header.Get("Content-Range"))
	}
	s.want(404, "GET", "/artifacts/"+artifact.Sum([]byte("missing")).String(), "")
	s.want(400, "GET", "/artifacts/"+strings.ToUpper(id), "")
}

// TestDiskFails: thread_ensure_returns_500_when_index_parent_is_file, and a
// damaged thread does not affect others.
func TestDiskFails(t *testing.T) {
	s := serve(t, nil)
	good := s.ensure()
	bad := into[thread.Info](s.post(201, "/threads", `{}`)).ThreadID
	if err := os.WriteFile(s.path(".handoff/threads/"+bad+".jsonl"), []byte("no frame\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, route := range []string{"messages", "branch", "handoff"} {
		if a := s.post(500, "/threads/"+bad+"/"+route, threadRoutes[route]); strings.Contains(a.body, s.root) {
			t.Errorf("the answer names a path: %s", a.body)
		}
	}
	if src, err := os.ReadFile(s.path(".handoff/threads/" + bad + ".jsonl")); string(src) != "no frame\n" {
		t.Errorf("became %q, %v", src, err)
	}
	s.say(good, "still here")

	s = serve(t, nil)
	if err := os.RemoveAll(s.path(".handoff")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.path(".handoff"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.want(500, "POST", "/threads/ensure", "")
}
