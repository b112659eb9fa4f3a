package states

import (
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/notes"
	"handoff/workspace/reconcile"
	"handoff/workspace/relay/word"
)

var now = time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return now.Add(-d) }

var s1 = receipt.Session{Host: "claude", ID: "s1"}

// life is what became of a handoff after some steps.
func life(steps ...receipt.Step) (l receipt.Life) {
	for i, s := range steps {
		s.Seq = uint64(i)
		l.Apply(s)
	}
	return l
}

func shown(d time.Duration) receipt.Step {
	return receipt.Step{Kind: receipt.StepDelivered, At: ago(d), By: "bob", Host: s1.Host, Session: s1.ID}
}

func step(kind receipt.Kind, d time.Duration) receipt.Step {
	s := receipt.Step{Kind: kind, At: ago(d), By: "ada"}
	if kind == receipt.StepClaimed {
		s.Claim, s.Token, s.Until = "1.x", 1, s.At.Add(time.Hour)
	}
	return s
}

var (
	held     = life(step(receipt.StepClaimed, time.Minute))
	expired  = life(step(receipt.StepClaimed, 2*time.Hour))
	finished = life(step(receipt.StepClaimed, time.Minute), step(receipt.StepDone, 0))
	sawIt    = life(shown(time.Minute))
	sawOnce  = life(shown(time.Hour))
	readIt   = life(shown(time.Minute), receipt.Step{Kind: receipt.StepAcknowledged, At: ago(time.Minute), By: "bob", Host: s1.Host, Session: s1.ID})
	released = life(step(receipt.StepClaimed, time.Minute), receipt.Step{Kind: receipt.StepReleased, At: now, By: "ada", Claim: "1.x"})
	because  = life(step(receipt.StepClaimed, time.Minute), receipt.Step{Kind: receipt.StepReleased, At: now, By: "ada", Claim: "1.x", Why: "no time"})
	gaveBack = life(shown(time.Minute), receipt.Step{Kind: receipt.StepReleased, At: now, By: "bob", Why: "its session ended"})
	lapsed   = life(shown(time.Minute), receipt.Step{Kind: receipt.StepReleased, At: now, By: "bob"})
)

// judge knows one session, by its signs of life.
func judge(sign notes.Sign) Judge {
	return Judge{now: now, signs: func(s receipt.Session) (none notes.Sign) {
		if s == s1 {
			return sign
		}
		return none
	}}
}

const path = "specs/7_count/handoffs/phase-1-handoff-20260212T143022Z.md"

