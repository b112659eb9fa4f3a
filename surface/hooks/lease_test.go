package hooks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/agents/host"
	"handoff/log/receipt"
	"handoff/surface/hooks"
	"handoff/workspace"
	"handoff/workspace/notes"
	"handoff/workspace/receipts"
)

// leaseHosts are the hosts of whose hooks whole sequences are recorded.
var leaseHosts = []string{"claude", "codex", "gemini", "opencode"}

// write is a call of a tool that changes a file of the workspace; "tool-use" is one that does not.
const write host.Event = "tool-use-write"

// sequence is what a host reports in a session that is compacted once, up to its end.
func sequence(h host.Host) (events []host.Event) {
	for _, e := range []host.Event{host.SessionStart, host.Prompt, host.ToolUse, host.Batch, host.PreCompact, host.PostCompact, host.Prompt, write, host.Stop, host.SessionEnd} {
		e0 := e
		if e == write {
			e0 = host.ToolUse
		}
		if _, ok := h.Hook(e0); ok {
			events = append(events, e)
		}
		if start, _ := h.Hook(host.SessionStart); e == host.PostCompact && strings.Contains(start.Matcher, host.Compact) {
			events = append(events, "session-start-compact")
		}
	}
	return events
}

// theatre is a workspace in which one handoff waits, and its clock.
type theatre struct {
	t    *testing.T
	root string
	at   time.Time
}

func newTheatre(t *testing.T) *theatre { return &theatre{t, treeOf(t, false), now} }

func (th *theatre) options() workspace.Options {
	o := options()
	at := th.at
	o.Now = func() time.Time { return at }
	return o
}

// hook has a session report an event, in the words that were recorded, and returns whether
// it is shown the handoff.
func (th *theatre) hook(s receipt.Session, event host.Event) (shown bool, text string) {
	th.t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata/recorded", s.Host, string(event)+".json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		th.t.Fatal(err)
	}
	in := map[string]any{}
	if err == nil {
		if err := json.Unmarshal(src, &in); err != nil {
			th.t.Fatal(err)
		}
	}
	base := event
	switch event {
	case write:
		base = host.ToolUse
		in["tool_name"], in["tool_input"] = "Write", map[string]any{"file_path": filepath.Join(th.root, "a.go")}
	case "session-start-compact":
		base, in["source"] = host.SessionStart, host.Compact
	}
	h, err := host.Named(s.Host)
	if err != nil {
		th.t.Fatal(err)
	}
	k, _ := h.Hook(base)
	in["session_id"], in["cwd"], in["hook_event_name"] = s.ID, th.root, k.Native
	in["transcript_path"] = filepath.Join(th.root, ".none", s.ID+".jsonl")
	stdin, err := json.Marshal(in)
	if err != nil {
		th.t.Fatal(err)
	}
	text = string(answered(th.t.Context(), hooks.Call{Within: patience, Event: base, Host: s.Host, Dir: th.root, Stdin: strings.NewReader(string(stdin)),
		Getenv: func(string) string { return "" }, Options: th.options()}))
	return strings.Contains(text, "The document: "), text
}

func (th *theatre) book() *receipts.Book {
	th.t.Helper()
	ws, err := workspace.Open(th.root, th.options())
	if err != nil {
		th.t.Fatal(err)
	}
	book, err := receipts.Open(ws)
	if err != nil {
		th.t.Fatal(err)
	}
	return book
}

// item is the handoff as `handoff next` has it.
func (th *theatre) item() (i receipts.Item, held bool) {
	th.t.Helper()
	q, err := th.book().Next(th.t.Context(), nil)
	switch {
	case err != nil || len(q.Waiting)+len(q.Held) != 1:
		th.t.Fatalf("%+v, %v", q, err)
	case len(q.Held) == 1:
		return q.Held[0], true
	}
	return q.Waiting[0], false
}

