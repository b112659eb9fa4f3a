package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"handoff/document/handoff"
	"handoff/log/tape"
)

// windowQuery selects entries by anchors.
func windowQuery(w tape.Window) url.Values {
	query := url.Values{}
	last, start, end := w.Bounds()
	switch {
	case last:
		query.Set("last_anchor", "true")
	case end != nil:
		query["between"] = []string{*start, *end}
	case start != nil:
		query.Set("after_anchor", *start)
	}
	return query
}

// choiceQuery selects entries, without their number.
func choiceQuery(q tape.Query) url.Values {
	query := windowQuery(q.Window)
	for name, value := range map[string]string{"since": q.From, "until": q.To, "text": q.Text} {
		if value != "" {
			query.Set(name, value)
		}
	}
	query["kind"] = q.Kinds
	if q.FromID != nil {
		query.Set("from_id", strconv.FormatInt(*q.FromID, 10))
	}
	return query
}

// Query iterates over the selected entries while they arrive: they may not fit
// into memory.
func (t *Tape) Query(ctx context.Context, q tape.Query) iter.Seq2[tape.Entry, error] {
	return func(yield func(tape.Entry, error) bool) {
		query := choiceQuery(q)
		if q.Limit != nil {
			query.Set("limit", strconv.Itoa(*q.Limit))
		}
		path := t.path("entries")
		if t.uri != "" {
			path = []string{"tape-uri"}
			query.Set("uri", t.uri)
		}
		resp, err := t.client.send(ctx, request{method: http.MethodGet, path: path, query: query})
		if err != nil {
			yield(tape.Entry{}, err)
			return
		}
		defer resp.Body.Close()
		if err := eachEntry(resp.Body, func(e tape.Entry) bool { return yield(e, nil) }); err != nil {
			yield(tape.Entry{}, fmt.Errorf("the server's answer: %w", err))
		}
	}
}

// eachEntry reads a JSON array of entries.
func eachEntry(body io.Reader, yield func(tape.Entry) bool) error {
	in := &capped{from: body, left: maxData}
	d := json.NewDecoder(in)
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return errors.Join(err, errMalformed)
	}
	for d.More() {
		in.left = maxData
		var e tape.Entry
		if err := d.Decode(&e); err != nil {
			return err
		}
		if !yield(e) {
			return nil
		}
	}
	_, err := d.Token()
	if errors.Is(err, io.EOF) { // the connection broke before the end of the array
		err = io.ErrUnexpectedEOF
	}
	return err
}

// capped limits how much is read for one entry, all of which is kept in memory.
type capped struct {
	from io.Reader
	left int
}

func (c *capped) Read(p []byte) (n int, err error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("%w: an entry is longer than %d bytes", errMalformed, maxData)
	}
	n, err = c.from.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// Follow iterates over the existing and future entries, across resets, as
// [tape.Tape.Follow] does; it reconnects when the connection breaks. An ID that
// is not larger than the one before shows that the tape was reset.
func (t *Tape) Follow(ctx context.Context, r tape.FollowRequest) iter.Seq2[tape.Entry, error] {
	return func(yield func(tape.Entry, error) bool) {
		if _, _, end := r.Query.Window.Bounds(); end != nil || r.Query.Limit != nil && *r.Query.Limit < 0 || r.After != (tape.Cursor{}) {
			yield(tape.Entry{}, fmt.Errorf("a range with an end cannot be followed: %w", handoff.ErrInvalid))
			return
		}
		f := followed{tape: t, request: r, left: -1, yield: yield}
		if r.Query.Limit != nil {
			f.left = *r.Query.Limit
		}
		if f.left == 0 {
			return
		}
		if err := f.persist(ctx, f.read); err != nil && !f.done {
			yield(tape.Entry{}, err)
		}
	}
}

// followed reads the entries of a tape.
type followed struct {
	reading
	tape    *Tape
	request tape.FollowRequest
	left    int // entries still wanted, negative for all
	yield   func(tape.Entry, error) bool
	done    bool // the caller stopped

	position string // ID of the last event
	last     int64  // ID of the last entry
}

// read reads from one connection.
func (f *followed) read(ctx context.Context) error {
	header := http.Header{}
	if f.position != "" {
		header.Set("Last-Event-ID", f.position)
	}
	resp, err := f.tape.client.send(ctx, request{method: http.MethodGet, path: f.tape.path("events"), query: choiceQuery(f.request.Query), header: header})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	f.connected = true
	for in := eventsOf(resp.Body); ; {
		e, err := next(in)
		if errors.Is(err, io.EOF) { // the answer to a new request is the reason, if the tape was deleted
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if err := f.give(e); err != nil || f.done {
			return err
		}
	}
}

func (f *followed) give(e event) error {
	var entry tape.Entry
	if err := json.Unmarshal(e.data, &entry); err != nil {
		return fmt.Errorf("%w: %w", errMalformed, err)
	}
	if entry.ID <= f.last && f.got > 0 && f.request.Reset != nil {
		f.request.Reset()
	}
	f.position, f.last = e.id, entry.ID
	f.got++
	f.left--
	f.done = !f.yield(entry, nil) || f.left == 0
	return nil
}
