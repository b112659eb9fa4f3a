package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

// Len is the number of records of a log.
func (e *Engine) Len(ctx context.Context, log string) (uint64, error) {
	if err := engine.CheckLog(log); err != nil {
		return 0, err
	}
	m, _, err := e.tail(ctx, log)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", e.Name(), err)
	}
	return m.end, nil
}

// Read returns the records of a log from a number on.
func (e *Engine) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if err := engine.CheckLog(log); err != nil {
			yield(engine.Record{}, err)
			return
		}
		if err := e.read(ctx, log, from, yield); err != nil && !errors.Is(err, errStopped) {
			yield(engine.Record{}, fmt.Errorf("%s: %s: %w", e.Name(), log, err))
		}
	}
}

// errStopped: the caller needs no more records.
var errStopped = errors.New("stopped")

func (e *Engine) read(ctx context.Context, log string, from uint64, yield func(engine.Record, error) bool) error {
	known, _ := e.ends.get(log)
	last, ok, err := e.tail(ctx, log)
	if err != nil || !ok || from >= last.end {
		return err
	}
	r := &reader{e: e, subject: e.logSubject(log), from: from, last: last, yield: yield}
	switch {
	case last.of == 1 && from >= last.first:
		return r.add(last)
	case known.seq > 0 && known.len <= from && known.seq < last.seq:
		r.seq = known.seq + 1
	default:
		if r.seq, err = r.search(ctx); err != nil {
			return err
		}
	}
	if err = r.run(ctx); errors.Is(err, errHole) {
		e.ends.forget(log) // the stream may have been restored from a backup
	}
	return err
}

// reader reads the messages of a log up to one that is known to be the last.
type reader struct {
	e       *Engine
	subject string
	from    uint64 // the number of the first record that is wanted
	last    message
	seq     uint64 // the next message has this sequence number, or a higher one
	records assembler
	yield   func(engine.Record, error) bool
}

// enough is how many unwanted records may be read, to save another request.
const enough = 100

// search finds a sequence number from which the wanted records are found soon. The
// headers of messages have the numbers of their records, so it searches a sorted list
// whose entries are at unknown places.
func (r *reader) search(ctx context.Context) (uint64, error) {
	low, number := uint64(1), uint64(0) // records below number have messages below low
	high, above := r.last.seq-uint64(r.last.part-1), r.last.first
	if r.from >= above {
		return high, nil
	}
	for turn := 0; low < high && r.from > number+enough; turn++ {
		middle := low + (high-low)/2
		if turn%2 == 0 { // as if all records were equally far apart, and half of enough before
			share := float64(r.from-enough/2-number) / float64(above-number)
			middle = low + uint64(share*float64(high-low))
		}
		m, ok, err := r.e.logMessage(ctx, get{Next: r.subject, Seq: min(middle, high-1)})
		if err != nil {
			return 0, err
		}
		switch {
		case !ok:
			return 0, errHole
		case m.first > r.from:
			high, above = min(middle, high-1), m.first
		case m.end > r.from:
			return m.seq - uint64(m.part-1), nil
		default:
			low, number = m.seq+uint64(m.of-m.part)+1, m.end
		}
	}
	return low, nil
}

// errHole: a message of the log is missing.
var errHole = errors.New("the store is damaged: records are missing")

// run passes on all records up to the last. Nodes other than the leader may not have
// all messages yet; then it asks the leader for each of them.
func (r *reader) run(ctx context.Context) error {
	if r.left() >= consumeFrom {
		if err := r.consume(ctx); err != nil || r.seq > r.last.seq {
			return err
		}
	}
	for direct := true; ; {
		before := r.seq
		if direct {
			if err := r.direct(ctx); err != nil {
				return err
			}
			if r.seq > r.last.seq {
				return nil
			}
			direct = r.seq > before
			continue
		}
		m, ok, err := r.e.logMessage(ctx, get{Next: r.subject, Seq: r.seq})
		if err != nil {
			return err
		}
		if !ok || m.seq > r.last.seq {
			return errHole
		}
		if err := r.add(m); err != nil {
			return err
		}
		if m.seq == r.last.seq {
			return nil
		}
	}
}

