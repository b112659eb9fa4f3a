// Package spawn starts an agent that continues a handoff: it claims the handoff
// for the agent, passes it the brief on standard input, keeps what it prints as a
// run of a thread, and releases the claim if the work is not finished when the
// agent ends.
//
// Nothing here depends on hooks in the agent. The agent finds HANDOFF_REF and
// HANDOFF_CLAIM in its environment, so `handoff ack`, `new` and `done` need no
// argument.
package spawn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"handoff/agents"
	"handoff/agents/ending"
	"handoff/agents/transcript"
	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/log/thread/runner"
	"handoff/workspace"
	"handoff/workspace/spawn/meter"
	"handoff/workspace/spawn/prompt"
)

// Request selects the handoff to continue, and the agent.
type Request struct {
	Dir, Ref  string       // as in [receipts.Target]; without Ref the work begins with Objective
	Objective string       // of all the work that the handoff is a part of; "" for none
	Place     prompt.Place //  without Ref: where the agent writes its handoff
	Whole     bool         // without Ref: the task of Place is claimed as a whole, because there is no handoff to claim
	Claim     string       // used instead of a new one if it is for this handoff; "" for none
	Agent     agents.Agent
	Level     agents.Level
	Allow     []string // commands that it may run at the level edit
	Args      []string // further arguments of the agent; the command of one that has no program
}

// Job is a handoff, or an objective, with the prompt and the command of the agent.
type Job struct {
	Path    string   `json:"path"` // of the handoff, below the root; "" for an objective
	Agent   string   `json:"agent"`
	Command []string `json:"command"` // {file} is replaced by the path of the prompt
	Prompt  string   `json:"prompt"`  // for standard input
	Allow   []string `json:"allow,omitempty"`

	ws    *workspace.Workspace
	ref   string       // what is claimed: the handoff or the task; "" for nothing
	name  handoff.Name // of the handoff
	dir   string       // of the task, below the root; "" if it has none yet
	claim string       // of the caller
	level agents.Level
	args  []string
	agent agents.Agent

	open, exact []string // see [Checks]
}

// promptFile is where a command names the file with the prompt.
const promptFile = "PROMPT"

// Prepare finds the handoff, and composes prompt and command. It changes nothing in the workspace.
func Prepare(ctx context.Context, ws *workspace.Workspace, r Request) (j *Job, err error) {
	j = &Job{Agent: r.Agent.Name, ws: ws, dir: r.Place.Dir, agent: r.Agent, claim: r.Claim, level: r.Level, args: r.Args, Allow: r.Allow}
	j.open, j.exact, _ = Checks(ws, r.Agent, r.Level) // an agent that may not run them works without
	if j.Command, err = j.command(agents.Call{}); err != nil {
		return nil, err
	}
	if r.Ref == "" {
		if r.Whole {
			j.ref = receipt.Task(r.Place.Task)
		}
		j.Prompt = prompt.Begin(r.Objective, r.Place)
		return j, nil
	}
	e, text, err := prompt.Continue(ctx, ws, r.Dir, r.Ref, r.Objective)
	j.Path, j.ref, j.name, j.dir, j.Prompt = e.Path, e.Path, e.Name, e.Name.Dir, text
	return j, err
}

// command is the command of a new session, or of one that is resumed.
func (j *Job) command(c agents.Call) (command []string, err error) {
	c.PromptFile = promptFile
	c = j.limited(c)
	args, err := j.agent.Args(c)
	if err == nil {
		err = writeRules(j.agent.RulesFile(c))
	}
	if err != nil {
		return nil, err
	}
	if j.agent.Program != "" {
		command = append([]string{j.agent.Program}, args...)
	}
	if command = append(command, j.args...); len(command) == 0 {
		err = fmt.Errorf("%w: %s has no program: give the command after --", handoff.ErrInvalid, j.agent.Name)
	}
	return command, err
}

// Resumed is the command that continues a session, for a person: without the arguments of this run,
// but those that are part of the command that `handoff acp` starts.
func (j *Job) Resumed(session string) ([]string, error) {
	args, err := j.agent.Args(j.limited(agents.Call{Session: session, Resume: true}))
	if j.agent.Stream == "acp" {
		args = append(args, j.args...)
	}
	return append([]string{j.agent.Program}, args...), err
}

