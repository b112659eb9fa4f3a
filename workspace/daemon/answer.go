package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/workspace"
)

// answer sends the status to each caller. They do not wait for each other.
func (d *daemon) answer(l net.Listener, self Holder) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go d.reply(c, self)
	}
}

// reply answers one caller. Its time to read the answer begins when there is one: on a busy
// machine, or for many tasks, it takes a while.
func (d *daemon) reply(c net.Conn, self Holder) {
	defer c.Close()
	known := d.flush()
	s := d.now(self)
	if !known {
		s.Queue = max(1, s.Queue)
	}
	c.SetDeadline(time.Now().Add(answering)) // a caller that does not read must not stay forever
	json.NewEncoder(c).Encode(s)
}

// now is the status. What the watcher has not passed on is in the queue, too, and what waits
// for a look at git's index. They are counted first: a task that arrives meanwhile is counted
// twice rather than not at all.
func (d *daemon) now(self Holder) Status {
	waiting := 0
	if !d.status.scans() {
		waiting = d.watcher.Waiting()
		if _, ok := d.rewritten(); ok {
			waiting += d.left.size()
		}
	}
	s := d.status.report(self, d.polling.Load(), d.exists)
	s.Queue += waiting
	return s
}

// flush waits until the watcher has read the events of all changes so far, so that the
// queue is not 0 while the system still has some: after a suspension, for example. known
// is false if they could not be read in time.
func (d *daemon) flush() (known bool) {
	if d.status.scans() {
		return true // the queue is not 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushing)
	defer cancel()
	f, err := os.CreateTemp("", "handoff-*.flush")
	if err != nil {
		return true // never false: a script that waits for an empty queue would wait forever
	}
	defer os.Remove(f.Name())
	defer f.Close()
	err = d.watcher.Flush(ctx, f.Name(), func() error { _, err := f.WriteString("x"); return err })
	return !errors.Is(err, context.DeadlineExceeded)
}

// Ask asks the running watch for its status. It waits a moment for a watch that is
// starting, or that opens its socket again; if there is none, the error is [ErrNotWatched].
func Ask(ctx context.Context, w *workspace.Workspace) (Status, error) {
	began := time.Now()
	for {
		s, err := ask(ctx, w)
		patience := announcing
		if errors.Is(err, ErrNotWatched) {
			patience = starting
		}
		if err == nil || errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) >= patience {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// errSilent reports that a watch accepted a status request and did not answer.
var errSilent = errors.New("does not answer")

// ask is Ask for a watch that has started.
func ask(ctx context.Context, w *workspace.Workspace) (Status, error) {
	var s Status
	h, err := holder(w)
	if errors.As(err, new(*nofollow.LinkError)) {
		return s, err
	}
	if err != nil || h.Socket == "" {
		return s, unanswered(w, errors.New("it recorded no address"))
	}
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "unix", h.Socket)
	if err != nil {
		return s, unanswered(w, err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(answering))
	if err := json.NewDecoder(c).Decode(&s); err != nil {
		return s, fmt.Errorf("the watch (pid %d) %w: %w", h.PID, errSilent, err)
	}
	return s, nil
}
