// Package threads opens the threads of a workspace with the artifacts they
// refer to, and has the operations that need more than the store: runs, contexts
// and compaction jobs. Package client has the same methods for a server's
// threads.
package threads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"time"

	"handoff/document/handoff"
	"handoff/internal/journal"
	"handoff/log/artifact"
	"handoff/log/thread"
	"handoff/workspace/outbox"
)

// Options are what threads need from outside the program. The same options and
// requests produce the same bytes.
type Options struct {
	Root     string                               // of the workspace, absolute
	Folder   string                               // of the tool's own files
	Now      func() time.Time                     // nil: the system's clock
	NewID    func() string                        // IDs of threads, runs and events; nil: random ones
	Say      func(string)                         // gets one line for each repair; may be nil
	Progress func(path string, done, total int64) // of building an index, in bytes; may be nil
	// Upstream returns the log of a store that a file is a copy of; nil for none. Blobs is
	// the same for artifacts.
	Upstream func(path string) journal.Upstream
	Blobs    artifact.Remote
	Output   int64 // of a run, see [runner.Options]
	// Outbox, if not nil, queues messages while the store is away.
	Outbox *outbox.Box
}

// Threads are the threads of a workspace. Operations of the store are called on
// it directly.
type Threads struct {
	*thread.Store
	Blobs *artifact.Store

	options Options
}

// Open opens the threads, and closes the runs whose process was killed. The
// caller closes them; a server keeps them open.
func Open(ctx context.Context, o Options) (*Threads, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	blobs, err := artifact.Open(o.Root)
	if err != nil {
		return nil, err
	}
	blobs.Remote = o.Blobs
	t := &Threads{Blobs: blobs, options: o}
	var first func(context.Context, string) error
	if o.Outbox != nil {
		first = t.first
	}
	t.Store, err = thread.Open(o.Folder, thread.Options{First: first,
		Root: o.Root, Workspace: o.Root, Artifacts: blobs, Now: o.Now, NewID: o.NewID, Progress: o.Progress, Upstream: o.Upstream,
		Healed: func(path string, torn journal.Torn) {
			o.Say(fmt.Sprintf("%s: its last line was torn: %d bytes are kept in %s", t.rel(path), torn.Bytes, t.rel(torn.Aside)))
		},
	})
	if err != nil {
		blobs.Close()
		return nil, err
	}
	if err := t.Reap(ctx); err != nil {
		o.Say(err.Error())
	}
	return t, nil
}

