// Package runner links runs to threads: it compiles a message's context, gives
// it to a command on its standard input, and keeps what the command says as
// the run's stream.
//
// A run holds a lock for as long as its process lives. What was killed is
// found by that, and closed by the next one who asks ([Reap]).
//
// The package knows no command line and no HTTP, and nothing of what a command
// does with a context.
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"handoff/artifact"
	"handoff/thread"
	"handoff/thread/compile"
	"handoff/thread/compile/render"
)

// The reasons that a run ends with, beside "exit status N" and "signal: NAME"
// of a command that failed.
const (
	Completed     = "completed"
	Cancelled     = "cancelled"
	CompileFailed = "context_compile_failed"
	NotStarted    = "command_not_started"
	OutputFailed  = "output_not_kept"
	Killed        = "killed" // the process that ran it, not the command
)

// Options say what to run, for which message.
type Options struct {
	Store     *thread.Store
	Blobs     *artifact.Store
	Folder    string           // of the store: runs are held in `runs` below it
	Workspace string           // HANDOFF_WORKSPACE
	Now       func() time.Time // time.Now if nil
	NewID     func() string    // thread.NewUUID if nil

	ThreadID string
	// MessageID is the message to answer. Where it is "" Content is posted.
	MessageID, Content string
	ActorID, Origin    string

	// Command and its arguments. With none the run does what RIP does without a
	// provider: it says "ack: " and the message, and compiles no context.
	Command []string
	Queue   *Queue    // in which runs wait for their command; nil: none waits
	Dir     string    // that the command starts in; "" for the process's own
	Env     []string  // for the command, beside HANDOFF_…; nil for the process's own
	Stdout  io.Writer // gets what the command says, as it does; nil for nobody
	Stderr  io.Writer // is the command's own; nil for nothing
	// Render is the form of the context, [render.Prompt] if it has no name.
	Render render.Format
	// Context is what to compile; the thread, the message and the run are set.
	Context compile.Request
	// Grace is how long a command may take to end that was told to; 0 stands
	// for 5 seconds. What it leaves behind may hold its output open as long.
	Grace time.Duration
}

const defaultGrace = 5 * time.Second

// Result is how a run came out.
type Result struct {
	RunID, MessageID string
	Reason           string
	BundleID         string // of the context, "" where none was compiled
	// ExitCode is the command's, -1 where it was not started or was killed by
	// Signal, a number where there are signals.
	ExitCode, Signal int
	Notes            []render.Note // what the rendering differs in from the context
	Wrong            []string      // what the command has reported and nobody could read
}

// Run is a run that has begun.
type Run struct {
	ID, MessageID string

	options Options
	input   string // the message
	hold    *hold  // nil of a run that was acknowledged
	place   *place
}

// Start posts the message, if there is one to post, appends that its run was
// started, and begins the run's stream. The caller must call [Run.Finish], with
// a context that lives as long as the run is to.
func Start(ctx context.Context, o Options) (*Run, error) {
	o.fillIn()
	r := &Run{ID: o.NewID(), MessageID: o.MessageID, input: o.Content, options: o}
	if o.MessageID == "" {
		if err := o.Store.Exists(o.ThreadID); err != nil {
			return nil, err
		}
		r.MessageID = o.NewID()
		if len(o.Command) == 0 {
			return r, r.acknowledge(ctx)
		}
	} else {
		e, err := o.Store.MessageByID(o.ThreadID, r.MessageID)
		if err != nil {
			return nil, err
		}
		r.input = e.Payload.(*thread.Message).Content
	}
	hold, err := take(o.Store, o.Folder, r.record())
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", r.ID, err)
	}
	r.hold = hold
	if err := r.spawn(ctx); err != nil {
		return nil, errors.Join(err, hold.release())
	}
	// Whoever is told of the run can follow it at once.
	if _, err := o.Store.StartSession(ctx, r.ID, r.input); err != nil {
		_, endErr := closeRun(context.WithoutCancel(ctx), o.Store, r.record(), OutputFailed)
		return nil, errors.Join(err, endErr, hold.release())
	}
	r.place = o.Queue.enter()
	return r, nil
}

// spawn appends that the run was started, with the message if it is a new one.
func (r *Run) spawn(ctx context.Context) (err error) {
	o := &r.options
	run := thread.RunRequest{MessageID: r.MessageID, SessionID: r.ID, ActorID: o.ActorID, Origin: o.Origin}
	if o.MessageID == "" {
		_, err = o.Store.PostRun(ctx, o.ThreadID, r.message(), run, "")
	} else {
		_, _, err = o.Store.SpawnRun(ctx, o.ThreadID, run)
	}
	return err
}

