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
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strings"
	"time"

	"handoff"
	"handoff/agents"
	"handoff/bundle"
	"handoff/internal/text/secret"
	"handoff/internal/text/visible"
	"handoff/receipt"
	"handoff/thread"
	"handoff/thread/compile/render"
	"handoff/thread/runner"
	"handoff/transcript"
	"handoff/workspace"
	"handoff/workspace/receipts"
	"handoff/workspace/sync"
)

// Request says which handoff is continued, by which agent.
type Request struct {
	Dir, Ref string // as in [receipts.Target]
	Claim    string // used instead of a new one if it is for this handoff; "" for none
	Agent    agents.Agent
	Level    agents.Level
	Args     []string // further arguments of the agent; the command of one that has no program
}

// Job is a handoff with the prompt and the command of its successor.
type Job struct {
	Path    string   `json:"path"` // of the handoff, below the root
	Agent   string   `json:"agent"`
	Command []string `json:"command"` // {file} is where the path of the prompt belongs
	Prompt  string   `json:"prompt"`  // for standard input

	ws    *workspace.Workspace
	entry workspace.Entry
	claim string // of the caller
	agent agents.Agent
}

// promptFile is where a command names the file with the prompt.
const promptFile = "PROMPT"

// Prepare finds the handoff, and composes prompt and command. It changes nothing.
func Prepare(ctx context.Context, ws *workspace.Workspace, r Request) (*Job, error) {
	e, err := ws.Find(ctx, r.Dir, r.Ref)
	if err != nil {
		return nil, err
	}
	j := &Job{Path: e.Path, Agent: r.Agent.Name, ws: ws, entry: e, agent: r.Agent, claim: r.Claim}
	args, err := r.Agent.Args(agents.Call{Level: r.Level, PromptFile: promptFile})
	if err != nil {
		return nil, err
	}
	if r.Agent.Program != "" {
		j.Command = append([]string{r.Agent.Program}, args...)
	}
	if j.Command = append(j.Command, r.Args...); len(j.Command) == 0 {
		return nil, fmt.Errorf("%w: %s has no program: give the command after --", handoff.ErrInvalid, r.Agent.Name)
	}
	j.Prompt, err = prompt(ctx, ws, e)
	return j, err
}

// LeaseTime is how long a claim lasts if the process that renews it is killed.
const LeaseTime = 10 * time.Minute

// Options are how a job is run.
type Options struct {
	TTL    time.Duration // of the lease, which is renewed while the agent runs; 0 for [LeaseTime]
	Event  func(Event)   // gets what the agent reports; calls do not overlap
	Stderr io.Writer     // gets the agent's standard error; nil to discard it
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

	Run runner.Result `json:"-"`
}

// Finished reports whether the work is done, or continued by the next handoff.
func (o Outcome) Finished() bool { return o.State == receipt.Done || o.State == receipt.Superseded }

// Run claims the handoff and runs the agent until it ends. When ctx ends the
// agent gets a signal: see [runner.Signal]. An agent that fails is not an error;
// one that could not be started is. In both cases the claim is released, unless
// the work is finished or another claim has replaced it.
func (j *Job) Run(ctx context.Context, o Options) (out Outcome, err error) {
	if j.agent.Prompt == agents.File {
		return out, fmt.Errorf("%w: %s reads its prompt from a file: write it with --print, and start the command that this shows", handoff.ErrInvalid, j.Agent)
	}
	if err := runner.Lookup(j.ws.Root, j.Command[0]); err != nil {
		return out, fmt.Errorf("%s: %w: nothing was claimed", j.Command[0], err)
	}
	o.TTL = cmp.Or(o.TTL, LeaseTime)
	if o.Event == nil {
		o.Event = func(Event) {}
	}
	book, err := receipts.Open(j.ws)
	if err != nil {
		return out, err
	}
	h := held{book: book, target: receipts.Target{Dir: j.ws.Root, Ref: j.Path}, ttl: o.TTL}
	if err := h.take(ctx, j.Agent, j.claim); err != nil {
		return out, err
	}
	said := &stream{format: transcript.Formats[j.agent.Stream], emit: o.Event}
	out, err = j.attend(ctx, &h, said, o)
	said.end()
	out.Session, out.Said, out.ExitCode = said.session.ID, strings.TrimSpace(said.said), out.Run.ExitCode
	return out, errors.Join(err, h.settle(context.WithoutCancel(ctx), &out, reason(j.why(&out, said.session.Failed, err))))
}

