package httpapi

import (
	"encoding/json"
	"fmt"
	"handoff/workspace/handoffops"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/workspace/authoring"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/once"
)

// values are a handoff that no rule refuses.
const values = `"phase":4,"next_action":"Apply rcases on h_ih to extract the induction hypothesis.",
	"state":{"file":"specs/870_zorn/plans/implementation-001.md","location":"Line 342","goal":"the induction step is open"},
	"decisions":["Use strong induction: The weak form loses the bound"],"dead_ends":["simp only: it loops"],
	"context":["h_ih is a conjunction"],"references":["Plan: specs/870_zorn/plans/implementation-001.md, Phase 3"]`

// refused is the body of a 422.
type refusedAnswer struct {
	Detail   string
	Findings []newFinding
}

func names(t *testing.T, s *server, task string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(s.path("specs/" + task + "/handoffs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func (s *server) postJSON(code int, path, body string, header ...string) answer {
	s.t.Helper()
	return s.want(code, "POST", path, body, append([]string{"Content-Type", "application/json"}, header...)...)
}

// TestNewHandoffCarries: the dead ends and the context of the handoff before are taken over
// when asked for, and otherwise counted; a repeated request changes nothing.
func TestNewHandoffCarries(t *testing.T) {
	s := serve(t, nil)
	before := len(names(t, s, "259_prove_completeness"))
	s.postJSON(201, "/specs/259/handoffs", "{"+values+"}")
	v := strings.NewReplacer(`["simp only: it loops"]`, `[]`, `["h_ih is a conjunction"]`, `[]`, `"phase":4`, `"phase":5`).Replace(values)
	dry := into[handoffCreated](s.postJSON(200, "/specs/259/handoffs", `{"carry":true,"dry_run":true,`+v+"}"))
	if dry.Carried != 2 || !strings.Contains(dry.Document, "simp only: it loops") {
		t.Errorf("%+v", dry)
	}
	for _, code := range []int{201, 200} {
		a := s.postJSON(code, "/specs/259/handoffs", `{"carry":true,`+v+"}", "Idempotency-Key", "one")
		made := into[handoffCreated](a)
		if made.Carried != 2 || made.Vanished != 0 || made.Ref != "259/5" {
			t.Errorf("%s", a.body)
		}
	}
	if list := names(t, s, "259_prove_completeness"); len(list) != before+2 {
		t.Errorf("%q", list)
	}
	v = strings.Replace(v, `"phase":5`, `"phase":6`, 1)
	if made := into[handoffCreated](s.postJSON(201, "/specs/259/handoffs", "{"+v+"}")); made.Carried != 0 || made.Vanished != 2 {
		t.Errorf("%+v", made)
	}
	s.postJSON(400, "/specs/259/handoffs", `{"carry":true,"markdown":"# x"}`)
}

// TestNewHandoff: a handoff is written, linted and linked, and can be read at its
// Location.
func TestNewHandoff(t *testing.T) {
	s := serve(t, nil)
	a := s.postJSON(201, "/specs/259/handoffs", "{"+values+"}")
	made := into[handoffCreated](a)
	if !strings.HasPrefix(made.Path, "specs/259_prove_completeness/handoffs/phase-4-handoff-20260212T1605") || made.Ref != "259/4" ||
		len(made.Warnings) != 1 || !strings.Contains(made.Warnings[0], "phase-3-handoff-20260212T143022Z.md was still waiting") {
		t.Fatalf("%s", a.body)
	}
	if got := s.want(200, "GET", a.Header.Get("Location")+"/document", "").body; !strings.Contains(got, "Apply rcases on h_ih") {
		t.Errorf("%s", got)
	}
	if got := into[handoffops.HandoffDetail](s.want(200, "GET", a.Header.Get("Location"), "")); got.Bundle == nil {
		t.Error("the handoff is not linked")
	}
	s.postJSON(201, "/specs/7/handoffs", `{"slug":"second task",`+values+`}`)
	if len(names(t, s, "7_second_task")) != 1 {
		t.Error("the task has no folder")
	}
}

// TestNewHandoffMarkdown: a whole document is written as it was sent, except for its
// title; findings have its lines.
func TestNewHandoffMarkdown(t *testing.T) {
	s := serve(t, nil)
	src, err := os.ReadFile(s.path(exampleDocument))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(src), "\n")
	body := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return `{"phase":5,"markdown":` + string(quoted) + `}`
	}
	made := into[handoffCreated](s.postJSON(201, "/specs/259/handoffs", body(text)))
	got, err := os.ReadFile(s.path(made.Path))
	if err != nil || !strings.HasPrefix(string(got), "# Phase 5 Handoff - 20260212T16050") || !strings.HasSuffix(string(got), strings.TrimLeft(text, "\n")) {
		t.Errorf("%.100s, %v", got, err)
	}
	bad := strings.Replace(text, "## Key Decisions", "## Immediate Next Action\nDo it.\n\n## Key Decisions", 1)
	refused := into[refusedAnswer](s.postJSON(422, "/specs/259/handoffs", body(bad)))
	want := strings.Count(bad[:strings.Index(bad, "## Immediate Next Action\nDo it.")], "\n") + 1
	if !slices.ContainsFunc(refused.Findings, func(f newFinding) bool { return f.Line == want && f.Severity == "error" }) {
		t.Errorf("no error in line %d: %+v", want, refused.Findings)
	}
	for _, wrong := range []string{`{"markdown":"# Phase 3 Handoff","next_action":"x"}`, `{"task":8,"phase":1,"markdown":"x"}`, `{"task":8,` + values + `}`} {
		s.postJSON(400, "/specs/259/handoffs", wrong)
	}
}

