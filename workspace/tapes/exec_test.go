package tapes_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/log/tape"
	"handoff/workspace/tapes"
)

// TestExec: comma commands print what Bub's tools print, and are recorded on the tape.
func TestExec(t *testing.T) {
	all, _ := open(t)
	tp := one(t, all, "")
	add(t, tp, "fix the parser", "fix the lexer")
	for _, c := range []struct{ command, name, want string }{
		{",tape.handoff name=one summary=done", "tape.handoff", "anchor added: one"},
		{",tape.anchors", "tape.anchors", "- session/start\n- one"},
		{",tape.anchors limit=1", "tape.anchors", "- one"},
		{",tape.search query=parser", "tape.search", "[tape.search]: 1 matches (0 filtered)\n" + `{"date": `},
		{",tape.search query=parser kinds=event", "tape.search", "[tape.search]: "},
		{",session.intention", "session.intention", "(no intention set)"},
		{",tape.fork_session new_session_id=side from_anchor=one", "tape.fork_session", "forked session: side from anchor: one"},
		{",tape.fork_session new_session_id=other", "tape.fork_session", "forked session: other from anchor: start"},
		{",tape.reset", "tape.reset", "Archived: "},
	} {
		before := kinds(t, tp, tapes.ReadRequest{})
		x, err := tp.Exec(context.Background(), tapes.ExecRequest{Command: c.command})
		if err != nil || x.Command != c.name || !strings.HasPrefix(x.Output, c.want) {
			t.Errorf("%s: %+v, %v, want %q", c.command, x, err, c.want)
		}
		if kinds(t, tp, tapes.ReadRequest{}) == before {
			t.Errorf("%s is not recorded", c.command)
		}
	}
	x, err := one(t, all, "side").Exec(context.Background(), tapes.ExecRequest{Command: ",tape.info"})
	if err != nil || !strings.HasPrefix(x.Output, "name: side\nentries: ") || !strings.Contains(x.Output, "\nlast_token_usage: None\nlast_token_cache_hit_rate: None") {
		t.Errorf("%q, %v", x.Output, err)
	}
}