// left is about how many messages are still to be read.
func (r *reader) left() uint64 {
	records := r.last.end - min(r.from, r.last.first)
	if r.records.begun {
		records = r.last.end - r.records.next.first
	}
	return min(records*uint64(r.last.of)+enough, r.last.seq-min(r.seq, r.last.seq)+1)
}

// direct asks any node for many messages, and passes on those that follow each other.
// If there is none, or no node may answer, r.seq does not change.
func (r *reader) direct(ctx context.Context) error {
	request := get{Next: r.subject, Seq: r.seq, Batch: int(min(r.left(), directMost)), MaxBytes: 8 << 20}
	return r.request(ctx, "$JS.API.DIRECT.GET."+r.e.o.Stream, request, directMost+1, sent)
}

// directMost is the most messages of an answer to a direct request.
const directMost = 1000

// sent is the sequence number of a message that answers a direct request.
func sent(m *nats.Msg) uint64 {
	seq, _ := strconv.ParseUint(m.Header.Get(headerSequence), 10, 64)
	return seq
}

// request passes on the messages of an answer that follow each other.
func (r *reader) request(ctx context.Context, to string, what any, most int, sequence func(*nats.Msg) uint64) error {
	return r.e.many(ctx, to, what, most, func(m *nats.Msg) (bool, error) { return r.answered(sequence(m), m) })
}

// many sends a request that is answered by many messages, at most so many. It ends
// without an error if the answer ends, or fails to come.
func (e *Engine) many(ctx context.Context, to string, what any, most int, each func(*nats.Msg) (done bool, err error)) error {
	data, err := json.Marshal(what)
	if err != nil {
		return err
	}
	// An inbox of [nats.Conn.NewRespInbox] would get each message twice, and one of a
	// consumer could be taken for the answer to another request.
	inbox, answers := e.nc.NewInbox(), make(chan *nats.Msg, most+1)
	subscription, err := e.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return nil
	}
	defer subscription.Unsubscribe()
	if err := e.nc.PublishRequest(to, inbox, data); err != nil {
		return nil
	}
	link, patience := e.link.Load(), time.NewTimer(e.o.Timeout)
	defer patience.Stop()
	for range most {
		var m *nats.Msg
		select {
		case m = <-answers:
			patience.Reset(e.o.Timeout)
		case <-ctx.Done():
			return ctx.Err()
		case <-link.Done():
			return nil
		case <-patience.C:
			return nil
		}
		if m.Header.Get(headerStatus) != "" { // the end, or no message, or no node
			return nil
		}
		if done, err := each(m); done || err != nil {
			return err
		}
	}
	return nil
}

// answered passes on a message, unless it is not the next one: then the rest of the
// answer is of no use.
func (r *reader) answered(seq uint64, m *nats.Msg) (done bool, err error) {
	if seq < r.seq || seq > r.last.seq {
		return true, nil
	}
	parsed, err := parse(seq, m.Header, m.Data)
	if err != nil {
		return true, err
	}
	if err := r.add(parsed); errors.Is(err, errHole) {
		return true, nil
	} else if err != nil {
		return true, err
	}
	return seq == r.last.seq, nil
}

// add passes on the wanted records of a message.
func (r *reader) add(m message) error {
	if !r.records.begun && m.first > r.from {
		return errHole
	}
	records, fits := r.records.add(m)
	if !fits {
		return errHole
	}
	r.seq = m.seq + 1
	for i, data := range records {
		number := m.first + uint64(i)
		if number >= r.from && !r.yield(engine.Record{Number: number, Data: data}, nil) {
			return errStopped
		}
	}
	return nil
}
