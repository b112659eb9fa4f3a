package acp_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"handoff/agents"
	"handoff/agents/acp"
	"handoff/agents/transcript"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// output is what a turn printed. It may be read while the turn runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// played is a turn of a scenario.
type played struct {
	stop    string
	err     error
	out     string
	said    string // all text
	session transcript.Session
	tools   []transcript.Tool
}

// play runs a turn with the fake agent.
func play(t *testing.T, ctx context.Context, scenario string, r acp.Request) (p played) {
	t.Helper()
	t.Setenv(agentVar, scenario)
	out, ok := r.Output.(*output)
	if !ok {
		out = &output{}
	}
	if r.Dir == "" {
		r.Dir = t.TempDir()
	}
	var errs bytes.Buffer
	r.Command, r.Output, r.Stderr, r.Prompt = []string{os.Args[0]}, out, &errs, "the prompt"
	p.stop, p.err = acp.Run(ctx, r)
	if strings.Contains(errs.String(), "fake:") {
		t.Error(errs.String())
	}
	p.out = out.String()
	for line := range strings.Lines(p.out) {
		record, ok := transcript.Formats["acp"]([]byte(line))
		if !ok {
			t.Errorf("not a line of the format: %s", line)
		}
		p.session.Add(record)
		p.said += record.Text
		p.tools = append(p.tools, record.Tools...)
	}
	return p
}

func TestTurn(t *testing.T) {
	p := play(t, t.Context(), "plain", acp.Request{})
	if p.err != nil || p.stop != acp.EndTurn {
		t.Fatalf("%q, %v: %s", p.stop, p.err, p.out)
	}
	want := `Hello {"code":-32601,"message":"handoff does not offer fs/read_text_file"}{"prompt":[{"text":"the prompt","type":"text"}],"sessionId":"s1"}`
	if p.said != want {
		t.Errorf("said %q\nwant %q", p.said, want)
	}
	if s := p.session; s.ID != "s1" || s.Model != "large" || s.Version != "0.1" || s.Used != 1200 || s.Window != 200_000 || !s.Ended || s.Failed != "" {
		t.Errorf("%+v", s)
	}
	if len(p.tools) != 1 || p.tools[0].Command != "go test" || p.tools[0].ID != "t1" {
		t.Errorf("tools %+v", p.tools)
	}
	if first, _, _ := strings.Cut(p.out, "\n"); !strings.Contains(first, `"protocol":"acp"`) || transcript.Detect([]byte(p.out)) != "acp" {
		t.Errorf("first line %s", first)
	}
}

// What an agent asks for is allowed by the level, and by where files really are.
func TestPermissions(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	needs.Symlink(t, elsewhere, filepath.Join(dir, "out"))
	needs.Symlink(t, filepath.Join(elsewhere, "none"), filepath.Join(dir, "nowhere"))
	for level, allowed := range map[agents.Level]string{
		agents.ReadOnly: " read ",
		"":              " read inside relative announced handoff allowed ",
		agents.Edit:     " read inside relative announced handoff allowed ",
		agents.All:      " read inside relative outside diff-outside by-link link-to-nowhere git setting no-file command allowed redirected handoff list unknown announced ",
	} {
		p := play(t, t.Context(), "permissions", acp.Request{Level: level, Dir: dir, Allow: []string{"make check"}})
		if p.err != nil || len(p.tools) != 17 {
			t.Fatalf("%v: %d tools: %s", p.err, len(p.tools), p.out)
		}
		for line := range strings.Lines(p.said) {
			id, answer, _ := strings.Cut(strings.TrimSpace(line), " ")
			want := `{"outcome":{"optionId":"no","outcome":"selected"}}`
			if strings.Contains(allowed, " "+id+" ") {
				want = strings.Replace(want, "no", "yes", 1)
			}
			if answer != want {
				t.Errorf("level %q, %s: %s, want %s", level, id, answer, want)
			}
		}
	}
	// A command that may have no further arguments: it is one of those that are asked for.
	for exact, want := range map[string]bool{"make check -j2": true, "make check": false} {
		p := play(t, t.Context(), "permissions", acp.Request{Dir: dir, Exact: []string{exact}})
		if got := strings.Contains(p.said, `allowed {"outcome":{"optionId":"yes"`); got != want {
			t.Errorf("exactly %q: %v", exact, got)
		}
	}
}

