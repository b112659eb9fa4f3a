package hooks_test

import (
	"context"
	"encoding/json"
	"maps"
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

// owing is a session with a full context, and a claim on the handoff of the tree.
type owing struct {
	*session
	book   *receipts.Book
	target receipts.Target
	at     time.Time
}

func full(t *testing.T, by receipt.Session) *owing {
	t.Helper()
	s := &session{treeOf(t, false), filepath.Join(t.TempDir(), "session.jsonl"), nil}
	put(t, filepath.Dir(s.transcript), filepath.Base(s.transcript), `{"type":"assistant","uuid":"u","sessionId":"a","message":{"id":"m2","model":"claude-sonnet-4-5","usage":{"input_tokens":160000}}}`+"\n")
	o := &owing{session: s, at: now.Add(time.Minute)}
	options := options()
	options.Now = func() time.Time { return o.at }
	ws, err := workspace.Open(s.root, options)
	if err != nil {
		t.Fatal(err)
	}
	if o.book, err = receipts.Open(ws); err != nil {
		t.Fatal(err)
	}
	o.target = receipts.Target{Dir: s.root, Ref: "259"}
	r, err := o.book.Claim(t.Context(), o.target, receipt.ClaimRequest{By: "claude", TTL: time.Hour, Session: by})
	if err != nil {
		t.Fatal(err)
	}
	o.target.Claim = r.Claim
	return o
}

// asks reports what the hook of an event asks.
func (o *owing) asks(t *testing.T, event host.Event, env map[string]string) string {
	t.Helper()
	stdin, err := json.Marshal(map[string]string{"session_id": "a", "transcript_path": o.transcript})
	if err != nil {
		t.Fatal(err)
	}
	options := options()
	options.Now = func() time.Time { return o.at }
	got := string(answered(context.Background(), hooks.Call{Within: patience, Event: event, Host: "claude", Dir: o.root, Stdin: strings.NewReader(string(stdin)),
		Getenv: func(key string) string { return env[key] }, Options: options}))
	checkFaults(t, o.root, 0)
	return got
}

// TestOwes: what a session with a full context is told in the middle of a turn and asked at its end. Nobody
// asks for a handoff of work that is done or that another session has; and a relay asks by itself.
func TestOwes(t *testing.T) {
	in, none := receipt.Session{Host: "claude", ID: "a"}, receipt.Session{}
	finish := func(t *testing.T, o *owing) {
		if _, err := o.book.Finish(t.Context(), o.target, ""); err != nil {
			t.Fatal(err)
		}
	}
	nothing := func(*testing.T, *owing) {}
	for _, c := range []struct {
		name  string
		by    receipt.Session
		claim bool // in the environment
		env   map[string]string
		do    func(*testing.T, *owing)
		asks  bool
	}{
		{"it works", in, false, nil, nothing, true},
		{"it works, for handoff", none, true, map[string]string{"HANDOFF_RUN_ID": "r"}, nothing, true},
		{"it works, in a relay", none, true, map[string]string{"HANDOFF_RUN_ID": "r", "HANDOFF_RELAY": "x"}, nothing, false},
		{"a relay without a handoff", none, false, map[string]string{"HANDOFF_RUN_ID": "r", "HANDOFF_RELAY": "x"}, nothing, false},
		{"it is done", in, false, nil, finish, false},
		{"it is done, by its variable", none, true, nil, finish, false},
		{"it is done, in a relay", none, true, map[string]string{"HANDOFF_RUN_ID": "r", "HANDOFF_RELAY": "x"}, finish, false},
		{"another session is done", receipt.Session{Host: "claude", ID: "b"}, false, nil, finish, true},
		{"it is done for long, and used for something else", in, false, nil, func(t *testing.T, o *owing) {
			finish(t, o)
			o.at = o.at.Add(31 * time.Minute)
		}, true},
		{"another session has taken it over", none, true, nil, func(t *testing.T, o *owing) {
			if _, err := o.book.Claim(t.Context(), receipts.Target{Dir: o.root, Ref: "259"}, receipt.ClaimRequest{By: "ann", TTL: time.Hour, Force: true, Why: "it hangs"}); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := full(t, c.by)
			env := maps.Clone(c.env)
			if c.claim {
				if env == nil {
					env = map[string]string{}
				}
				env["HANDOFF_CLAIM"] = o.target.Claim
			}
			c.do(t, o)
			for _, event := range []host.Event{host.Batch, host.Stop} {
				if got := o.asks(t, event, env); strings.Contains(got, "handoff new") != c.asks {
					t.Errorf("%s: %q", event, got)
				}
			}
		})
	}
}