func (r *Run) message() thread.MessageRequest {
	return thread.MessageRequest{Content: r.options.Content, ActorID: r.options.ActorID, Origin: r.options.Origin}
}

// acknowledge posts the message of a run without a command, and does the run in
// the same write: no process can be killed in between that would have to hold
// it, and many clients at once wait for one flush, not for five.
func (r *Run) acknowledge(ctx context.Context) error {
	o := &r.options
	_, err := o.Store.StartSession(ctx, r.ID, r.input, ack(r.input), &thread.SessionEnded{Reason: Completed})
	if err != nil {
		return err
	}
	_, err = o.Store.PostRun(ctx, o.ThreadID, r.message(), thread.RunRequest{MessageID: r.MessageID, SessionID: r.ID}, Completed)
	return err
}

func ack(input string) thread.Payload { return &thread.OutputDelta{Delta: "ack: " + input} }

func (o *Options) fillIn() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = thread.NewUUID
	}
	if o.Render.Render == nil {
		o.Render, _ = render.FormatOf("prompt")
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
}

// Do is Start and Finish.
func Do(ctx context.Context, o Options) (Result, error) {
	r, err := Start(ctx, o)
	if err != nil {
		return Result{}, err
	}
	return r.Finish(ctx)
}

// Ended reports whether the run has ended as it began: it was acknowledged.
func (r *Run) Ended() bool { return r.hold == nil }

// Finish does the run and appends how it came out, also where ctx ends: then
// the command is told to end. A command that fails is no error; that it could
// not be started, or its context not be compiled, is.
func (r *Run) Finish(ctx context.Context) (Result, error) {
	result := Result{RunID: r.ID, MessageID: r.MessageID, ExitCode: -1}
	if r.Ended() {
		result.Reason, result.ExitCode = Completed, 0
		return result, nil
	}
	err := r.do(ctx, &result)
	r.options.Queue.leave(r.place)
	if _, endErr := closeRun(context.WithoutCancel(ctx), r.options.Store, r.record(), result.Reason); endErr != nil {
		return result, errors.Join(err, endErr, r.hold.letGo()) // the next who asks closes it
	}
	return result, errors.Join(err, r.hold.release())
}

// do runs, and sets the reason, whatever happens.
func (r *Run) do(ctx context.Context, result *Result) error {
	o := &r.options
	log := context.WithoutCancel(ctx)
	result.Reason = OutputFailed
	if len(o.Command) == 0 {
		_, err := o.Store.AppendSession(log, r.ID, ack(r.input))
		if err == nil {
			result.Reason, result.ExitCode = Completed, 0
		}
		return err
	}
	if !r.await(ctx) {
		result.Reason = Cancelled
		return nil
	}
	given, err := r.context(log, result)
	if err != nil {
		result.Reason = CompileFailed
		return fmt.Errorf("context: %w", err)
	}
	return r.command(ctx, given, result)
}

// record is what is known of the run.
func (r *Run) record() Record {
	o := &r.options
	return Record{RunID: r.ID, ThreadID: o.ThreadID, MessageID: r.MessageID, ActorID: o.ActorID, Origin: o.Origin,
		StartedAt: o.Now().UTC(), Command: o.Command}
}

// closeRun appends how a run came out and returns it: whoever has closed one of
// its two streams before has said that. The session is closed last, because
// whoever waits for its end may go on with the thread at once: what is compiled
// then has the answer of this run only if the thread says that it has ended.
func closeRun(ctx context.Context, s *thread.Store, r Record, reason string) (string, error) {
	said, ended, err := s.SessionEnded(r.RunID)
	never := isMissing(err) // it was never made
	if err != nil && !never {
		return reason, err
	}
	if ended {
		reason = said.Reason
	}
	e, err := s.EndRun(ctx, r.ThreadID, r.RunID, reason, r.ActorID, r.Origin)
	if p, ok := e.Payload.(*thread.RunEnded); ok {
		reason = p.Reason
	}
	if ended || never {
		return reason, err
	}
	// Also where the thread cannot say so, or was taken away: nobody is to wait.
	_, sessionErr := s.AppendSession(ctx, r.RunID, &thread.SessionEnded{Reason: reason})
	return reason, errors.Join(err, sessionErr)
}