// limited adds to a call what the agent may do.
func (j *Job) limited(c agents.Call) agents.Call {
	c.Level, c.Allow, c.Exact = j.level, slices.Clone(j.Allow), j.exact
	for _, command := range j.open {
		if !slices.Contains(c.Allow, command) {
			c.Allow = append(c.Allow, command)
		}
	}
	return c
}

// LeaseTime is how long a claim lasts if the process that renews it is killed.
const LeaseTime = 10 * time.Minute

// Options are how a job is run.
type Options struct {
	TTL      time.Duration     // of the lease, which is renewed while the agent runs; 0 for [LeaseTime]
	Budget   int               // tokens of all calls, after which [Job.Run] ends the agent; 0 for no limit
	Grace    time.Duration     // for the agent to end after a signal; 0 for package runner's default
	Patience time.Duration     // see [meter.Options]
	Event    func(meter.Event) // gets what the agent reports; calls do not overlap
	Stderr   io.Writer         // gets the agent's standard error; nil to discard it
	Getenv   func(string) string
	Before   Before // for a job that another process began
	Relay    string // the id of the relay that runs the agent, and asks it for handoffs; "" for none

	// Check, if not nil, is called before a further turn, which it refuses with an error:
	// the agent's program starts again, and may obey what the agent wrote.
	Check func() error

	// IgnoreLimit starts the agent although its account is known to have no usage left.
	IgnoreLimit bool
}

// Outcome is how a job ended. Its keys are the JSON of `handoff spawn --json`.
type Outcome struct {
	State    receipt.State `json:"state"`              // of the handoff
	Why      string        `json:"why,omitempty"`      // why the work is not finished
	Session  string        `json:"session,omitempty"`  // the agent's id of it
	ThreadID string        `json:"thread,omitempty"`   // in which prompt and output are kept
	RunID    string        `json:"run,omitempty"`      // its run
	Said     string        `json:"said,omitempty"`     // the agent's last text
	ExitCode int           `json:"exit_code"`          // of the agent; -1 if a signal ended it
	Unlinked string        `json:"unlinked,omitempty"` // why the task's metadata is not up to date
	Ended    ending.Kind   `json:"ended,omitempty"`    // how the agent failed; "" if it did not
	Until    time.Time     `json:"until,omitzero"`     // when it works again, after a limit or an error that passes, if its host says so

	Run     runner.Result    `json:"-"`
	Failed  string           `json:"-"` // why the run failed, as the stream reports it
	Stopped error            `json:"-"` // why [Turn.Watch] stopped the agent; nil if it did not
	Used    transcript.Total `json:"-"` // in this turn
}

// Finished reports whether the work is done, or continued by the next handoff.
func (o Outcome) Finished() bool { return o.State == receipt.Done || o.State == receipt.Superseded }

// Run claims the handoff and runs the agent until it ends. When ctx ends the
// agent gets a signal: see [runner.Signal]. An agent that fails is not an error;
// one that could not be started is. In both cases the claim is released, unless
// the work is finished or another claim has replaced it.
func (j *Job) Run(ctx context.Context, o Options) (out Outcome, err error) {
	w, err := j.Open(ctx, o)
	if err != nil {
		return out, err
	}
	if o.Budget > 0 {
		out, err = j.withBudget(ctx, w, o.Budget)
	} else {
		out, err = w.Turn(ctx, Turn{Prompt: j.Prompt})
	}
	return out, errors.Join(err, w.Close(ctx, &out, err))
}

// why is the reason of a release.
func (j *Job) why(out *Outcome, err error) string {
	r := out.Run
	switch meaning := j.agent.Exits[fmt.Sprint(r.ExitCode)]; {
	case out.RunID == "" || r.Reason == runner.NotStarted || r.Reason == runner.CompileFailed:
		return fmt.Sprintf("%s was not started: %v", j.Agent, err)
	case out.Stopped != nil:
		return fmt.Sprintf("%s was stopped: %v", j.Agent, out.Stopped)
	case r.Reason == runner.Cancelled:
		return j.Agent + " was stopped"
	case out.Failed != "":
		return fmt.Sprintf("%s failed: %s", j.Agent, out.Failed)
	case r.ExitCode > 0 && meaning != "":
		return fmt.Sprintf("%s ended with exit status %d: %s", j.Agent, r.ExitCode, meaning)
	case r.Reason != runner.Completed:
		return fmt.Sprintf("%s ended: %s", j.Agent, r.Reason)
	}
	return j.Agent + " ended without `handoff done` and without a new handoff"
}