// TestStanding: the state of a task, why it is in it, and what a person types next.
func TestStanding(t *testing.T) {
	worked := notes.Sign{Past: notes.Past{Worked: ago(30 * time.Minute)}, At: ago(30 * time.Minute)}
	status := func(text string) reconcile.Status { return reconcile.Status{Status: text} }
	claim, show := "handoff claim "+path+" --as NAME", "handoff show "+path
	for name, c := range map[string]struct {
		task    documents.Task
		sign    notes.Sign
		want    State
		why, by string
		needs   string
		command string
		until   time.Duration // from now; 0 for none
		offered bool
	}{
		"it waits":                           {documents.Task{Waiting: documents.Waiting{Waits: true}}, notes.Sign{}, Waiting, "nobody has taken it up", "", "", claim, 0, true},
		"held":                               {documents.Task{Waiting: documents.Waiting{Life: held}}, notes.Sign{}, Held, "held by ada", "ada", "", show, 59 * time.Minute, false},
		"held, and it is unclear what waits": {documents.Task{Waiting: documents.Waiting{Life: held, Doubt: "two"}}, notes.Sign{}, Held, "held by ada", "ada", "", show, 59 * time.Minute, false},
		"held, and a person was asked for":   {documents.Task{Waiting: documents.Waiting{Life: held}, Status: reconcile.Status{Status: "partial", Review: true}}, notes.Sign{}, Held, "held by ada", "ada", "", show, 59 * time.Minute, false},
		"held, and finished":                 {documents.Task{Waiting: documents.Waiting{Life: held}, Status: status("completed")}, notes.Sign{}, Done, "status is completed; held by ada", "ada", "", show, 59 * time.Minute, false},
		"expired":                            {documents.Task{Waiting: documents.Waiting{Life: expired, Waits: true}}, notes.Sign{}, Stale, "the lease of ada has expired", "ada", "check whether ada is still working", claim, 0, true},
		"shown":                              {documents.Task{Waiting: documents.Waiting{Life: sawIt, Waits: true}}, notes.Sign{}, Held, "shown to bob, which may still acknowledge it", "bob", "", show, 29 * time.Minute, false},
		"acknowledged":                       {documents.Task{Waiting: documents.Waiting{Life: readIt, Waits: true}}, notes.Sign{}, Held, "acknowledged by bob, which has not claimed it", "bob", "", show, 29 * time.Minute, false},
		"shown long ago":                     {documents.Task{Waiting: documents.Waiting{Life: sawOnce, Waits: true}}, notes.Sign{}, Waiting, "was shown to bob, which did not take it up: no sign of it since 2026-02-12T14:00:00Z", "bob", "", claim, 0, true},
		"shown long ago, and alive":          {documents.Task{Waiting: documents.Waiting{Life: sawOnce, Waits: true}}, notes.Sign{At: ago(time.Minute)}, Held, "shown to bob, which may still acknowledge it", "bob", "", show, 29 * time.Minute, false},
		"shown, exactly as long ago":         {documents.Task{Waiting: documents.Waiting{Life: life(shown(notes.Quiet)), Waits: true}}, notes.Sign{}, Waiting, "was shown to bob, which did not take it up: no sign of it since 2026-02-12T14:30:00Z", "bob", "", claim, 0, true},
		"shown, and its session is over":     {documents.Task{Waiting: documents.Waiting{Life: sawIt, Waits: true}}, notes.Sign{Past: notes.Past{Over: now}}, Waiting, "was shown to bob, which did not take it up: its session ended", "bob", "", claim, 0, true},
		"shown, and it worked":               {documents.Task{Waiting: documents.Waiting{Life: sawOnce, Waits: true}}, worked, Stale, "was shown to bob, which worked on it without a claim: no sign of it since 2026-02-12T14:30:00Z", "bob", "check whether bob is still working", claim, 0, false},
		"given back":                         {documents.Task{Waiting: documents.Waiting{Life: gaveBack, Waits: true}}, notes.Sign{}, Waiting, "was shown to bob, which did not take it up: its session ended", "bob", "", claim, 0, true},
		"lapsed":                             {documents.Task{Waiting: documents.Waiting{Life: lapsed, Waits: true}}, notes.Sign{}, Waiting, "was shown to bob, which did not take it up", "bob", "", claim, 0, true},
		"released":                           {documents.Task{Waiting: documents.Waiting{Life: released, Waits: true}}, notes.Sign{}, Waiting, "released by ada", "ada", "", claim, 0, true},
		"released with a reason":             {documents.Task{Waiting: documents.Waiting{Life: because, Waits: true}}, notes.Sign{}, Waiting, "released by ada: no time", "ada", "", claim, 0, true},
		"damaged metadata":                   {documents.Task{Waiting: documents.Waiting{Life: held, Waits: true}, Status: reconcile.Status{Problem: "not valid JSON"}}, notes.Sign{}, Broken, "not valid JSON", "ada", "repair the metadata", "handoff verify specs/7_count", 0, false},
		"it is unclear what waits":           {documents.Task{Waiting: documents.Waiting{Doubt: "two are the newest"}}, notes.Sign{}, Broken, "two are the newest", "", "decide which handoff continues", claim, 0, false},
		"a merge conflict":                   {documents.Task{Waiting: documents.Waiting{Doubt: "a conflict", Refused: &handoff.UndeliverableError{}}}, notes.Sign{}, Broken, "a conflict", "", "resolve the merge conflict", "handoff lint " + path, 0, false},
		"a person was asked for":             {documents.Task{Waiting: documents.Waiting{Waits: true}, Status: reconcile.Status{Status: "partial", Review: true}}, notes.Sign{}, Review, "an agent asked for a person", "", "review the work", claim, 0, false},
		"a person was asked for, and done":   {documents.Task{Waiting: documents.Waiting{Life: finished}, Status: reconcile.Status{Status: "partial", Review: true}}, notes.Sign{}, Done, "its last handoff is done", "ada", "", show, 0, false},
		"finished":                           {documents.Task{Status: status("completed")}, notes.Sign{}, Done, "status is completed", "", "", show, 0, false},
		"the last handoff is done":           {documents.Task{Waiting: documents.Waiting{Life: finished}, Status: reconcile.Status{Completed: 3, Phases: 3}}, notes.Sign{}, Done, "its last handoff is done", "ada", "", show, 0, false},
		"a phase is left":                    {documents.Task{Waiting: documents.Waiting{Life: finished}, Status: reconcile.Status{Completed: 2, Phases: 3}}, notes.Sign{}, Open, "no handoff waits", "ada", "", show, 0, false},
		"nothing waits":                      {documents.Task{Status: status("partial")}, notes.Sign{}, Open, "no handoff waits", "", "", show, 0, false},
	} {
		c.task.Dir, c.task.Row.Path = "specs/7_count", path
		got := judge(c.sign).Of(&c.task)
		want := Standing{State: c.want, Why: c.why, By: c.by, Needs: c.needs, Command: c.command, Offered: c.offered}
		if c.until != 0 {
			want.Until = now.Add(c.until)
		}
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
}

// TestCommand: without a waiting document its last one is named, and without any the folder is checked.
func TestCommand(t *testing.T) {
	task := documents.Task{Waiting: documents.Waiting{Dir: "specs/a b"}}
	if got := judge(notes.Sign{}).Of(&task).Command; got != "handoff verify 'specs/a b'" {
		t.Error(got)
	}
	task.Last.Path = "last.md"
	if got := judge(notes.Sign{}).Of(&task).Command; got != "handoff show last.md" {
		t.Error(got)
	}
}

// TestAsks: a question of a relay is shown until somebody takes the task up, and its handoff is not offered.
func TestAsks(t *testing.T) {
	j := judge(notes.Sign{})
	j.asks = []word.Asks{{Relay: "r1", Task: 9, Agent: "codex", Question: "now?"}, {Relay: "r2", Task: 7, Agent: "claude", Question: "which?"}}
	waits := documents.Task{Waiting: documents.Waiting{Dir: "specs/7_count", Waits: true}}
	want := Standing{State: Asks, Why: "claude asks: which?", By: "claude", Needs: "answer the question", Command: "handoff relay --answer r2 -- TEXT"}
	if got := j.Of(&waits); got != want {
		t.Errorf("%+v", got)
	}
	for name, task := range map[string]documents.Task{
		"held":         {Waiting: documents.Waiting{Dir: "specs/7_count", Life: held}},
		"done":         {Waiting: documents.Waiting{Dir: "specs/7_count"}, Status: reconcile.Status{Status: "completed"}},
		"another task": {Waiting: documents.Waiting{Dir: "specs/8_other"}},
		"no folder":    {},
	} {
		if got := j.Of(&task); got.State == Asks {
			t.Errorf("%s: %+v", name, got)
		}
	}
	var relays []string
	for _, a := range j.Unbegun([]string{"specs/8_other", "specs/7_count"}) {
		relays = append(relays, a.Relay)
	}
	if got := strings.Join(relays, " "); got != "r1" {
		t.Errorf("questions about tasks without a folder: %q, want r1", got)
	}
}

// TestOrder: tasks that need a person are sorted first.
func TestOrder(t *testing.T) {
	if !slices.IsSortedFunc(All, State.Compare) || Waiting.Compare(Held) >= 0 || Done.Compare(Asks) <= 0 || Open.Compare(Open) != 0 {
		t.Error("states are not in the order of All")
	}
	acts := false
	for _, s := range slices.Backward(All) {
		if acts = acts || s.Acts(); s.Acts() != acts {
			t.Errorf("%s needs no person, but comes before those that do", s)
		}
	}
	for s, want := range map[State]bool{Asks: true, Waiting: true, Held: false, Open: false, Done: false} {
		if s.Acts() != want {
			t.Errorf("%s: a person must act: %t", s, s.Acts())
		}
	}
}