// TestRefusedHandoff: errors come with the place of the value, and nothing is written;
// with draft it is.
func TestRefusedHandoff(t *testing.T) {
	s := serve(t, nil)
	before := names(t, s, "259_prove_completeness")
	for _, c := range []struct{ body, rule, pointer string }{
		{`{"phase":4}`, "empty-section", "/decisions"},
		{strings.Replace("{"+values+"}", "Use strong induction: The weak form loses the bound", "Use the token: ghp_"+"x7Kq2LmZ9bTfWc4RvN8sYd3HgJ6pAeQ1uXoP", 1), "secret", "/decisions/0"},
		{`{"phase":"four"}`, "invalid-value", "/phase"},
		{`{"phase":4,"next_acton":"x"}`, "invalid-value", "/next_acton"},
		{`{"next_action":"x"}`, "invalid-value", "/phase"},
		{`{"phase":4,"decisions":["x",["y"]]}`, "invalid-value", "/decisions/1"},
	} {
		a := s.postJSON(422, "/specs/259/handoffs", c.body)
		refused := into[refusedAnswer](a)
		if !slices.ContainsFunc(refused.Findings, func(f newFinding) bool { return f.Rule == c.rule && f.Pointer == c.pointer }) {
			t.Errorf("%s: no %s at %s: %s", c.body, c.rule, c.pointer, a.body)
		}
		if strings.Contains(a.body, "ghp_") {
			t.Errorf("the answer repeats a secret: %s", a.body)
		}
	}
	dry := into[handoffCreated](s.postJSON(200, "/specs/259/handoffs", `{"dry_run":true,`+values+`}`))
	if dry.Document == "" || dry.Path == "" {
		t.Errorf("%+v", dry)
	}
	if after := names(t, s, "259_prove_completeness"); !slices.Equal(before, after) {
		t.Errorf("something was written: %v", after)
	}
	if made := into[handoffCreated](s.postJSON(201, "/specs/259/handoffs", `{"phase":4,"draft":true}`)); len(made.Findings) == 0 {
		t.Errorf("%+v", made)
	}
	s.postJSON(409, "/specs/8/handoffs", "{"+values+"}")
	s.postJSON(409, "/specs/259/handoffs", `{"slug":"other",`+values+`}`)
	for _, shape := range []string{`{"draft":"yes"}`, `[null]`, `null`} {
		s.postJSON(422, "/specs/259/handoffs", shape)
	}
	s.postJSON(400, "/specs/259/handoffs", "{"+values+"}", "Idempotency-Key", strings.Repeat("k", 256))
}

