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

	"handoff/log/thread"
)

// LastSeq is the header with the number of the last event so far. RIP does not
// send it.
const LastSeq = "Handoff-Last-Seq"

const (
	maxData  = 24 << 20    // bytes of one event; no event is larger
	quiet    = time.Second // without events ends reading from a server that sends no LastSeq
	attempts = 5           // to reconnect
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

// ProviderEvents yields the events of a run that has ended: also others than those of its provider.
func (c *Client) ProviderEvents(ctx context.Context, id string) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		ctx, cancel := context.WithTimeout(ctx, inTime)
		defer cancel()
		c.Session(ctx, id)(yield)
	}
}

// CancelRun cancels a run, without waiting for its end. A run that does not
// exist, or was cancelled before, is fs.ErrNotExist.
func (c *Client) CancelRun(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, inTime)
	defer cancel()
	resp, err := c.send(ctx, request{method: http.MethodPost, path: []string{"sessions", id, "cancel"}, rip: true})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// events reads the stream of a thread or a session.
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

// once reads a stream over a single connection.
func once(ctx context.Context, read func(context.Context) error) error {
	err := read(ctx)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// reading is the progress of reading a stream.
type reading struct {
	got       int  // events that were passed on
	connected bool // at least once
}

// persist reads a stream until it ends, and reconnects when the connection
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

// refused reports an answer that a retry would get again. Others come from a
// server that is starting or has too many streams, or from a proxy.
func refused(err error) bool {
	var e *StatusError
	return errors.As(err, &e) && !slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, e.Status)
}

// stream reads the events of a thread or a session.
type stream struct {
	reading
	client *Client
	kind   string // threads, sessions
	id     string
	next   uint64 // number of the next event
	follow bool
	yield  func(thread.Event, error) bool
	done   bool // the caller stopped
}

var errMalformed = errors.New("unexpected events from the server")

// read reads from one connection. It returns nil when all existing events were
// read.
func (s *stream) read(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	query := url.Values{}
	if s.next > 0 { // RIP ignores it and sends all
		query.Set("from_seq", strconv.FormatUint(s.next, 10))
	}
	resp, err := s.client.send(ctx, request{method: http.MethodGet, path: []string{s.kind, s.id, "events"}, query: query, rip: true})
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
			err = io.ErrUnexpectedEOF // these streams never end
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

// give passes an event on, unless it already did. If an event is missing,
// because RIP drops events for slow readers, it requests the stream again from
// there.
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

// next returns the next event that has data.
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

// readLine returns a line without its end.
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
