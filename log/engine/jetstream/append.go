package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

const (
	// maxAppend is the most bytes of an append.
	maxAppend = 64 << 20
	// maxMessages is how many messages the server accepts in an atomic batch.
	maxMessages = 1000
	// headroom is the part of a message that is kept for its headers.
	headroom = 4 << 10
)

// errMoved: the last message of a log is not the expected one, or one more is not yet
// committed.
var errMoved = errors.New("another append was first")

// Append adds records. The server compares the sequence number of each log's last
// message with the one that belongs to the expected length.
func (e *Engine) Append(ctx context.Context, batches ...engine.Batch) error {
	if err := engine.Check(batches...); err != nil {
		return err
	}
	err := e.append(ctx, batches)
	var conflict *engine.ConflictError
	if err == nil || errors.As(err, &conflict) {
		return err
	}
	return fmt.Errorf("%s: %w", e.Name(), err)
}

func (e *Engine) append(ctx context.Context, batches []engine.Batch) error {
	// An uncommitted message may never be committed, and no answer shows whether it was.
	end := time.Now().Add(e.o.Timeout)
	for pause := time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		expected, err := e.expected(ctx, batches)
		if err != nil {
			return err
		}
		if err = e.publish(ctx, batches, expected); !errors.Is(err, errMoved) {
			return err
		}
		for _, b := range batches {
			e.ends.forget(b.Log)
		}
		// A cached end may be outdated: it is a conflict only if the log confirms it.
		if _, err := e.fresh(ctx, batches); err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w: another append to the same logs is not finished", engine.ErrUnavailable)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// expected returns the sequence number that the last message of each log must have. It
// asks the server only where no end is remembered that has the expected length.
func (e *Engine) expected(ctx context.Context, batches []engine.Batch) ([]uint64, error) {
	seqs := make([]uint64, len(batches))
	for i, b := range batches {
		at, known := e.ends.get(b.Log)
		if !known && b.Expected == 0 || known && at.len == b.Expected {
			seqs[i] = at.seq
			continue
		}
		return e.fresh(ctx, batches)
	}
	return seqs, nil
}

// fresh is expected without the cached ends. A log with another length is a
// ConflictError.
func (e *Engine) fresh(ctx context.Context, batches []engine.Batch) ([]uint64, error) {
	seqs := make([]uint64, len(batches))
	for i, b := range batches {
		m, _, err := e.tail(ctx, b.Log)
		if err != nil {
			return nil, err
		}
		if m.end != b.Expected {
			return nil, &engine.ConflictError{Log: b.Log, Expected: b.Expected, Len: m.end}
		}
		seqs[i] = m.seq
	}
	return seqs, nil
}

// publish sends the records as one message, or as an atomic batch.
func (e *Engine) publish(ctx context.Context, batches []engine.Batch, expected []uint64) error {
	all, err := e.messages(batches, expected)
	if err != nil {
		return err
	}
	last := all[len(all)-1]
	if len(all) > 1 {
		id := strings.TrimPrefix(nats.NewInbox(), nats.InboxPrefix)
		for i, m := range all {
			m.Header["Nats-Batch-Id"], m.Header["Nats-Batch-Sequence"] = []string{id}, []string{strconv.Itoa(i + 1)}
		}
		last.Header["Nats-Batch-Commit"] = []string{"1"}
		for _, m := range all[:len(all)-1] {
			if err := e.nc.PublishMsg(m); err != nil { // without its commit the server drops the batch
				return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
			}
		}
	}
	seq, err := e.commit(ctx, last)
	b := batches[len(batches)-1]
	if err == nil && len(batches) == 1 {
		e.ends.set(b.Log, end{b.Expected + uint64(len(b.Records)), seq})
		return nil
	}
	for _, b := range batches {
		e.ends.forget(b.Log)
	}
	return err
}

// commit sends the message that completes an append, and returns its sequence number.
func (e *Engine) commit(ctx context.Context, m *nats.Msg) (seq uint64, err error) {
	answer, err := e.call(ctx, m)
	if errors.Is(err, errNoAnswer) {
		return 0, fmt.Errorf("%w: %w", engine.ErrUnknown, err)
	}
	if err != nil {
		return 0, err
	}
	var ack struct {
		failed
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return 0, fmt.Errorf("%w: cannot read the server's answer: %w", engine.ErrUnknown, err)
	}
	switch err := ack.failure(); {
	case err == nil && ack.Seq == 0:
		return 0, fmt.Errorf("%w: the server's answer has no sequence number", engine.ErrUnknown)
	case err == nil:
		return ack.Seq, nil
	case err.Code == codeMoved, err.Code == codeMoving:
		return 0, fmt.Errorf("%w: %w", errMoved, err)
	default:
		return 0, err
	}
}

// messages makes the messages of an append.
func (e *Engine) messages(batches []engine.Batch, expected []uint64) (all []*nats.Msg, err error) {
	size := 0
	for i, b := range batches {
		text := bytes.Join(b.Records, []byte{'\n'})
		parts := e.split(text)
		for n, part := range parts {
			m := &nats.Msg{Subject: e.logSubject(b.Log), Data: part, Header: nats.Header{
				headerRecords: {fmt.Sprintf("%d-%d", b.Expected, b.Expected+uint64(len(b.Records)))}}}
			if n == 0 {
				m.Header[headerExpected] = []string{strconv.FormatUint(expected[i], 10)}
			}
			if len(parts) > 1 {
				m.Header[headerPart] = []string{fmt.Sprintf("%d/%d", n+1, len(parts))}
			}
			all = append(all, m)
		}
		if size += len(text); size > maxAppend || len(all) > maxMessages {
			return nil, fmt.Errorf("an append of %d bytes: %w: at most %d are possible", size, engine.ErrTooLarge, min(maxAppend, maxMessages*e.room()))
		}
	}
	return all, nil
}

// room is how much data a message can have.
func (e *Engine) room() int { return max(int(e.nc.MaxPayload())-headroom, 256) }

// split cuts text into parts that fit into a message.
func (e *Engine) split(text []byte) (parts [][]byte) {
	for room := e.room(); len(text) > room; text = text[room:] {
		parts = append(parts, text[:room])
	}
	return append(parts, text)
}