// TestNewHandoffOnce: a repeated request gets the first result, also if the server was
// killed after it had created the file.
func TestNewHandoffOnce(t *testing.T) {
	s := serve(t, nil)
	var paths []string
	for _, code := range []int{201, 200, 200} {
		paths = append(paths, into[handoffCreated](s.postJSON(code, "/specs/259/handoffs", "{"+values+"}", "Idempotency-Key", "k")).Path)
	}
	if paths[1] != paths[0] || paths[2] != paths[0] || len(names(t, s, "259_prove_completeness")) != 2 {
		t.Errorf("%v", paths)
	}
	if other := into[handoffCreated](s.postJSON(201, "/specs/7/handoffs", `{"slug":"x",`+values+`}`, "Idempotency-Key", "k")); other.Ref != "7/4" {
		t.Errorf("the key of another task: %+v", other)
	}
	if err := os.RemoveAll(s.path(".handoff/requests")); err != nil {
		t.Fatal(err)
	}
	paths[0] = into[handoffCreated](s.postJSON(201, "/specs/259/handoffs", "{"+values+"}", "Idempotency-Key", "k")).Path
	records, err := filepath.Glob(s.path(".handoff/requests/*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("%v, %v", records, err)
	}
	// A killed server leaves the record without the result.
	src, err := os.ReadFile(records[0])
	var r map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(src, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(s.path(paths[0]))
	if err != nil {
		t.Fatal(err)
	}
	left, err := json.Marshal(map[string]any{"at": r["at"], "sum": r["sum"], "file": once.Of(paths[0], text)})
	if err == nil {
		err = os.WriteFile(records[0], left, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	again := into[handoffCreated](s.postJSON(201, "/specs/259/handoffs", "{"+values+"}", "Idempotency-Key", "k"))
	if again.Path != paths[0] {
		t.Errorf("%s after %s", again.Path, paths[0])
	}
}

// TestNewHandoffReplaces: a handoff that waits is superseded by the one that is written instead of it, one that
// somebody holds is not, and a repeated request changes nothing.
func TestNewHandoffReplaces(t *testing.T) {
	s := serve(t, nil)
	old := into[handoffCreated](s.postJSON(201, "/specs/259/handoffs", "{"+values+"}"))
	body := fmt.Sprintf(`{"replace":%q,`, old.Path) + strings.Replace(values, "Apply rcases", "First apply rcases", 1) + "}"
	next := into[handoffCreated](s.postJSON(201, "/specs/259/handoffs", body, "Idempotency-Key", "r"))
	if again := into[handoffCreated](s.postJSON(200, "/specs/259/handoffs", body, "Idempotency-Key", "r")); again.Path != next.Path || next.Path == old.Path {
		t.Errorf("%+v, then %+v", next, again)
	}
	if h := s.want(200, "GET", "/handoffs/"+url.PathEscape(old.Path)+"/receipts", "").body; !strings.Contains(h, `"superseded"`) || !strings.Contains(h, filepath.Base(next.Path)) {
		t.Errorf("the old one: %s", h)
	}
	s.postJSON(201, "/handoffs/"+url.PathEscape(next.Path)+"/claim", `{"as":"ada"}`)
	s.postJSON(409, "/specs/259/handoffs", fmt.Sprintf(`{"replace":%q,`, next.Path)+values+"}")
	s.postJSON(404, "/specs/870/handoffs", `{"replace":"870/99",`+values+"}")
}

// TestNewHandoffElsewhere: a request that is repeated by way of `handoff new` or MCP, or
// was made there first, writes nothing either.
func TestNewHandoffElsewhere(t *testing.T) {
	s := serve(t, nil)
	ws, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	elsewhere := func(key string) string {
		draft, err := create.ParseDraft("values", []byte(`{"task":259,`+values+"}"))
		if err != nil {
			t.Fatal(err)
		}
		made, err := authoring.Run(t.Context(), ws, authoring.Request{Request: create.Request{Values: draft.Values}, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return made.Path
	}
	here := func(code int, key string) handoffCreated {
		return into[handoffCreated](s.postJSON(code, "/specs/259/handoffs", "{"+values+"}", "Idempotency-Key", key))
	}
	if there, got := elsewhere("a"), here(200, "a"); got.Path != there || got.Ref != "259/4" {
		t.Errorf("%+v after %s", got, there)
	}
	if got, there := here(201, "b"), elsewhere("b"); got.Path != there {
		t.Errorf("%s after %+v", there, got)
	}
}

// TestWriters: 32 clients write at once. No two handoffs have one name, and each is
// whole and linked.
func TestWriters(t *testing.T) {
	const writers = 32
	s := serve(t, nil)
	paths := make([]string, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			body := strings.Replace("{"+values+"}", "h_ih is a conjunction", fmt.Sprintf("writer %d wrote it", i), 1)
			resp, err := s.client.Post(s.url+"/specs/259/handoffs", "application/json", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusCreated {
				t.Errorf("%d, %v: %s", resp.StatusCode, err, text)
				return
			}
			var made handoffCreated
			err = json.Unmarshal(text, &made)
			made.Warnings = slices.DeleteFunc(made.Warnings, func(w string) bool { return strings.Contains(w, "is newer and now waits") })
			if err != nil || len(made.Warnings) > 0 {
				t.Errorf("%v: %s", err, text)
			}
			paths[i] = made.Path
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	seen := map[string]bool{}
	for i, path := range paths {
		seen[path] = true
		text := s.want(200, "GET", "/handoffs/"+url.PathEscape(path)+"/document", "").body
		if !strings.Contains(text, fmt.Sprintf("writer %d wrote it\n", i)) || !strings.Contains(text, "## References") {
			t.Errorf("%s is not what writer %d sent: %s", path, i, text)
		}
		if d := into[handoffops.HandoffDetail](s.want(200, "GET", "/handoffs/"+url.PathEscape(path), "")); d.Bundle == nil {
			t.Errorf("%s is not linked", path)
		}
	}
	if all := into[[]documents.Row](s.want(200, "GET", "/handoffs?task=259", "")); len(seen) != writers || len(all) != writers+1 {
		t.Errorf("%d names, %d handoffs: %v", len(seen), len(all), slices.Sorted(maps.Keys(seen)))
	}
}
