package hooks_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/agents/host"
	"handoff/log/receipt"
	"handoff/surface/hooks"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// session is one of Claude Code that got the handoff.
type session struct {
	root, transcript string
	env              map[string]string
}

// begin starts a session. Its transcript shows that it wrote some files below the
// root, and has a message.
func begin(t *testing.T, env map[string]string, wrote ...string) *session {
	t.Helper()
	s := &session{treeOf(t, false), filepath.Join(t.TempDir(), "session.jsonl"), env}
	var lines strings.Builder
	for i, name := range wrote {
		file, _ := json.Marshal(filepath.Join(s.root, name))
		lines.WriteString(`{"type":"assistant","uuid":"u","sessionId":"a","message":{"id":"m` + string(rune('0'+i)) + `","content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":` + string(file) + `}}]}}` + "\n")
	}
	lines.WriteString(`{"type":"assistant","uuid":"u","sessionId":"a","message":{"id":"mx","content":[{"type":"text","text":"The tests still fail."}]}}` + "\n")
	put(t, filepath.Dir(s.transcript), filepath.Base(s.transcript), lines.String())
	s.hook(t, host.SessionStart, "startup")
	return s
}

// hook runs a hook at a minute after the last one, so that names differ.
func (s *session) hook(t *testing.T, event host.Event, reason string) string {
	t.Helper()
	stdin, err := json.Marshal(map[string]string{"session_id": "a", "transcript_path": s.transcript, "source": reason, "reason": reason})
	if err != nil {
		t.Fatal(err)
	}
	return s.answer("claude", event, string(stdin))
}

func (s *session) answer(name string, event host.Event, stdin string) string {
	o := options()
	at := now.Add(time.Minute)
	o.Now = func() time.Time { return at }
	return string(answered(context.Background(), hooks.Call{Within: patience, Event: event, Host: name, Dir: s.root, Stdin: strings.NewReader(stdin),
		Getenv: func(key string) string { return s.env[key] }, Options: o}))
}

// drafts are the documents that were written besides the first one.
func (s *session) drafts(t *testing.T) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.root, "specs/*/handoffs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), "draft: true\n") {
			list = append(list, string(src))
		}
	}
	return list
}

// TestDraft: a session that worked on a handoff and left none leaves a draft, once.
func TestDraft(t *testing.T) {
	for _, c := range []struct {
		name   string
		wrote  []string
		env    map[string]string
		events []host.Event
		want   int
	}{
		{"it ends", []string{"a.go"}, nil, []host.Event{host.SessionEnd, host.SessionEnd}, 1},
		{"it fails, and ends", []string{"a.go"}, nil, []host.Event{host.StopFailure, host.SessionEnd}, 1},
		{"it wrote nothing", nil, nil, []host.Event{host.StopFailure, host.SessionEnd}, 0},
		{"it wrote files elsewhere", []string{"../../elsewhere.go"}, nil, []host.Event{host.SessionEnd}, 0},
		{"handoff started it", []string{"a.go"}, map[string]string{"HANDOFF_RUN_ID": "r"}, []host.Event{host.SessionEnd}, 0},
	} {
		s := begin(t, c.env, c.wrote...)
		for _, e := range c.events {
			if got := s.hook(t, e, "rate_limit"); got != "" {
				t.Errorf("%s: %s prints %q", c.name, e, got)
			}
		}
		drafts := s.drafts(t)
		if len(drafts) != c.want {
			t.Errorf("%s: %d drafts, want %d", c.name, len(drafts), c.want)
		}
		for _, text := range drafts {
			for _, want := range []string{"claude left no handoff: its ", "source: ", "(session.jsonl:1)", "rate_limit", "`a.go`", "The tests still fail.", "phase-3-handoff-20260212T143022Z.md"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %q in\n%s", c.name, want, text)
				}
			}
		}
		checkFaults(t, s.root, 0)
	}
}

// A session that got no handoff belongs to no task: nothing is written for it.
func TestNoDraftWithoutAHandoff(t *testing.T) {
	s := begin(t, nil, "a.go")
	other := *s
	stdin := `{"session_id":"b","transcript_path":"` + filepath.ToSlash(s.transcript) + `","reason":"other"}`
	if got := answer(t.Context(), s.root, "claude", host.SessionEnd, stdin); got != "" || len(other.drafts(t)) != 0 {
		t.Errorf("%q, %d drafts", got, len(other.drafts(t)))
	}
}

// TestClaimIsGivenBack: the end of a session releases what was claimed in it, and
// nothing else.
func TestClaimIsGivenBack(t *testing.T) {
	for _, c := range []struct {
		by   receipt.Session
		want receipt.State
	}{{receipt.Session{Host: "claude", ID: "a"}, receipt.Released}, {receipt.Session{Host: "claude", ID: "b"}, receipt.Claimed}, {receipt.Session{}, receipt.Claimed}} {
		s := begin(t, nil)
		o := options()
		o.Now = func() time.Time { return now.Add(time.Minute) }
		ws, err := workspace.Open(s.root, o)
		if err != nil {
			t.Fatal(err)
		}
		book, err := receipts.Open(ws)
		if err != nil {
			t.Fatal(err)
		}
		target := receipts.Target{Dir: s.root, Ref: "259"}
		if _, err := book.Claim(t.Context(), target, receipt.ClaimRequest{By: "claude", TTL: time.Hour, Session: c.by}); err != nil {
			t.Fatal(err)
		}
		s.hook(t, host.StopFailure, "rate_limit")
		if r, _, err := book.Life(t.Context(), target); err != nil || r.State != receipt.Claimed {
			t.Errorf("%s: after a failure %s, %v", c.by, r.State, err)
		}
		s.hook(t, host.SessionEnd, "prompt_input_exit")
		r, life, err := book.Life(t.Context(), target)
		if err != nil || r.State != c.want {
			t.Errorf("%s: %s, %v; want %s", c.by, r.State, err, c.want)
		}
		if r.State == receipt.Released && life.Last().Why != "its session ended: prompt_input_exit" {
			t.Errorf("%+v", life.Last())
		}
		checkFaults(t, s.root, 0)
	}
}

// TestSubagentStart: a subagent gets the name of the report that its session works on.
func TestSubagentStart(t *testing.T) {
	s := begin(t, nil)
	const want = "continues a report: specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"
	for range 2 { // each of them
		if got := s.hook(t, host.SubagentStart, ""); !strings.Contains(got, want) {
			t.Errorf("%q", got)
		}
	}
	if got := answer(t.Context(), s.root, "claude", host.SubagentStart, `{"session_id":"b"}`); got != "" {
		t.Errorf("of a session without a report: %q", got)
	}
}
