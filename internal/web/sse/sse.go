// Package sse sends server-sent events (WHATWG HTML, "Server-sent events") from an
// iterator.
//
// Each client has its own iterator, so a slow client does not delay others. The package
// does not interpret the events.
package sse

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"
)

// Event is one event of a stream.
type Event struct {
	ID   string // one line that a client sends when it reconnects; "" for none
	Data []byte // must not change after it was yielded
}

// Options configure a stream. Zero durations are the defaults.
type Options struct {
	KeepAlive time.Duration   // without events, send a comment after this time
	Write     time.Duration   // timeout of one write
	End       <-chan struct{} // closed to end the stream; nil: never
	Sent      func(n int)     // called with the number of events sent; may be nil
}

// ErrSlow reports that a client did not read for longer than the timeout of a write.
var ErrSlow = errors.New("the client does not read")

// ahead is how many events are read ahead of the client, so that several are sent in one
// write. If the client disconnects, they are discarded.
const ahead = 16

// Serve sends the events that events yields until it ends, the client disconnects, or
// Options.End is closed. It then cancels the context of events, which must return. The
// error is that of events, or [ErrSlow]; a client that disconnects is not an error.
func Serve(w http.ResponseWriter, r *http.Request, opt Options, events func(context.Context) iter.Seq2[Event, error]) error {
	s := sender{out: bufio.NewWriter(w), rc: http.NewResponseController(w), write: opt.Write, sent: opt.Sent}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // otherwise nginx buffers events
	s.rc.SetReadDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if err := s.flush(); err != nil {
		return gone(r, err)
	}
	return gone(r, s.run(r.Context(), opt.End, opt.KeepAlive, events))
}

// gone drops errors that only mean that the client has disconnected.
func gone(r *http.Request, err error) error {
	switch {
	case errors.Is(err, ErrSlow):
		return ErrSlow
	case errors.As(err, new(writeError)), r.Context().Err() != nil:
		return nil
	}
	return err
}

type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

// sender writes to one client.
type sender struct {
	out   *bufio.Writer
	rc    *http.ResponseController
	write time.Duration
	sent  func(int)
	count int // events since the last flush
}

type item struct {
	Event
	err error
}

// run sends the events. Another goroutine reads them, so that comments can be sent while
// there are none.
func (s *sender) run(ctx context.Context, end <-chan struct{}, pause time.Duration, events func(context.Context) iter.Seq2[Event, error]) error {
	ctx, cancel := context.WithCancel(ctx)
	items := make(chan item, ahead)
	go func() {
		defer close(items)
		for e, err := range events(ctx) {
			select {
			case items <- item{e, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() { // wait for that goroutine
		cancel()
		for range items {
		}
	}()
	quiet := time.NewTimer(pause)
	defer quiet.Stop()
	for {
		select {
		case i, ok := <-items:
			if !ok || i.err != nil {
				return cmp.Or(i.err, s.flush())
			}
			if err := s.send(i.Event, len(items) == 0); err != nil {
				return err
			}
		case <-quiet.C:
			if err := s.comment("ping"); err != nil {
				return err
			}
		case <-end:
			return s.comment("the server ends")
		case <-ctx.Done():
			return ctx.Err()
		}
		quiet.Reset(pause)
	}
}

// send writes an event to the buffer, which is flushed when it is full and after the
// last event that is available.
func (s *sender) send(e Event, last bool) error {
	if s.out.Available() < len(e.Data)+len(e.ID)+64 {
		s.deadline() // the buffer is flushed now
	}
	if e.ID != "" {
		s.out.WriteString("id: ")
		s.out.WriteString(e.ID)
		s.out.WriteByte('\n')
	}
	for line := range lines(e.Data) {
		s.out.WriteString("data: ")
		s.out.Write(line)
		s.out.WriteByte('\n')
	}
	err := s.out.WriteByte('\n')
	s.count++
	if last && err == nil {
		return s.flush()
	}
	return s.failed(err)
}

func (s *sender) comment(text string) error {
	io.WriteString(s.out, ": "+text+"\n\n")
	return s.flush()
}

// deadline sets the timeout of the next write. Writers of tests may not support it.
func (s *sender) deadline() { s.rc.SetWriteDeadline(time.Now().Add(s.write)) }

func (s *sender) flush() error {
	s.deadline()
	err := s.out.Flush()
	if err == nil {
		err = s.rc.Flush()
	}
	if err == nil && s.sent != nil && s.count > 0 {
		s.sent(s.count)
	}
	s.count = 0
	return s.failed(err)
}

func (s *sender) failed(err error) error {
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &timeout) && timeout.Timeout():
		return writeError{ErrSlow}
	}
	return writeError{err}
}

// lines splits data at the line ends that a client sees, also at carriage returns.
func lines(data []byte) iter.Seq[[]byte] {
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	return bytes.SplitSeq(data, []byte("\n"))
}