// rel is a path relative to the workspace.
func (t *Threads) rel(path string) string {
	if rel, err := filepath.Rel(t.options.Root, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// Close closes all files.
func (t *Threads) Close() error { return errors.Join(t.Store.Close(), t.Blobs.Close()) }

// EventsFrom iterates over a thread's events, starting at number from. With
// follow it waits for more at the end until ctx is done.
func (t *Threads) EventsFrom(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error] {
	if follow {
		return t.Follow(ctx, id, from)
	}
	return t.Events(id, from)
}

// RunText returns the output of a run, up to max bytes, and whether there is
// more.
func (t *Threads) RunText(_ context.Context, id string, max int) (text string, more bool, err error) {
	return t.SessionText(id, max)
}

// FollowRun yields the frames of a run from a number on, to its end, and waits for those that are still to come.
func (t *Threads) FollowRun(ctx context.Context, id string, from uint64) iter.Seq2[thread.Line, error] {
	return func(yield func(thread.Line, error) bool) {
		if _, over, _ := t.SessionEnded(id); over {
			next, stop := iter.Pull2(t.StreamEvents(thread.Session, id, from))
			_, _, more := next()
			if stop(); !more {
				return // the caller has all of it
			}
		}
		for line, err := range t.FollowLines(ctx, thread.Session, id, from) {
			if !yield(line, err) || err == nil && ends(line.Text) {
				return
			}
		}
	}
}

// ends reports whether a frame is the last one of its run.
func ends(frame []byte) bool {
	if !bytes.Contains(frame, []byte(`"session_ended"`)) {
		return false
	}
	e, err := thread.Parse(frame)
	_, is := e.Payload.(*thread.SessionEnded)
	return err == nil && is
}

// ProviderEvents yields what the command of a run has reported of its provider. Other events are not parsed.
func (t *Threads) ProviderEvents(ctx context.Context, id string) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		for line, err := range t.Lines(thread.Session, id) {
			if err = errors.Join(err, ctx.Err()); err == nil && !bytes.Contains(line.Text, []byte(`"provider_event"`)) {
				continue
			}
			var e thread.Event
			if err == nil {
				e, err = thread.Parse(line.Text)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Posted is the answer to a message.
type Posted struct {
	ThreadID  string  `json:"thread_id"`
	MessageID string  `json:"message_id"`
	SessionID *string `json:"session_id"` // of the run started for it, nil if there is none
	// Queued: the store is away, and the message waits in the outbox. It will have its id.
	Queued bool `json:"queued,omitempty"`

	Waits *outbox.Queued `json:"-"` // nil unless it is queued
}

// Post appends a message and starts no run. Without the store, the message is queued, unless it has references.
func (t *Threads) Post(ctx context.Context, id string, r thread.MessageRequest) (Posted, error) {
	if t.options.Outbox == nil || len(r.Refs.Threads) > 0 {
		e, err := t.PostMessage(ctx, id, r)
		return Posted{ThreadID: id, MessageID: e.ID}, err
	}
	messageID := t.newID()
	if r.Key != "" {
		messageID = thread.MessageID(id, r.Key)
	}
	return t.PostBy(ctx, id, messageID, r, func(ctx context.Context) error {
		_, _, err := t.PostOnce(ctx, id, messageID, r)
		return err
	})
}

// Waiting is how many messages to a thread wait for the store.
func (t *Threads) Waiting(id string) int {
	if t.options.Outbox == nil {
		return 0
	}
	n, _ := t.options.Outbox.Waiting(outbox.ThreadLog(id)) // who drains reports the error
	return n
}

// Queues reports whether messages wait while the store is away.
func (t *Threads) Queues() bool { return t.options.Outbox != nil }

// PostBy posts a message with an id by calling do, or queues it: then only the message is
// posted when the store answers.
func (t *Threads) PostBy(ctx context.Context, id, messageID string, r thread.MessageRequest, do func(context.Context) error) (Posted, error) {
	p := Posted{ThreadID: id, MessageID: messageID}
	request := outbox.Request{Key: p.MessageID, At: t.options.Now().UTC(), Step: outbox.Post, Thread: id, By: r.ActorID, Origin: r.Origin, Content: r.Content}
	var err error
	p.Waits, err = t.options.Outbox.Do(ctx, request, func() error { return t.CheckMessage(id, p.MessageID, r) }, do)
	p.Queued = p.Waits != nil
	return p, err
}

// Send posts a message of the outbox, once. It has the time at which it was asked for.
func (t *Threads) Send(ctx context.Context, r outbox.Request) error {
	_, _, err := t.PostOnce(outbox.Sending(ctx), r.Thread, r.Key, thread.MessageRequest{Content: r.Content, ActorID: r.By, Origin: r.Origin, At: r.At})
	return outbox.Final(err)
}

// first sends the messages that wait for a thread, before anything else is written to it or
// taken from it.
func (t *Threads) first(ctx context.Context, id string) error {
	send := func(r outbox.Request) error { return t.Send(t.options.Outbox.Hurry(ctx), r) }
	refused := func(r outbox.Refused) { t.options.Say(r.Text()) }
	return t.options.Outbox.Settle(ctx, outbox.Sender{Send: send, Refused: refused, Now: t.options.Now}, outbox.ThreadLog(id))
}

func (t *Threads) newID() string {
	if t.options.NewID == nil {
		return thread.NewUUID()
	}
	return t.options.NewID()
}

// Find returns the ID of the thread that ref names: an ID, a prefix that only one ID has,
// latest (created last), or the beginning of a title that only one thread has. While the store is away, it is one that
// the local copy has.
func (t *Threads) Find(ctx context.Context, ref string) (string, error) {
	_, err := t.Get(ctx, ref)
	if !missing(err) && !outbox.Away(err) {
		return ref, err
	}
	return FindAmong(ref, err, func() ([]string, error) { return t.Streams(thread.Continuity) }, func() ([]thread.Info, error) { return t.List(ctx) })
}

// missing reports whether no thread has an ID, or none can have it.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, handoff.ErrInvalid)
}

// FindAmong returns the ID of the thread, of those that are listed, that ref names if it is
// not an ID. Archived threads are named by their IDs only. notFound is the error if there is
// none.
func FindAmong(ref string, notFound error, ids func() ([]string, error), list func() ([]thread.Info, error)) (string, error) {
	all, unread := ids()
	if id, err := handoff.FindID(ref, "thread", all); id != "" || err != nil {
		return id, err
	}
	infos, err := list()
	var titled []handoff.Titled
	for _, info := range infos {
		if info.Archived {
			continue
		}
		t := handoff.Titled{ID: info.ThreadID}
		if info.Title != nil {
			t.Titles = []string{*info.Title}
		}
		titled = append(titled, t)
	}
	if ref == handoff.Latest && len(titled) > 0 {
		return titled[len(titled)-1].ID, nil
	}
	if id, err := handoff.FindTitle(ref, "thread", titled); id != "" || err != nil {
		return id, err
	}
	return "", errors.Join(notFound, unread, err)
}
