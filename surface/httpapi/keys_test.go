package httpapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/surface/problem"
)

// keyedCase is a request that may have an Idempotency-Key. PARENT in its path and body is a
// thread with a message, MESSAGE that message; the tape main has an anchor "a".
type keyedCase struct {
	path, body string
	other      string   // an object: for each member of the body, a value that makes it another request
	alone      []string // bodies that are other requests
	not        string   // the members that make no other request, with the reason
	names      string   // the member that tells callers apart
	code       int      // of each answer, where RIP has one alone
}

// keyedCases has each operation that accepts an Idempotency-Key, by its ID.
var keyedCases = map[string]keyedCase{
	"handoff_claim": {path: "/handoffs/latest/claim", body: `{"as":"ann"}`, names: "as",
		other: `{"as":"bob","claim":"0123456789abcdef.1.x","ttl_seconds":60,"force":true,"why":"it hangs"}`},
	"handoff_next_claim": {path: "/handoffs/next/claim", body: `{"as":"ann"}`, names: "as",
		other: `{"as":"bob","ttl_seconds":60,"task":259}`},
	"handoff_new": {path: "/specs/259/handoffs", body: "{" + values + "}", names: "next_action",
		other: `{"draft":true,"carry":true,"claim":"0123456789abcdef.1.x","phase":5,"slug":"other","next_action":"Run it.","state":{"file":"a.go","location":"Line 1","goal":"b"},
			"decisions":["A: b"],"deviations":["A: b"],"dead_ends":["A: b"],"context":["a"],"references":["Plan: a.md"],"understand_first":["a"],"waiting_for":["A: b"],"left_running":["a"],"profile":"completion","thread":"t","seq":3,"replace":"latest"}`,
		alone: []string{`{"markdown":"# Phase 4 Handoff\n","phase":4}`}, not: "dry_run task unfenced"}, // writes nothing; is in the path; a condition
	"thread_create": {path: "/threads", body: `{"title":"a"}`, other: `{"title":"b"}`, names: "title"},
	"thread_branch": {path: "/threads/PARENT/branch", body: `{"title":"a"}`, names: "title",
		other: `{"title":"b","from_message_id":"MESSAGE","from_seq":1,"actor_id":"bob","origin":"test"}`},
	"thread_handoff": {path: "/threads/PARENT/handoff", body: `{"title":"a","summary_markdown":"s"}`, names: "title",
		other: `{"title":"b","summary_markdown":"t","summary_artifact_id":"` + exampleBundle + `","from_message_id":"MESSAGE","from_seq":1,"actor_id":"bob","origin":"test",
			"refs":{"files":[{"path":"a.go"}]}}`},
	"thread_post_message": {path: "/threads/PARENT/messages", body: `{"content":"a"}`, names: "content",
		other: `{"content":"b","actor_id":"bob","origin":"test","refs":{"threads":[{"thread_id":"PARENT","seq":0}]}}`, not: "openresponses", code: 202}, // is ignored
	"tape_append": {path: "/tapes/main/entries", body: `{"entries":[{"kind":"system","payload":{"content":"x"}}]}`,
		other: `{"entries":[{"kind":"system","payload":{"content":"y"}}]}`, not: "after bare"}, // conditions, which the first has met
	"tape_handoff": {path: "/tapes/main/handoff", body: `{"name":"a","summary":"s"}`, names: "summary",
		other: `{"name":"b","summary":"t","next_steps":"n","state":{"a":1},"meta":{"a":1}}`, not: "after bare overflow"}, // the last excludes a key
	"tape_fork": {path: "/tapes/main/fork", body: `{"to":"f"}`, names: "context_summary",
		other: `{"to":"g","from_anchor":"a","from_entry":1,"until":"a","next_steps":"n","context_summary":"c","trigger_on_complete":"t","link":true,"intention":{"next_steps":"n"}}`},
	"tape_reset": {path: "/tapes/main/reset", body: `{}`, other: `{}`, alone: []string{`{"archive":false,"confirm":"main"}`}},
}

// keyedOperations are the operations with an Idempotency-Key, with the members of their
// bodies.
func keyedOperations(t *testing.T) map[string][]string {
	t.Helper()
	type schema struct {
		Ref        string `json:"$ref"`
		Properties map[string]any
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name string }
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(published(), &doc); err != nil {
		t.Fatal(err)
	}
	list := map[string][]string{}
	for _, path := range doc.Paths {
		for _, op := range path {
			for _, p := range op.Parameters {
				if p.Name == "Idempotency-Key" {
					body := op.RequestBody.Content["application/json"].Schema
					if name, ok := strings.CutPrefix(body.Ref, "#/components/schemas/"); ok {
						body = doc.Components.Schemas[name]
					}
					list[op.OperationID] = slices.Collect(maps.Keys(body.Properties))
				}
			}
		}
	}
	return list
}