// TestExecFails: a command that fails is recorded as failed; text that is no command is not, and no
// tape is created for it.
func TestExecFails(t *testing.T) {
	all, _ := open(t)
	tp := one(t, all, "")
	add(t, tp, "kept")
	for command, want := range map[string]string{
		",tape.reset archive=false":                            "this destroys tape main without an archive",
		",tape.fork_session new_session_id=x from_anchor=none": "none",
		",tape.info x=1":                                       "x",
	} {
		before := kinds(t, tp, tapes.ReadRequest{})
		x, err := tp.Exec(context.Background(), tapes.ExecRequest{Command: command})
		if err == nil || !strings.Contains(err.Error(), want) || x.Output != "" || x.Result != nil {
			t.Errorf("%s: %+v, %v", command, x, err)
		}
		after := kinds(t, tp, tapes.ReadRequest{})
		if !strings.HasPrefix(after, before+", ") || strings.Count(after, "event") != strings.Count(before, "event")+1 {
			t.Errorf("%s: the tape was %s, and is %s", command, before, after)
		}
	}
	last := ""
	for e, err := range tp.Query(context.Background(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		last = string(e.Payload)
	}
	if !strings.Contains(last, `"error"`) || strings.Contains(last, handoff.ErrInvalid.Error()) {
		t.Errorf("%s: the event does not show that the command failed, or in our own words", last)
	}
	before := kinds(t, tp, tapes.ReadRequest{})
	for _, text := range []string{"rm -rf x", "", "handoff name=x", ","} {
		if _, err := tp.Exec(context.Background(), tapes.ExecRequest{Command: text}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if after := kinds(t, tp, tapes.ReadRequest{}); after != before {
		t.Errorf("the tape was %s, and is %s", before, after)
	}
	if _, err := one(t, all, "new").Exec(context.Background(), tapes.ExecRequest{Command: ",tape.anchors"}); err != nil {
		t.Error(err)
	}
	if ok, err := one(t, all, "new").Exists(); ok || err != nil {
		t.Errorf("%t, %v: a question has created a tape", ok, err)
	}
	if _, err := tp.Exec(context.Background(), tapes.ExecRequest{Command: ",tape.info", NoRecord: true}); err != nil || kinds(t, tp, tapes.ReadRequest{}) != before {
		t.Errorf("%v: recorded all the same", err)
	}
	if _, err := tp.Exec(context.Background(), tapes.ExecRequest{Command: ",tape.reset archive=false", Confirm: "main", NoRecord: true}); err != nil || strings.Contains(kinds(t, tp, tapes.ReadRequest{}), "message") {
		t.Errorf("%v: a reset without an archive that was confirmed", err)
	}
}

// TestSearchAgain: what a search printed is not found by the next one.
func TestSearchAgain(t *testing.T) {
	all, _ := open(t)
	tp := one(t, all, "")
	add(t, tp, "the parser", "[tape.search]: 1 matches about the parser")
	x, err := tp.Exec(context.Background(), tapes.ExecRequest{Command: ",tape.search query=parser"})
	if err != nil || !strings.HasPrefix(x.Output, "[tape.search]: 1 matches (1 filtered)\n") || strings.Count(x.Output, "\n") != 1 {
		t.Errorf("%q, %v", x.Output, err)
	}
	add(t, one(t, all, "other"), "another parser")
	for _, c := range []struct {
		r    tapes.SearchRequest
		want int
	}{{tapes.SearchRequest{Text: "parser", Kind: []string{"message"}}, 2}, {tapes.SearchRequest{Text: "parser", Kind: []string{"message"}, All: true}, 3}, {tapes.SearchRequest{Text: "parser", Limit: new(1)}, 1}, {tapes.SearchRequest{Text: "parsr"}, 0}} {
		if hits, err := tp.Search(context.Background(), c.r); err != nil || len(hits) != c.want {
			t.Errorf("%+v: %d hits, %v, want %d", c.r, len(hits), err, c.want)
		}
	}
}

// TestIntention: what a fork is for is printed as Bub prints it, and told in one of two forms.
func TestIntention(t *testing.T) {
	all, _ := open(t)
	tp := one(t, all, "")
	add(t, tp, "a")
	steps, about, then := "test it", "the parser", "merge"
	for name, c := range map[string]struct {
		r    tapes.ForkRequest
		want string
	}{
		"members": {tapes.ForkRequest{To: "f1", NextSteps: &steps, ContextSummary: &about, TriggerOnComplete: &then}, "next_steps: test it\ncontext_summary: the parser\ntrigger_on_complete: merge"},
		"object":  {tapes.ForkRequest{To: "f2", Intention: &tapes.ForkIntention{ContextSummary: &about}}, "next_steps: \ncontext_summary: the parser"},
		"trigger": {tapes.ForkRequest{To: "f3", TriggerOnComplete: &then}, "next_steps: \ncontext_summary: \ntrigger_on_complete: merge"},
		"none":    {tapes.ForkRequest{To: "f4"}, "(no intention set)"},
	} {
		if _, err := tp.Fork(context.Background(), c.r); err != nil {
			t.Fatal(err)
		}
		if x, err := one(t, all, c.r.To).Exec(context.Background(), tapes.ExecRequest{Command: ",session.intention"}); err != nil || x.Output != c.want {
			t.Errorf("%s: %q, %v", name, x.Output, err)
		}
	}
	for name, r := range map[string]tapes.ForkRequest{
		"no name":     {},
		"two forms":   {To: "x", NextSteps: &steps, Intention: &tapes.ForkIntention{}},
		"two forms 2": {To: "x", ContextSummary: &about, Intention: &tapes.ForkIntention{}},
		"two forms 3": {To: "x", TriggerOnComplete: &then, Intention: &tapes.ForkIntention{}},
	} {
		if _, err := tp.Fork(context.Background(), r); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f, err := tp.Fork(context.Background(), tapes.ForkRequest{Key: "k"}); err != nil || f.Tape == "" {
		t.Errorf("%+v, %v: the name is made from the key", f, err)
	}
}