// TestDeliveryCut ends, kills or leaves alone a session after each of its events. While it
// runs nobody else is shown the handoff; then the next session is, unless it was taken up.
func TestDeliveryCut(t *testing.T) {
	for _, name := range leaseHosts {
		h, err := host.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		events := sequence(h)
		for cut := range events {
			for _, how := range []string{"killed", "ended"} {
				th := newTheatre(t)
				a, b := receipt.Session{Host: name, ID: "a"}, receipt.Session{Host: "claude", ID: "b"}
				shown, wrote, over := false, false, false
				for _, e := range events[:cut+1] {
					th.at = th.at.Add(time.Minute)
					got, _ := th.hook(a, e)
					shown, wrote, over = shown || got, wrote || e == write, e == host.SessionEnd
				}
				if !shown {
					t.Fatalf("%s, %v: not shown", name, events[:cut+1])
				}
				at := fmt.Sprintf("%s, %s after %v", name, how, events[:cut+1])
				if !over {
					th.at = th.at.Add(29 * time.Minute)
					if got, _ := th.hook(receipt.Session{Host: "codex", ID: "early"}, host.SessionStart); got {
						t.Errorf("%s: another session is shown the handoff while it may run", at)
					}
					if _, held := th.item(); !held {
						t.Errorf("%s: not held while it may run", at)
					}
				}
				if _, ends := h.Hook(host.SessionEnd); how == "ended" && !over && ends {
					th.hook(a, host.SessionEnd)
				} else {
					th.at = th.at.Add(2 * time.Minute)
				}
				got, text := th.hook(b, host.SessionStart)
				switch i, _ := th.item(); {
				case wrote && (got || i.Offered()):
					t.Errorf("%s: it worked on the handoff, and another session gets that: %s", at, i.Why)
				case wrote && !strings.Contains(i.Why, "which worked on it without a claim"):
					t.Errorf("%s: %s", at, i.Why)
				case !wrote && (!got || !strings.Contains(text, "was shown to another session ("+name+") before, which did not take it up")):
					t.Errorf("%s: the next session gets %.60q", at, text)
				}
				th.at = th.at.Add(time.Minute)
				if got, text := th.hook(a, host.Prompt); got || !wrote && name != "opencode" && !strings.Contains(text, "was shown to another session since") {
					t.Errorf("%s: it runs again, and gets %q", at, text)
				}
				checkFaults(t, th.root, 0)
			}
		}
	}
}

// player is a session in a random history.
type player struct {
	receipt.Session
	events []host.Event
	last   time.Time // zero before its first event
	over   bool
	holds  bool // it was shown the handoff last
	worked bool
}

func (p *player) live(at time.Time) bool {
	return !p.last.IsZero() && !p.over && at.Sub(p.last) < notes.Quiet
}

// TestDeliveryHistories lets sessions of all hosts report their events in random order, with
// kills and pauses. No two that run have the handoff at the same time, and when all is over it
// is with one that worked on it, or the next session is shown it.
func TestDeliveryHistories(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 14))
		th, trace := newTheatre(t), []string{}
		var all []*player
		for range 120 {
			th.at = th.at.Add([]time.Duration{time.Second, time.Minute, 9 * time.Minute, 31 * time.Minute}[min(random.IntN(12), 3)])
			if len(all) < 6 && random.IntN(4) == 0 || len(all) == 0 {
				name := leaseHosts[random.IntN(len(leaseHosts))]
				h, _ := host.Named(name)
				all = append(all, &player{Session: receipt.Session{Host: name, ID: fmt.Sprint("s", len(all))}, events: sequence(h)})
			}
			p := all[random.IntN(len(all))]
			if random.IntN(8) == 0 {
				p.events = nil // it is killed, and nobody reports that
			}
			if len(p.events) == 0 {
				continue
			}
			e := p.events[0]
			if p.events = p.events[1:]; e == write && random.IntN(2) == 0 {
				continue
			}
			got, _ := th.hook(p.Session, e)
			trace = append(trace, fmt.Sprintf("%s %s %s %v", th.at.Format(time.TimeOnly), p.Session, e, got))
			for _, other := range all {
				if got && other != p {
					if other.holds && other.live(th.at) {
						t.Fatalf("seed %d: %s and %s have it:\n%s", seed, other, p, strings.Join(trace, "\n"))
					}
					other.holds = false
				}
			}
			p.last, p.over, p.holds = th.at, e == host.SessionEnd, p.holds || got
			p.worked = p.worked || p.holds && e == write
		}
		th.at = th.at.Add(notes.Quiet)
		got, _ := th.hook(receipt.Session{Host: "claude", ID: "last"}, host.SessionStart)
		if i, _ := th.item(); !got && !strings.Contains(i.Why, "which worked on it without a claim") {
			t.Fatalf("seed %d: nobody has it, and the next session does not get it: %s\n%s", seed, i.Why, strings.Join(trace, "\n"))
		}
		checkFaults(t, th.root, 0)
	}
}

