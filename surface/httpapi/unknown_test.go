package httpapi

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"handoff/surface/problem"
)

// TestUnknown: no operation drops silently what it does not know. Ours refuse it, with the
// name; those of RIP, whose clients may send more, list it in a header.
func TestUnknown(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	s.post(201, "/tapes/main/entries", said)
	fill := strings.NewReplacer("{ref}", "latest", "{n}", "259", "{tape}", "main", "{id}", "1").Replace
	for _, op := range s.ops {
		path := fill(op.Path)
		if strings.HasPrefix(path, "/threads/") {
			path = fill(strings.Replace(op.Path, "{id}", id, 1))
		}
		if strings.HasPrefix(path, "/artifacts/") {
			path = "/artifacts/" + exampleBundle
		}
		if op.Lenient {
			continue
		}
		p := into[problem.Problem](s.ask(op.Method, path+"?limti=1", "{}", "Content-Type", "application/json"))
		if p.Type != problem.Parameter.Type || p.Name != "limti" || p.Detail == "" {
			t.Errorf("%s %s?limti=1: %+v", op.Method, path, p)
		}
		if op.Method != "POST" || op.RawBody {
			continue
		}
		if p := into[problem.Problem](s.post(422, path, `{"nextt":1}`)); p.Type != problem.Member.Type && p.Type != problem.Refused.Type {
			t.Errorf("%s %s: %+v", op.Method, path, p)
		}
	}
	for path, name := range map[string]string{"/threads?most=2": "most", "/threads/" + id: ""} {
		if got := s.want(200, "GET", path, "").Header.Get("Handoff-Ignored"); got != name {
			t.Errorf("%s: %q", path, got)
		}
	}
	if a := s.post(201, "/threads/"+id+"/branch", "{\"form_seq\":1,\"x\\ny\":2}"); !slices.Equal(a.Header.Values("Handoff-Ignored"), []string{"form_seq", `x\ny`}) {
		t.Errorf("%q", a.Header)
	}
}

// TestUnknownIsNamed: the answer has the known name that is most like the unknown one, or
// lists the known ones, and never a value.
func TestUnknownIsNamed(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	s.post(201, "/tapes/main/entries", said)
	for _, c := range []struct {
		method, path, body   string
		status               int
		name, nearest, words string
	}{
		{"POST", "/handoffs/latest/claim", `{"as":"ann","seconds":60}`, 422, "seconds", "", "want as, claim, force, ttl_seconds, why"},
		{"POST", "/handoffs/latest/claim", `{"as":"ann","ttl_second":60}`, 422, "ttl_second", "ttl_seconds", "did you mean ttl_seconds?"},
		{"GET", "/handoffs?taks=870", "", 400, "taks", "task", "did you mean task?"},
		{"GET", "/tapes/main/entries?afteranchor=hunter2", "", 400, "afteranchor", "after_anchor", "did you mean after_anchor?"},
		{"POST", "/tapes/main/fork", `{"to":"f","from_anchr":"hunter2"}`, 422, "from_anchr", "from_anchor", "did you mean from_anchor?"},
		{"POST", "/tapes/main/fork", `{"to":"f","intention":{"next_step":"hunter2"}}`, 422, "intention.next_step", "next_steps", "did you mean next_steps?"},
		{"POST", "/threads/" + id + "/handoff", `{"summary_markdown":"s","refs":{"file":["hunter2"]}}`, 422, "refs.file", "files", "did you mean files?"},
	} {
		a := s.want(c.status, c.method, c.path, c.body, "Content-Type", "application/json")
		p := into[problem.Problem](a)
		if p.Name != c.name || p.Nearest != c.nearest || !strings.Contains(p.Detail, c.words) || strings.Contains(a.body, "hunter2") {
			t.Errorf("%s: %s", c.path, a.body)
		}
	}
	if list := s.want(200, "GET", "/tapes", ""); strings.Contains(list.body, `"f"`) {
		t.Errorf("a refused fork was made: %s", list.body)
	}
}

// TestIntention: a fork and an envelope take their intention also as an object, as the
// envelope has it. With both forms nobody knows which is meant.
func TestIntention(t *testing.T) {
	s := serve(t, nil)
	s.post(201, "/tapes/main/handoff", `{"name":"a","summary":"s","next_steps":"old"}`)
	s.post(201, "/tapes/main/fork", `{"to":"f","from_anchor":"a","intention":{"next_steps":"Review","context_summary":"c","trigger_on_complete":"notify_parent"}}`)
	if a := s.want(200, "GET", "/tapes/f/anchors", ""); !regexp.MustCompile(`"next_steps":"Review".*"trigger_on_complete":"notify_parent"`).MatchString(a.body) {
		t.Errorf("%s", a.body)
	}
	a := s.post(200, "/tapes/f/send", `{"from":"agent:a","to":"agent:b","summary":"s","intention":{"next_steps":"Fix it","context_summary":"c"}}`)
	if !strings.Contains(a.body, `"intention":{"next_steps":"Fix it","context_summary":"c"}`) {
		t.Errorf("%s", a.body)
	}
	s.post(400, "/tapes/main/fork", `{"to":"g","next_steps":"n","intention":{}}`)
	s.post(400, "/tapes/main/send", `{"from":"a","to":"b","summary":"s","next_steps":"n","intention":{}}`)
}
