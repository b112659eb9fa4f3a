// Package runner executes runs of threads: it compiles a message's context, passes
// it to a command on standard input, and stores the command's output as the run's
// stream.
//
// A run holds a lock while its process is alive. [Reap] finds runs whose process
// was killed, because their lock is free, and ends them.
//
// The package knows no command line and no HTTP, and not what a command does with
// a context.
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"handoff/internal/admission"
	"handoff/log/artifact"
	"handoff/log/thread"
	"handoff/log/thread/compile"
	"handoff/log/thread/compile/render"
)

// The reasons that end a run, besides "exit status N" and "signal: NAME" of a
// command that failed.
const (
	Completed     = "completed"
	Cancelled     = "cancelled"
	CompileFailed = "context_compile_failed"
	NotStarted    = "command_not_started"
	OutputFailed  = "output_not_kept"
	Killed        = "killed" // the process that executed the run, not the command
)

// Options configure what to run, for which message.
type Options struct {
	Store     *thread.Store
	Blobs     *artifact.Store
	Folder    string           // of the store: running runs are recorded in `runs` below it
	Workspace string           // HANDOFF_WORKSPACE
	Now       func() time.Time // time.Now if nil
	NewID     func() string    // thread.NewUUID if nil

	ThreadID string
	// MessageID is the message to answer. If it is "", Content is posted.
	MessageID, Content string
	Refs               thread.MessageRefs // of Content
	// PostID is the id of the message that is posted; "" for a new one.
	PostID string
	// Key, if not "", is the idempotency key of the request to post Content: repeating it starts no second run.
	Key             string
	ActorID, Origin string

	// Command and its arguments. Without one the run does what RIP does without a
	// provider: it outputs "ack: " and the message, and compiles no context.
	Command []string
	Queue   *admission.Queue // limits concurrent commands; nil for no limit
	Dir     string           // working folder of the command; "" for the process's own
	Env     []string         // for the command, besides HANDOFF_…; nil for the process's own
	Stdout  io.Writer        // gets a copy of the command's output; nil for none
	Stderr  io.Writer        // the command's standard error; nil to discard it
	// Render is the format of the context, [render.Prompt] if zero.
	Render render.Format
	// Context is what to compile; its thread, message and run are filled in.
	Context compile.Request
	// File reads a file of the workspace: see [compile.Source]. It may be nil.
	File func(path string) ([]byte, error)
	// Grace is how long a command may take to end after a signal; 0 means 5
	// seconds. Its child processes may keep its output open as long.
	Grace time.Duration
	// Output is how many bytes of the command's output are stored: the first ones, and always the end. 0 for
	// all.
	Output int64
}

const defaultGrace = 5 * time.Second

// Result is the outcome of a run.
type Result struct {
	RunID, MessageID string
	Reason           string
	BundleID         string // of the context, "" if none was compiled
	// ExitCode is the command's, -1 if it was not started or was killed by Signal,
	// which is 0 on systems without signals.
	ExitCode, Signal int
	Notes            []render.Note // differences between the rendering and the context
	Wrong            []string      // invalid reports of the command
}

// Run is a run that was started.
type Run struct {
	ID, MessageID string

	options Options
	input   string // the message
	hold    *hold  // nil if the run was acknowledged, or is another request's
	place   *admission.Place
}

