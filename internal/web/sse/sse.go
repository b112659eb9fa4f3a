// Package sse sends server-sent events (WHATWG HTML, "Server-sent events") from
// an iterator.
//
// Each reader pulls its own events: nothing is sent to those who do not take
// it, and one who reads slowly holds up nobody else. The package knows nothing
// of what is in the events.
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
	ID   string // what a client says when it comes back, one line; "" for none
	Data []byte // must stay as it is once it was yielded
}

// Options say how to send. Zero durations are the defaults.
type Options struct {
	KeepAlive time.Duration   // send a comment after so long without an event; 15 s
	Write     time.Duration   // how long one write may take; 30 s
	End       <-chan struct{} // closed when streams are to end; nil: never
	Sent      func(n int)     // is told how many events were sent; nil: nobody is
}

// ErrSlow says that a client took nothing for longer than one write may take.
var ErrSlow = errors.New("the client takes nothing")

// ahead is how many events are read before the client has taken the first of
// them, so that many go out in one write. For a client that goes away after one
// they were read in vain.
const ahead = 16

// Serve sends what events yields until it ends, the client goes away, or it is
// to end. The context that events gets is then over, which must end it. The
// error is that of events, or [ErrSlow]: a client that goes away is none.
func Serve(w http.ResponseWriter, r *http.Request, opt Options, events func(context.Context) iter.Seq2[Event, error]) error {
	s := sender{out: bufio.NewWriter(w), rc: http.NewResponseController(w), write: opt.Write, sent: opt.Sent}
	if s.write == 0 {
		s.write = 30 * time.Second
	}
	pause := opt.KeepAlive
	if pause == 0 {
		pause = 15 * time.Second
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // or nginx keeps events to itself
	s.rc.SetReadDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	if err := s.flush(); err != nil {
		return gone(r, err)
	}
	return gone(r, s.run(r.Context(), opt.End, pause, events))
}

// gone forgets the errors that only say that the client went away.
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

// run passes events on. They are read by another goroutine, so that the
// client hears something while there are none.
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
	defer func() { // it has ended when this has
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

// send writes an event. It goes out when the buffer is full, or when it is the
// last for now.
func (s *sender) send(e Event, last bool) error {
	if s.out.Available() < len(e.Data)+len(e.ID)+64 {
		s.deadline() // for what now goes out by itself
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

// deadline gives the next write its time. A writer that knows no deadlines, in
// a test, has as long as it likes.
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

// lines takes data apart where a client would see a line end: at a carriage
// return, too.
func lines(data []byte) iter.Seq[[]byte] {
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	}
	return bytes.SplitSeq(data, []byte("\n"))
}