// TestKeys: with an Idempotency-Key, a request that is repeated has one effect and one
// answer, also if eight ask at once. With any member changed it is refused and nothing is
// done: its answer would be somebody else's.
func TestKeys(t *testing.T) {
	operations := keyedOperations(t)
	if len(operations) != len(keyedCases) {
		t.Errorf("%d operations with a key, %d cases", len(operations), len(keyedCases))
	}
	for id, members := range operations {
		t.Run(id, func(t *testing.T) {
			c, ok := keyedCases[id]
			if !ok {
				t.Fatal("the operation has no case")
			}
			var other map[string]json.RawMessage
			if err := json.Unmarshal([]byte(c.other), &other); err != nil {
				t.Fatal(err)
			}
			for _, name := range members {
				if _, ok := other[name]; !ok && !slices.Contains(strings.Fields(c.not), name) && !strings.Contains(strings.Join(c.alone, ""), `"`+name+`"`) {
					t.Errorf("no other value of %s", name)
				}
			}
			testKeys(t, c, other)
		})
	}
}

func testKeys(t *testing.T, c keyedCase, other map[string]json.RawMessage) {
	s, put := keyedServer(t)
	first := s.keyed(put(c.path), put(c.body), "k")
	if again := s.keyed(put(c.path), put(c.body), "k"); first.StatusCode/100 != 2 || again.StatusCode != cmp.Or(c.code, 200) || again.body != first.body {
		t.Fatalf("%d: %s, then %d: %s", first.StatusCode, first.body, again.StatusCode, again.body)
	}
	bodies := c.alone
	for name, value := range other {
		bodies = append(bodies, with(t, c.body, name, value))
	}
	for _, body := range bodies {
		before := snapshot(t, s.root)
		a := s.keyed(put(c.path), put(body), "k")
		if a.StatusCode != http.StatusConflict || into[problem.Problem](a).Type != problem.KeyReused.Type {
			t.Errorf("%s: %d: %s", body, a.StatusCode, a.body)
		}
		if after := snapshot(t, s.root); !maps.Equal(before, after) {
			maps.DeleteFunc(after, func(path string, sum [32]byte) bool { return before[path] == sum })
			t.Errorf("%s: it was refused, but changed %v", body, slices.Collect(maps.Keys(after)))
		}
	}
	if a := s.keyed(put(c.path), put(c.body), "k"); a.body != first.body {
		t.Errorf("%s, after others: %s", first.body, a.body)
	}

	s, put = keyedServer(t)
	codes, answers := s.atOnce(put(c.path), func(int) string { return put(c.body) })
	if len(answers) != 1 || codes[200]+codes[201]+codes[c.code] != 8 || codes[201] > 1 {
		t.Errorf("eight times the same: %v, %v", codes, answers)
	}
	if c.names == "" {
		return
	}
	s, put = keyedServer(t)
	codes, answers = s.atOnce(put(c.path), func(i int) string {
		return put(with(t, c.body, c.names, fmt.Appendf(nil, `"Name %d."`, i)))
	})
	if codes[cmp.Or(c.code, 201)] != 1 || codes[409] != 7 || len(answers) != 2 {
		t.Errorf("eight others with one key: %v, %v", codes, answers)
	}
}

// with is a body with another value of a member.
func with(t *testing.T, body, name string, value json.RawMessage) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Error(err)
	}
	all[name] = value
	text, err := json.Marshal(all)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// keyedServer is a server for a [keyedCase]; put replaces its names.
func keyedServer(t *testing.T) (s *server, put func(string) string) {
	t.Helper()
	s = serve(t, nil)
	s.post(201, "/tapes/main/handoff", `{"name":"a"}`)
	id := s.ensure()
	said := s.say(id, "hello")
	return s, strings.NewReplacer("PARENT", id, "MESSAGE", said.MessageID).Replace
}

func (s *server) keyed(path, body, key string) answer {
	s.t.Helper()
	return s.ask("POST", path, body, "Content-Type", "application/json", "Idempotency-Key", key)
}

// atOnce sends eight requests with one key, and counts the codes and the answers.
func (s *server) atOnce(path string, body func(int) string) (codes, answers map[any]int) {
	codes, answers = map[any]int{}, map[any]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			a := s.keyed(path, body(i), "k")
			mu.Lock()
			defer mu.Unlock()
			codes[a.StatusCode]++
			answers[a.body]++
		})
	}
	all.Wait()
	return codes, answers
}

// snapshot has the SHA-256 of each file that a request could change; locks and what is
// derived in the background are none.
func snapshot(t *testing.T, root string) map[string][32]byte {
	t.Helper()
	files := map[string][32]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") || strings.Contains(path, "/.handoff/tmp/") || strings.Contains(path, "/feed") || strings.HasSuffix(path, "/tape/manifest.json") {
			return err
		}
		src, err := os.ReadFile(path)
		files[path] = sha256.Sum256(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
