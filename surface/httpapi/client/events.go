package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/thread"
)

// LastSeq is the header by which a server says which event is the last one at
// the moment. RIP says nothing of the kind.
const LastSeq = "Handoff-Last-Seq"

const (
	maxData  = 24 << 20    // bytes of one event: more than any has
	quiet    = time.Second // after which a server that says no end has told all it has
	attempts = 5           // to be connected again
	pause    = 200 * time.Millisecond
)

// EventsFrom iterates over a thread's events, starting at number from. With
// follow it waits for more at the end until ctx is done, and reconnects when the
// connection breaks. RIP does not report which event is the last: without
// follow, reading ends when no event has come for a second.
func (c *Client) EventsFrom(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error] {
	return c.events(ctx, "threads", id, from, follow)
}

// Session follows a run from its first event to its end.
func (c *Client) Session(ctx context.Context, id string) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		for e, err := range c.events(ctx, "sessions", id, 0, true) {
			_, ended := e.Payload.(*thread.SessionEnded)
			if !yield(e, err) || ended {
				return
			}
		}
	}
}

// RunText returns the output of a run that has ended, up to max bytes, and
// whether there is more.
func (c *Client) RunText(ctx context.Context, id string, max int) (text string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, inTime)
	defer cancel()
	var b strings.Builder
	for e, err := range c.Session(ctx, id) {
		if err != nil {
			return b.String(), false, err
		}
		if p, ok := e.Payload.(*thread.OutputDelta); ok {
			if b.Len()+len(p.Delta) > max {
				b.WriteString(strings.ToValidUTF8(p.Delta[:max-b.Len()], ""))
				return b.String(), true, nil
			}
			b.WriteString(p.Delta)
		}
	}
	return b.String(), false, nil
}

// CancelRun tells a run to end. It does not wait for it. A run that is not
// there, or has been told before, is fs.ErrNotExist.
func (c *Client) CancelRun(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, inTime)
	defer cancel()
	resp, err := c.send(ctx, request{method: http.MethodPost, path: []string{"sessions", id, "cancel"}})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// events goes through the stream of a thread or a session.
func (c *Client) events(ctx context.Context, kind, id string, from uint64, follow bool) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		s := stream{client: c, kind: kind, id: id, next: from, follow: follow, yield: yield}
		read := s.persist
		if !follow {
			read = once
		}
		if err := read(ctx, s.read); err != nil && !s.done {
			yield(thread.Event{}, err)
		}
	}
}

// once reads a stream over one connection.
func once(ctx context.Context, read func(context.Context) error) error {
	err := read(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// reading is how far the reading of a stream has come.
type reading struct {
	got       int  // events that were handed on
	connected bool // once at least
}

// persist reads a stream until that ends, and comes back where a connection
// breaks.
func (r *reading) persist(ctx context.Context, read func(context.Context) error) error {
	for tries := 0; ; tries++ {
		before := r.got
		err := read(ctx)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case refused(err), errors.Is(err, errMalformed), !r.connected:
			return err
		}
		if r.got > before {
			tries = 0
		}
		if tries == attempts {
			return fmt.Errorf("the stream broke off after %d events: %w", r.got, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause << tries):
		}
	}
}

// refused reports an answer that another attempt would get again: not that of
// a server that starts, or has too many streams, or of a proxy before it.
func refused(err error) bool {
	var e *StatusError
	return errors.As(err, &e) && !slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, e.Status)
}

// stream is the place that a reading has come to.
type stream struct {
	reading
	client *Client
	kind   string // threads, sessions
	id     string
	next   uint64 // the number of the event that is wanted
	follow bool
	yield  func(thread.Event, error) bool
	done   bool // the caller has had enough
}

var errMalformed = errors.New("unexpected events from the server")

// read goes through one connection. No error says that all there is has come.
func (s *stream) read(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	query := url.Values{}
	if s.next > 0 { // RIP sends all, whatever it is asked for
		query.Set("from_seq", strconv.FormatUint(s.next, 10))
	}
	resp, err := s.client.send(ctx, request{method: http.MethodGet, path: []string{s.kind, s.id, "events"}, query: query})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	s.connected = true
	last, endErr := strconv.ParseUint(resp.Header.Get(LastSeq), 10, 64)
	if !s.follow && endErr == nil && s.next > last {
		return nil
	}
	silent := func() {}
	if !s.follow && endErr != nil {
		timer := time.AfterFunc(quiet, func() { cancel(errQuiet) })
		defer timer.Stop()
		silent = func() { timer.Reset(quiet) }
	}
	in := eventsOf(resp.Body)
	for {
		e, err := next(in)
		if errors.Is(context.Cause(ctx), errQuiet) {
			return nil
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // these streams do not end by themselves
		}
		if err != nil {
			return err
		}
		silent()
		if err := s.give(e.data); err != nil || s.done {
			return err
		}
		if !s.follow && endErr == nil && s.next > last {
			return nil
		}
	}
}

var errQuiet = errors.New("no more events")

// give hands on an event, unless it was handed on before. Where one is missing,
// as RIP leaves out what a slow reader has no room for, the stream is asked for
// again from there.
func (s *stream) give(data []byte) error {
	e, err := thread.Parse(data)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errMalformed, err)
	case e.Seq < s.next:
		return nil
	case e.Seq > s.next:
		return fmt.Errorf("event %d is missing: %d came", s.next, e.Seq)
	}
	s.next = e.Seq + 1
	s.got++
	s.done = !s.yield(e, nil)
	return nil
}

// event is a server-sent event.
type event struct {
	id   string
	data []byte
}

func eventsOf(body io.Reader) *bufio.Reader { return bufio.NewReaderSize(body, 64<<10) }

// next is the next event that has data.
func next(in *bufio.Reader) (e event, err error) {
	for {
		line, err := readLine(in, maxData-len(e.data))
		if err != nil {
			return event{}, err
		}
		if len(line) == 0 && e.data != nil {
			e.data = bytes.TrimSuffix(e.data, []byte("\n"))
			return e, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			e.id = string(value)
		case "data":
			e.data = append(append(e.data, value...), '\n')
		}
	}
}

// readLine is a line without its end.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > most {
			return nil, fmt.Errorf("%w: an event is longer than %d bytes", errMalformed, maxData)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
	}
}