// TestWokenByItsTranscript: a host that writes the prompt into the transcript before it runs
// the hook does not hide that the session was silent.
func TestWokenByItsTranscript(t *testing.T) {
	th := newTheatre(t)
	a, b := receipt.Session{Host: "claude", ID: "a"}, receipt.Session{Host: "codex", ID: "b"}
	th.hook(a, host.SessionStart)
	th.at = th.at.Add(40 * time.Minute)
	if got, _ := th.hook(b, host.SessionStart); !got {
		t.Fatal("the next session is not shown the handoff")
	}
	th.at = th.at.Add(time.Minute)
	transcript := filepath.Join(th.root, ".none", "a.jsonl")
	if err := errors.Join(os.MkdirAll(filepath.Dir(transcript), 0o755), os.WriteFile(transcript, nil, 0o644), os.Chtimes(transcript, th.at, th.at)); err != nil {
		t.Fatal(err)
	}
	if _, text := th.hook(a, host.Prompt); !strings.Contains(text, "was shown to another session since") {
		t.Errorf("it runs again, and gets %q", text)
	}
}

// TestReleasedStaysReleased: a session that released its claim does not get the handoff back
// when it is heard of again.
func TestReleasedStaysReleased(t *testing.T) {
	th, s := newTheatre(t), receipt.Session{Host: "claude", ID: "a"}
	th.hook(s, host.SessionStart)
	i, _ := th.item()
	claim, err := th.book().Claim(t.Context(), receipts.Target{Dir: th.root, Ref: i.Path}, receipt.ClaimRequest{By: "a", TTL: time.Hour, ID: func() string { return "id" }, Session: s})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := th.book().Release(t.Context(), receipts.Target{Claim: claim.Claim}, "not mine"); err != nil {
		t.Fatal(err)
	}
	th.at = th.at.Add(40 * time.Minute)
	th.hook(s, host.Prompt)
	if i, held := th.item(); held {
		t.Errorf("held again: %s", i.Why)
	}
}

// TestLostCompaction: if the event at which a compacted session is shown its handoff is lost,
// the next prompt or call of a tool shows it, once.
func TestLostCompaction(t *testing.T) {
	for _, name := range []string{"claude", "codex", "opencode", "qwen", "kiro"} {
		th, s := newTheatre(t), receipt.Session{Host: name, ID: "a"}
		h, err := host.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		next := host.Prompt
		if _, ok := h.Hook(host.Prompt); !ok {
			next = host.ToolUse
		}
		for _, c := range []struct {
			event host.Event
			want  bool
		}{{host.SessionStart, true}, {next, false}, {host.PreCompact, false}, {next, true}, {next, false}} {
			th.at = th.at.Add(time.Minute)
			if got, text := th.hook(s, c.event); got != c.want {
				t.Errorf("%s, %s: %.60q", name, c.event, text)
			}
		}
		checkFaults(t, th.root, 0)
	}
}