// A turn that is cancelled ends as the agent reports it. An agent that reports
// nothing is killed.
func TestCancel(t *testing.T) {
	needs.Unix(t, "signals")
	stopped := errors.New("stopped by the test")
	for scenario, limit := range map[string]time.Duration{"cancelled": waittest.Limit, "deaf": 50 * time.Millisecond} {
		ctx, cancel := context.WithCancelCause(t.Context())
		out := &output{}
		go func() {
			waittest.Within(waittest.Limit, func() bool { return strings.Contains(out.String(), "working") })
			cancel(stopped)
		}()
		p := play(t, ctx, scenario, acp.Request{Output: out, Cancel: limit})
		if !errors.Is(p.err, stopped) || p.stop != "cancelled" {
			t.Errorf("%s: %q, %v", scenario, p.stop, p.err)
		}
		if asked := `late {"outcome":{"outcome":"cancelled"}}`; scenario == "cancelled" && !strings.Contains(p.said, asked) {
			t.Errorf("said %q, want %s", p.said, asked)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		scenario string
		request  acp.Request
		want     string
	}{
		{"model error", acp.Request{}, "session/prompt: no quota: the-details"},
		{"signed out", acp.Request{}, `session/new: Authentication required: the-details: the agent wants you to sign in: start it by itself once (it offers: log in here, use a key)`},
		{"cannot open", acp.Request{}, "session/new: Internal error: the-details"},
		{"vague", acp.Request{}, "session/prompt: the answer has no stopReason"},
		{"dies", acp.Request{}, "the agent ended (exit status 3) before it answered session/prompt"},
		{"dies at once", acp.Request{}, "the agent ended (exit status 4) before it answered initialize"},
		{"chats", acp.Request{}, `the agent printed "Welcome! Type a question.", which is not the Agent Client Protocol`},
		{"silent", acp.Request{Start: 50 * time.Millisecond}, "initialize: no answer within 50ms: does the agent speak the Agent Client Protocol?"},
		{"old", acp.Request{}, "the agent speaks version 7 of the Agent Client Protocol, and handoff version 1: install another version of the agent"},
		{"forgets", acp.Request{Session: "s1"}, "agent cannot resume a session over the Agent Client Protocol: start a new one, without --session"},
		{"modes", acp.Request{Modes: []string{"none"}}, `the agent has no mode "none" (it has: ask, plan)`},
		{"options", acp.Request{Modes: []string{"none", "nor this"}}, `the agent has no mode "none" or "nor this" (it has: plan)`},
		{"options", acp.Request{Modes: []string{"none"}, Level: agents.All}, `the agent has no mode "none" (it has: plan)`},
		{"plan only", acp.Request{}, `the agent works in a mode of its own, "auto": name one in which it asks before it acts with --mode, or in acp.modes of .handoff/agents/NAME.yaml (it has: auto, plan)`},
		{"forgets", acp.Request{Session: "s1", Modes: []string{"plan"}}, "agent cannot resume a session over the Agent Client Protocol: start a new one, without --session"},
		{"no modes", acp.Request{Modes: []string{"plan"}}, `the agent has no mode "plan" (it has: )`},
		{"silent mode", acp.Request{Modes: []string{"plan"}, Start: 200 * time.Millisecond}, `the agent was asked to work in mode "plan" and reports "": its level is not certain, so it gets no prompt`},
		{"other mode", acp.Request{Modes: []string{"plan"}, Start: 200 * time.Millisecond}, `the agent was asked to work in mode "plan" and reports "auto": its level is not certain, so it gets no prompt`},
		{"leaves", acp.Request{Modes: []string{"plan"}, Cancel: 50 * time.Millisecond}, `the agent went from mode "plan" to "auto", in which its level is not certain: it was stopped`},
	} {
		p := play(t, t.Context(), c.scenario, c.request)
		if p.err == nil || p.err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.scenario, p.err, c.want)
		}
		if p.session.Failed != c.want || !p.session.Ended {
			t.Errorf("%s: the last line reports %q", c.scenario, p.session.Failed)
		}
	}
	if p := play(t, t.Context(), "limit", acp.Request{}); p.err != nil || p.stop != "max_tokens" || p.session.Failed != "stopped: max_tokens" {
		t.Errorf("limit: %q, %v, %+v", p.stop, p.err, p.session)
	}
}

// Agents put what went wrong into the data of an error, in several forms.
func TestErrorText(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{``, "session/new: Internal error"},
		{`null`, "session/new: Internal error"},
		{`{}`, "session/new: Internal error"},
		{`"in a text"`, "session/new: Internal error: in a text"},
		{`{"details":"in details"}`, "session/new: Internal error: in details"},
		{`{"message":"in a message","code":7}`, "session/new: Internal error: in a message"},
		{`{"other":7}`, `session/new: Internal error: {"other":7}`},
		{`"` + strings.Repeat("ä", 300) + `"`, "session/new: Internal error: " + strings.Repeat("ä", 250)},
	} {
		e := &acp.Error{Method: "session/new", Code: -32603, Message: "Internal error", Data: []byte(c.data)}
		if got := e.Error(); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.data, got, c.want)
		}
	}
	if got := (&acp.Error{Method: "session/new", Code: 7}).Error(); got != "session/new: error 7" {
		t.Error(got)
	}
}

func TestSessions(t *testing.T) {
	if p := play(t, t.Context(), "resumes", acp.Request{Session: "s1"}); p.err != nil || p.session.ID != "s1" {
		t.Errorf("%v: %s", p.err, p.out)
	}
	if p := play(t, t.Context(), "loads", acp.Request{Session: "s1"}); p.err != nil || p.said != "said now" {
		t.Errorf("%v: said %q", p.err, p.said)
	}
	for _, scenario := range []string{"modes", "options", "in plan"} {
		if p := play(t, t.Context(), scenario, acp.Request{Modes: []string{"careful", "plan"}}); p.err != nil {
			t.Errorf("%s: %v", scenario, p.err)
		}
	}
	for scenario, modes := range map[string][]string{"plain": {"plan"}, "plan only": nil, "leaves": {"plan"}} {
		if p := play(t, t.Context(), scenario, acp.Request{Level: agents.All, Modes: modes}); p.err != nil {
			t.Errorf("%s at all: %v", scenario, p.err)
		}
	}
}

func TestNotStarted(t *testing.T) {
	_, err := acp.Run(t.Context(), acp.Request{Command: []string{filepath.Join(t.TempDir(), "none")}, Dir: t.TempDir(), Output: &output{}})
	if !errors.Is(err, syscall.ENOENT) && !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
