package spawn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents"
	"handoff/agents/transcript"
	"handoff/document/handoff"
	"handoff/log/thread/compile/render"
	"handoff/log/thread/runner"
	"handoff/workspace/chains"
	"handoff/workspace/receipts"
	"handoff/workspace/spawn/meter"
	"handoff/workspace/threads"
)

// Before is what an earlier process knew of a job. The zero value is a new job.
type Before struct {
	ClaimID string           // the last part of the claim's id, chosen before it was claimed
	Thread  string           // of the earlier turns
	Session string           // that the agent can resume
	Used    transcript.Total // by that session
}

// Work is a job that was opened: the handoff is claimed and delivered, and has a
// thread. Each turn is one run of the agent's program on that thread. [Work.Close]
// ends it.
type Work struct {
	Thread  string // keeps prompts and output
	Claim   string // "" if nothing is claimed
	Session string // the agent's id of it, "" until the agent has printed it

	job   *Job
	o     Options
	held  *held // nil if nothing is claimed
	turns int
	used  transcript.Total // by the session
}

// Open claims the handoff, or the task, and creates the thread. If it fails, it leaves nothing
// claimed. If the claim is refused, the error is [receipt.ErrRefused].
func (j *Job) Open(ctx context.Context, o Options) (*Work, error) {
	if j.agent.Prompt == agents.File {
		return nil, fmt.Errorf("%w: %s reads its prompt from a file: write it with --print, and start the command that this shows", handoff.ErrInvalid, j.Agent)
	}
	for _, program := range append(j.agent.Needs(), j.Command[0]) {
		if err := runner.Lookup(j.ws.Root, program); err != nil {
			return nil, fmt.Errorf("%s: %w: nothing was claimed", program, err)
		}
	}
	if h, held := HoldOf(o.getenv(), j.agent, j.ws.Now()); held && !o.IgnoreLimit {
		return nil, &HeldError{h}
	}
	o.TTL = cmp.Or(o.TTL, LeaseTime)
	if o.Event == nil {
		o.Event = func(meter.Event) {}
	}
	w := &Work{job: j, o: o, Thread: o.Before.Thread, Session: o.Before.Session, used: o.Before.Used}
	if err := w.findsHandoff(ctx); err != nil {
		return nil, err
	}
	if j.ref != "" {
		book, err := receipts.Open(j.ws)
		if err != nil {
			return nil, err
		}
		w.held = &held{book: book, target: receipts.Target{Dir: j.ws.Root, Ref: j.ref}, ttl: o.TTL, level: j.level}
		if err := w.held.take(ctx, j.Agent, j.claim, o.Before); err != nil {
			return nil, err
		}
		w.Claim = w.held.target.Claim
	}
	if err := w.deliver(ctx); err != nil {
		return nil, errors.Join(err, w.Close(ctx, &Outcome{}, err))
	}
	return w, nil
}

// deliver records that the agent is shown the handoff, and finds the thread for it.
func (w *Work) deliver(ctx context.Context) error {
	if w.job.Path != "" {
		if err := w.held.book.Deliver(ctx, w.held.target, ""); err != nil {
			return err
		}
	}
	return w.Reopen(ctx)
}

// Reopen finds the thread of the work, or creates one if there is none: also if an agent has deleted it, as `git clean -x`
// does with all that git ignores.
func (w *Work) Reopen(ctx context.Context) error {
	t, err := threads.In(ctx, w.job.ws, true)
	if err != nil {
		return err
	}
	if w.Thread == "" || errors.Is(t.Store.Exists(w.Thread), fs.ErrNotExist) {
		w.Thread, err = chains.BranchTask(ctx, t.Store, w.job.dir, w.job.title(), "spawn")
	}
	return errors.Join(err, t.Close())
}

// title is the title of the thread of the work.
func (j *Job) title() string {
	if j.Path == "" {
		return j.Agent + " begins"
	}
	return j.Agent + " continues " + strings.TrimSuffix(path.Base(j.Path), ".md")
}

// Turn is what the agent is asked in one run of its program.
type Turn struct {
	Prompt string
	Resume bool // the session of the turn before, instead of a new one
	// Session is the id of a new session, for an agent that can be told; "" to let it choose.
	Session string
	// Watch, if not nil, gets what the agent has used whenever that changes. If it
	// returns an error the agent is interrupted, and that error is in the outcome.
	Watch func(meter.Progress) error
	// Beat is the same every second, with how far the agent has come.
	Beat func(meter.Pulse) error
}

// CanResume reports whether the agent can continue its session in another turn.
func (w *Work) CanResume() bool { return w.Session != "" && len(w.job.agent.Resume) > 0 }

// Finished reports whether the agent has recorded that the work is done.
func (w *Work) Finished(ctx context.Context) bool {
	return w.held != nil && w.held.book.Standing(ctx, w.held.target).Finished()
}

