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

	"handoff/engine"
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

// errStopped: the caller wants no more records.
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
// headers of messages have the numbers of their records, so it is a search in a
// sorted list whose entries lie at unknown places.
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

// run passes on all records up to the last. Other nodes than the leader may not have
// all messages yet: then the leader is asked for each of them.
func (r *reader) run(ctx context.Context) error {
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

// direct asks any node for many messages, and passes on those that follow each other.
// If there is none, or no node may answer, r.seq stays as it is.
func (r *reader) direct(ctx context.Context) error {
	const most = 1000
	left := r.last.end - min(r.from, r.last.first)
	if r.records.begun {
		left = r.last.end - r.records.next.first
	}
	request, err := json.Marshal(get{Next: r.subject, Seq: r.seq, Batch: int(min(left+enough, most)), MaxBytes: 8 << 20})
	if err != nil {
		return err
	}
	inbox, answers := r.e.nc.NewRespInbox(), make(chan *nats.Msg, most+1) // what does not fit would be dropped
	subscription, err := r.e.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return nil
	}
	defer subscription.Unsubscribe()
	if err := r.e.nc.PublishRequest("$JS.API.DIRECT.GET."+r.e.o.Stream, inbox, request); err != nil {
		return nil
	}
	link, patience := r.e.link.Load(), time.NewTimer(r.e.o.Timeout)
	defer patience.Stop()
	for {
		var m *nats.Msg
		select {
		case m = <-answers:
			patience.Reset(r.e.o.Timeout)
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
		seq, _ := strconv.ParseUint(m.Header.Get(headerSequence), 10, 64)
		if seq < r.seq || seq > r.last.seq {
			return nil
		}
		parsed, err := parse(seq, m.Header, m.Data)
		if err != nil {
			return err
		}
		if err := r.add(parsed); errors.Is(err, errHole) {
			return nil
		} else if err != nil {
			return err
		}
		if seq == r.last.seq {
			return nil
		}
	}
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
