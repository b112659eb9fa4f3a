// Package hooks answers the hooks of agents: it reads a host's message from standard
// input, handles the event, and returns only that host's envelope.
//
// A host shows the output of a failed hook to the model or the user, and may treat
// its exit status as an order to stop. So nothing here fails: an error is recorded
// (package notes) and the answer is empty.
package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/agents/sessions"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/delivery"
	"handoff/workspace/notes"
	"handoff/workspace/trust"
)

// Auto is the name of a host that is found from the input.
const Auto = "auto"

// Call is one run of a hook.
type Call struct {
	Event   host.Event
	Host    string // name, or [Auto]
	Dir     string // absolute; where the agent works, if it is not in the input
	Stdin   io.Reader
	Getenv  func(string) string
	Options workspace.Options
	Within  Times // the zero value: what the hosts allow
	Texts
}

// Texts are what a hook shows and writes about handoffs. They come from the caller: a hook decides only when.
type Texts struct {
	Show delivery.Show
	// Died says which other session ended without a handoff; "" for none.
	Died func(ctx context.Context, ws *workspace.Workspace, own receipt.Session) (string, error)
	// Dropped is a line about what the compaction that began then dropped, as a transcript of a format shows; "" for nothing.
	// nil if that is not told.
	Dropped func(ws *workspace.Workspace, path, format string, began time.Time) (string, error)
	// Draft returns what writes a handoff for a session that left none, nil if it did nothing
	// that one could report.
	Draft func(ws *workspace.Workspace, s Ended) func(context.Context) error
}

// Times are how long a hook may take to answer, and then to record an error.
type Times struct{ Answer, Record time.Duration }

// deadline is how long a hook may take to answer. Hosts wait for a hook, but only
// briefly at the end of a session.
func (c Call) deadline() time.Duration {
	switch {
	case c.Within.Answer != 0:
		return c.Within.Answer
	case c.Event == host.SessionEnd:
		return time.Second
	}
	return 2 * time.Second
}

// Answer is what the hook prints: an envelope, or nothing. It returns at the
// deadline of the event, also if standard input does not end.
func Answer(ctx context.Context, c Call) []byte {
	ctx, cancel := context.WithTimeout(ctx, c.deadline())
	defer cancel()
	r := &run{Call: c, in: host.Input{Dir: c.Dir}}
	done := make(chan []byte, 1)
	go func() { done <- r.safely(ctx) }()
	select {
	case answer := <-done:
		return answer
	case <-ctx.Done():
		record(c.Dir, c, fmt.Errorf("stopped after %s: %w", c.deadline(), ctx.Err()))
		return nil
	}
}

// run is a call with the facts found out about it.
type run struct {
	Call
	in   host.Input
	host host.Host
	hook host.Hook
	ws   *workspace.Workspace
	desk *delivery.Desk

	opened map[string]sessions.Session // transcripts, by path
	clears bool                        // the answer ends the turn and clears the context
}

// safely is the answer, empty for an error. A panic would end the process with
// status 2, by which hosts understand that the agent must not continue.
func (r *run) safely(ctx context.Context) (answer []byte) {
	defer func() {
		if p := recover(); p != nil {
			answer = nil
			record(r.in.Dir, r.Call, fmt.Errorf("panic: %v", p))
		}
	}()
	ok, err := r.understand()
	text := ""
	if ok && err == nil {
		if ok, err = r.open(); ok && err == nil {
			text, err = r.text(ctx)
		}
	}
	if ctx.Err() != nil {
		return nil // Answer has returned, and recorded that
	}
	if err != nil {
		record(r.in.Dir, r.Call, err)
	}
	if !r.host.Limit.Fits(text) {
		return nil
	}
	if r.clears {
		return r.hook.Clearing(text)
	}
	return r.hook.Envelope(text)
}

// maxInput is the most bytes of the input that are read: the call of a tool has the
// content of a file.
const maxInput = 16 << 20

// understand reads the input and finds the name of the host.
func (r *run) understand() (ok bool, err error) {
	src, err := io.ReadAll(io.LimitReader(r.Stdin, maxInput+1))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Stdin) // the host may wait until all is read
	}
	switch {
	case err != nil:
		return false, err
	case len(src) > maxInput:
		return false, fmt.Errorf("standard input: more than %d bytes", maxInput)
	}
	in, err := host.Read(src)
	if err != nil {
		return false, err
	}
	if r.in = in; !filepath.IsAbs(in.Dir) {
		r.in.Dir = r.Dir
	}
	if r.host.Name = r.name(); r.host.Name == "" {
		return false, errors.New("unknown host: name it with --host")
	}
	return true, nil
}

// resolve finds the entry of the host: the built-in one or, in a workspace that the user has
// trusted, its own. ok is false if the host has no such event.
func (r *run) resolve(refused error) (ok bool, err error) {
	name := r.host.Name
	built, unknown := host.Named(name)
	switch own := sessions.HasOwn(r.ws.Root, name); {
	case own && refused == nil:
		if r.host, err = sessions.Own(r.ws.Root, name); err != nil && unknown == nil {
			r.host, err = built, nil // doctor reports a bad file
		}
	case own && unknown != nil:
		err = fmt.Errorf("%s/%s.yaml: %w", sessions.Overrides, name, refused)
	default:
		r.host, err = built, unknown
	}
	if err != nil {
		return false, err
	}
	r.hook, ok = r.host.Hook(r.Event)
	return ok, nil
}

// name is the host: the one that was named when the hook was installed, unless
// another one that runs the hooks of that one too has called it.
func (r *run) name() string {
	if r.Host == Auto {
		return host.Detect(r.in, r.Getenv)
	}
	if name := host.Proven(r.in); name != "" && name != r.Host {
		if other, err := host.Named(name); err == nil && slices.Contains(other.Runs, r.Host) {
			return name
		}
	}
	return r.Host
}

// storePatience is how long a hook waits for a store on another machine. Then it reads
// the local copy, and what it records waits in the outbox.
const storePatience = 300 * time.Millisecond

// open opens the workspace of the session. ok is false without one.
func (r *run) open() (ok bool, err error) {
	r.Options.Patience = storePatience
	ws, err := workspace.Open(r.in.Dir, r.Options)
	switch {
	case ws != nil && !ws.IsSetUp():
		return false, nil
	case err != nil:
		return false, err
	}
	r.ws = ws
	refused := r.ws.MayAct()
	if errors.Is(refused, trust.ErrStranger) {
		return false, nil // what another user has left there is not from an earlier session
	}
	if ok, err := r.resolve(refused); !ok || err != nil {
		return false, err
	}
	r.desk, err = delivery.Open(r.ws, delivery.Desk{
		Session: receipt.Session{Host: r.host.Name, ID: r.in.Session},
		Claim:   r.Getenv("HANDOFF_CLAIM"), Spawned: r.Getenv("HANDOFF_RUN_ID") != "", Relay: r.Getenv(agents.RelayVar) != "", Max: r.host.Limit.Max, Show: r.Show, Ending: r.ending,
	})
	return err == nil, err
}

// recordTime is how long an error may take to be recorded, after the deadline.
const recordTime = 100 * time.Millisecond

// record records an error in the workspace of a folder. It must not fail, so it
// ignores its own errors, and drops an error from outside any workspace.
func record(dir string, c Call, err error) {
	root, ok := workspace.Find(dir)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(c.Within.Record, recordTime))
	defer cancel()
	log, bad := notes.OpenLog(root)
	if bad == nil {
		_ = log.Add(ctx, notes.Fault{At: c.Options.Time(), Host: c.Host, Event: string(c.Event), Error: err.Error()})
	}
}
