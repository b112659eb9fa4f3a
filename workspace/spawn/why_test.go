package spawn

import (
	"errors"
	"slices"
	"testing"

	"handoff/agents"
	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/log/thread/runner"
	"handoff/workspace/spawn/prompt"
)

// TestWhy: the reason with which the claim of unfinished work is released.
func TestWhy(t *testing.T) {
	j := &Job{Agent: "fake", agent: agents.Agent{Exits: map[string]string{"0": "never said", "53": "too many turns"}}}
	ran := func(reason string, exit int, failed string, stopped error) Outcome {
		return Outcome{RunID: "r", Run: runner.Result{Reason: reason, ExitCode: exit}, Failed: failed, Stopped: stopped}
	}
	broken := errors.New("no such file")
	for want, out := range map[string]Outcome{
		"fake was not started: no such file":                          {},
		"fake was stopped: its budget is used up":                     ran(runner.Cancelled, -1, "aborted", errors.New("its budget is used up")),
		"fake was stopped":                                            ran(runner.Cancelled, 53, "aborted", nil),
		"fake failed: no credit":                                      ran(runner.Completed, 53, "no credit", nil),
		"fake ended with exit status 53: too many turns":              ran("exit status 53", 53, "", nil),
		"fake ended: exit status 54":                                  ran("exit status 54", 54, "", nil),
		"fake ended without `handoff done` and without a new handoff": ran(runner.Completed, 0, "", nil),
	} {
		if got := j.why(&out, broken); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, reason := range []string{runner.NotStarted, runner.CompileFailed} {
		out := ran(reason, 0, "", errors.New("stopped"))
		if got := j.why(&out, broken); got != "fake was not started: no such file" {
			t.Errorf("%s: %q", reason, got)
		}
	}
}

// TestCommand: the command has the program, if there is one, and the caller's arguments.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		program string
		args    []string
		want    []string
	}{
		{"fake", []string{"-x"}, []string{"fake", "run", "-x"}},
		{"fake", nil, []string{"fake", "run"}},
		{"", []string{"mine", "-x"}, []string{"mine", "-x"}},
		{"", nil, nil},
	} {
		j := &Job{agent: agents.Agent{Name: "fake", Program: c.program, Start: agents.List{"run"}}, args: c.args, level: agents.Edit}
		got, err := j.command(agents.Call{})
		if !slices.Equal(got, c.want) || errors.Is(err, handoff.ErrInvalid) != (c.want == nil) {
			t.Errorf("%q with %q: %q, %v", c.program, c.args, got, err)
		}
	}
	j := &Job{Allow: []string{"go test"}, open: []string{"go vet", "go test"}, exact: []string{"make"}, level: agents.Edit}
	if call := j.limited(agents.Call{}); !slices.Equal(call.Allow, []string{"go test", "go vet"}) || !slices.Equal(call.Exact, []string{"make"}) || call.Level != agents.Edit {
		t.Errorf("limited to %+v", call)
	}
	if !slices.Equal(j.Allow, []string{"go test"}) {
		t.Errorf("the job's own list is now %q", j.Allow)
	}
}

// TestWords: titles of threads, which outcomes are finished, and the prompt after a budget.
func TestWords(t *testing.T) {
	if a, b := (&Job{Agent: "fake"}).title(), (&Job{Agent: "fake", Path: "specs/1_a/handoffs/b.md"}).title(); a != "fake begins" || b != "fake continues b" {
		t.Errorf("titles %q, %q", a, b)
	}
	for state, want := range map[receipt.State]bool{receipt.Done: true, receipt.Superseded: true, receipt.Claimed: false, receipt.Released: false} {
		if (Outcome{State: state}).Finished() != want {
			t.Errorf("%s: finished %t", state, !want)
		}
	}
	j := &Job{name: handoff.Name{Task: 9, Phase: 2}}
	want := "The budget of 30,000 tokens for this work is used up. If the work is finished, run `handoff done`. If not, write a handoff with `" +
		prompt.Place{Task: 9, Phase: 2}.Command() + " --from FILE` (`handoff new --help` shows the form). Then stop. The work continues later from your handoff; do not resume other work now.\n"
	if got := j.ask(30_000); got != want {
		t.Errorf("asked %s", got)
	}
}