// Start posts the message, if there is one to post, appends that its run was
// started, and starts the run's stream. The caller must call [Run.Finish]; the end
// of its context ends the run.
func Start(ctx context.Context, o Options) (*Run, error) {
	o.fillIn()
	r := &Run{ID: o.NewID(), MessageID: o.MessageID, input: o.Content, options: o}
	if o.MessageID == "" && o.Key != "" {
		if done, err := r.repeated(); done || err != nil {
			return r, err
		}
	}
	if r.options.MessageID == "" {
		if err := o.Store.Exists(o.ThreadID); err != nil {
			return nil, err
		}
		if r.MessageID = o.PostID; r.MessageID == "" {
			r.MessageID = o.NewID()
		}
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
	if err := r.spawn(ctx); err != nil || r.hold == nil {
		return r, errors.Join(err, hold.release())
	}
	// The stream exists before the caller learns the run's id, so it can be followed.
	if _, err := o.Store.StartSession(ctx, r.ID, r.input); err != nil {
		_, endErr := closeRun(context.WithoutCancel(ctx), o.Store, r.record(), OutputFailed)
		return nil, errors.Join(err, endErr, hold.release())
	}
	r.place = o.Queue.Enter(1)
	return r, nil
}

// spawn appends that the run was started, with the message if it is a new one.
func (r *Run) spawn(ctx context.Context) (err error) {
	o := &r.options
	run := thread.RunRequest{MessageID: r.MessageID, SessionID: r.ID, ActorID: o.ActorID, Origin: o.Origin}
	if o.MessageID == "" {
		if _, err = o.Store.PostRun(ctx, o.ThreadID, r.message(), run, ""); err == nil {
			err = r.overtaken()
		}
	} else {
		_, _, err = o.Store.SpawnRun(ctx, o.ThreadID, run)
	}
	return err
}

func (r *Run) message() thread.MessageRequest {
	return thread.MessageRequest{Content: r.options.Content, Key: r.options.Key, Refs: r.options.Refs, ActorID: r.options.ActorID, Origin: r.options.Origin}
}

// acknowledge posts the message of a run without a command, and completes the run
// in the same write: it needs no lock, because no process ever sees the run as
// running, and many concurrent clients wait for one flush instead of five.
func (r *Run) acknowledge(ctx context.Context) error {
	o := &r.options
	_, err := o.Store.StartSession(ctx, r.ID, r.input, ack(r.input), &thread.SessionEnded{Reason: Completed})
	if err != nil {
		return err
	}
	if _, err = o.Store.PostRun(ctx, o.ThreadID, r.message(), thread.RunRequest{MessageID: r.MessageID, SessionID: r.ID}, Completed); err != nil {
		return err
	}
	return r.overtaken()
}

// repeated reports whether an earlier request with the key has posted the message and started a run, which is r then. A
// message without a run, because the store was away or it was only to be appended, gets its run now.
func (r *Run) repeated() (done bool, err error) {
	o := &r.options
	e, first, err := o.Store.Repeated(o.ThreadID, r.message())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		r.MessageID, o.MessageID = e.ID, e.ID
		r.ID = cmp.Or(first, r.ID)
	}
	return first != "", err
}

// overtaken takes the run of another request with the key, which was faster, for r.
func (r *Run) overtaken() error {
	o := &r.options
	if o.Key == "" {
		return nil
	}
	_, first, err := o.Store.Repeated(o.ThreadID, r.message())
	if err == nil && first != r.ID {
		r.ID, r.hold = first, nil
	}
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
	if o.Key != "" && o.PostID == "" {
		o.PostID = thread.MessageID(o.ThreadID, o.Key)
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

// Ended reports whether there is nothing to finish: the run was acknowledged, or an earlier request with the key has started it.
func (r *Run) Ended() bool { return r.hold == nil }

// Finish executes the run and appends its outcome. If ctx ends, the command gets a
// signal. A command that fails is not an error; a command that could not be
// started, or a context that could not be compiled, is.
func (r *Run) Finish(ctx context.Context) (Result, error) {
	result := Result{RunID: r.ID, MessageID: r.MessageID, ExitCode: -1}
	if r.Ended() {
		result.Reason, result.ExitCode = Completed, 0
		return result, nil
	}
	err := r.do(ctx, &result)
	r.options.Queue.Leave(r.place)
	_, endErr := closeRun(context.WithoutCancel(ctx), r.options.Store, r.record(), result.Reason)
	if isMissing(endErr) {
		return result, errors.Join(err, &LostError{endErr}, r.hold.release())
	}
	if endErr != nil {
		return result, errors.Join(err, endErr, r.hold.unlock()) // Reap will end it
	}
	return result, errors.Join(err, r.hold.release())
}

// do executes the run and always sets the reason.
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

// record describes the run.
func (r *Run) record() Record {
	o := &r.options
	return Record{RunID: r.ID, ThreadID: o.ThreadID, MessageID: r.MessageID, ActorID: o.ActorID, Origin: o.Origin,
		StartedAt: o.Now().UTC(), Command: o.Command, Output: o.Output}
}

// closeRun ends a run in the thread and in its session, and returns the reason: if
// one of the two has already ended, that reason wins. The session is ended last,
// because its end is the signal for clients to continue the thread: a context
// compiled at that moment has this run's answer only if the thread records that
// the run has ended.
func closeRun(ctx context.Context, s *thread.Store, r Record, reason string) (string, error) {
	said, ended, err := s.SessionEnded(r.RunID)
	never := isMissing(err) // it was never created
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
	// Also if the thread could not be written or was deleted: no client should
	// wait forever.
	_, sessionErr := s.AppendSession(ctx, r.RunID, &thread.SessionEnded{Reason: reason})
	return reason, errors.Join(err, sessionErr)
}