// attend runs the agent in a thread of its own below the task's, and renews the
// lease meanwhile.
func (j *Job) attend(ctx context.Context, h *held, said *stream, o Options) (out Outcome, err error) {
	if err := h.book.Deliver(ctx, h.target, ""); err != nil {
		return out, err
	}
	t, err := j.ws.Threads(ctx, true)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if out.ThreadID, err = j.thread(ctx, t.Store); err != nil {
		return out, err
	}
	run := t.RunOptions()
	run.ThreadID, run.Content, run.Command, run.ActorID, run.Origin = out.ThreadID, j.Prompt, j.Command, "handoff", "spawn"
	run.Render = render.Format{Name: "brief", Render: j.render}
	run.Env = append((&exec.Cmd{Dir: run.Dir}).Environ(), "HANDOFF_REF="+j.Path, "HANDOFF_CLAIM="+h.target.Claim)
	run.Stdout, run.Stderr = said, o.Stderr
	ctx, stop := h.renew(ctx)
	defer stop()
	out.Run, err = runner.Do(ctx, run)
	out.RunID = out.Run.RunID
	return out, err
}

// render is the context of the run: the prompt alone. The report is all that
// the agent gets of the work before it.
func (j *Job) render(bundle.Context, render.Options) (render.Rendering, error) {
	return render.Rendering{Bytes: []byte(j.Prompt)}, nil
}

// thread creates the thread of the run. It branches off at the start of the
// task's, so that it inherits no output of earlier runs.
func (j *Job) thread(ctx context.Context, store *thread.Store) (id string, err error) {
	title := j.Agent + " continues " + strings.TrimSuffix(path.Base(j.Path), ".md")
	if j.entry.Name.Dir == "" {
		info, _, err := store.Create(ctx, thread.CreateRequest{Title: &title})
		return info.ThreadID, err
	}
	if id, err = sync.EnsureTask(ctx, store, j.entry.Name.Dir); err != nil {
		return "", err
	}
	branch, err := store.Branch(ctx, id, thread.BranchRequest{Title: &title, FromSeq: new(uint64(0)), ActorID: "handoff", Origin: "spawn"})
	return branch.ThreadID, err
}

// why is the reason of a release. failed is what the agent's stream reports.
func (j *Job) why(out *Outcome, failed string, err error) string {
	r := out.Run
	switch meaning := j.agent.Exits[fmt.Sprint(r.ExitCode)]; {
	case out.RunID == "" || r.Reason == runner.NotStarted || r.Reason == runner.CompileFailed:
		return fmt.Sprintf("%s was not started: %v", j.Agent, err)
	case r.Reason == runner.Cancelled:
		return j.Agent + " was stopped"
	case failed != "":
		return fmt.Sprintf("%s failed: %s", j.Agent, failed)
	case r.ExitCode > 0 && meaning != "":
		return fmt.Sprintf("%s ended with exit status %d: %s", j.Agent, r.ExitCode, meaning)
	case r.Reason != runner.Completed:
		return fmt.Sprintf("%s ended: %s", j.Agent, r.Reason)
	}
	return j.Agent + " ended without `handoff done` and without a new handoff"
}

// maxReason is the most bytes of a reason; a receipt takes 500.
const maxReason = 400

// reason is a text from an agent as the reason of a release: one line, without
// secrets and invisible characters. A receipt would refuse any other, and the
// claim would stay.
func reason(text string) string {
	text, _ = visible.Model(secret.Hide(text))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