// owes reports whether the agent, which cannot finish its work, owes a handoff.
func (w *Work) owes(ctx context.Context) bool {
	return w.held == nil || w.held.book.Standing(ctx, w.held.target).Owes()
}

// Turn runs the agent until it ends, and renews the lease meanwhile. When ctx ends
// the agent gets a signal. An agent that fails is not an error.
func (w *Work) Turn(ctx context.Context, t Turn) (out Outcome, err error) {
	if err := w.Reopen(ctx); err != nil {
		return out, err
	}
	out.ThreadID, out.Session = w.Thread, w.Session
	call := agents.Call{Resume: t.Resume}
	chosen, resumed := "", ""
	switch {
	case t.Resume:
		call.Session, resumed = w.Session, w.Session
	case len(w.job.agent.Session) > 0:
		chosen, call.Session = t.Session, t.Session
	}
	command, err := w.job.command(call)
	if err != nil {
		return out, err
	}
	if w.turns > 0 && w.o.Check != nil {
		if err := w.o.Check(); err != nil {
			return out, err
		}
	}
	if w.held != nil {
		if err := w.held.extend(ctx, w.turns > 0); err != nil {
			return out, err
		}
		renewing, stop := w.held.renew(ctx)
		defer stop()
		ctx = renewing
	}
	w.turns++
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	m := meter.Start(meter.Options{Agent: w.job.agent, Resumed: resumed, Chosen: chosen, Used: w.used, Getenv: w.o.Getenv, Event: w.o.Event, Watch: t.Watch, Beat: t.Beat, Interrupt: interrupt, Patience: w.o.Patience})
	said := &tail{to: w.o.Stderr}
	out.Run, err = w.run(ctx, t.Prompt, command, m, said)
	if lost, ok := errors.AsType[*runner.LostError](err); ok { // the agent has worked, and what it did counts
		w.o.Event(meter.Event{Kind: "lost", Text: lost.Error()})
		err = nil
	}
	r := m.Close()
	w.Session = cmp.Or(r.Session.ID, r.Found, w.Session)
	w.used = r.All
	out.RunID, out.Session, out.Failed = out.Run.RunID, w.Session, r.Session.Failed
	out.Said, out.ExitCode, out.Stopped, out.Used = r.Said, out.Run.ExitCode, r.Stopped, r.Used
	w.classify(ctx, &out, r.Session.Resets, said.String())
	return out, err
}

// run runs the command as a run of the thread.
func (w *Work) run(ctx context.Context, prompt string, command []string, m *meter.Meter, stderr io.Writer) (result runner.Result, err error) {
	t, err := threads.In(ctx, w.job.ws, true)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	run := t.RunOptions()
	run.ThreadID, run.Content, run.Command, run.ActorID, run.Origin = w.Thread, prompt, command, "handoff", "spawn"
	// The context of the run is the prompt alone: the report is all that the agent
	// gets of the work before it. What earlier turns printed may be larger than a context can be.
	run.Context.Limits.Messages = 1
	run.Render = render.Fixed("brief", prompt)
	run.Env, run.Stdout, run.Stderr, run.Grace = w.environ(run.Dir), m, stderr, w.o.Grace
	return runner.Do(ctx, run)
}

// environ is the environment of the agent. A claim of the caller is not the agent's.
func (w *Work) environ(dir string) []string {
	env := slices.DeleteFunc((&exec.Cmd{Dir: dir}).Environ(), func(v string) bool {
		return strings.HasPrefix(v, "HANDOFF_REF=") || strings.HasPrefix(v, "HANDOFF_CLAIM=") || strings.HasPrefix(v, agents.RelayVar+"=")
	})
	if w.o.Relay != "" {
		env = append(env, agents.RelayVar+"="+w.o.Relay)
	}
	env = w.job.agent.Environ(withHandoff(env), w.job.limited(agents.Call{}), w.job.ws.Root)
	if w.job.Path != "" {
		env = append(env, "HANDOFF_REF="+w.job.Path)
	}
	if w.held != nil {
		env = append(env, "HANDOFF_CLAIM="+w.Claim)
	}
	return env
}

// withHandoff adds the folder of this program to PATH if the agent would not find
// it there: it was started by its path, or by `go run`.
func withHandoff(env []string) []string {
	self, err := os.Executable()
	if _, missing := exec.LookPath("handoff"); err != nil || missing == nil || strings.TrimSuffix(filepath.Base(self), ".exe") != "handoff" {
		return env
	}
	path := filepath.Dir(self)
	if before := os.Getenv("PATH"); before != "" {
		path = before + string(filepath.ListSeparator) + path
	}
	return append(env, "PATH="+path)
}

// Close ends the work. The claim of work that is not finished is released with the
// reason: how the last turn ended, or err.
func (w *Work) Close(ctx context.Context, last *Outcome, err error) error {
	why := w.job.why(last, err)
	if w.held == nil {
		last.Why = receipts.Reason(why)
		return nil
	}
	return w.held.settle(context.WithoutCancel(ctx), last, receipts.Reason(why))
}
