package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

const (
	// poll is how often a watch looks for records that it was not notified of.
	poll = 5 * time.Second
	// patience is how long a watch waits for a store that cannot be reached.
	patience = 10 * time.Minute
)

// Watch returns the records of a log, and those that are appended. It reads them from
// the stream: messages on the subject are only a signal to look, because they may be
// refused or not yet be stored. No consumer is created on the server.
func (e *Engine) Watch(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if err := engine.CheckLog(log); err != nil {
			yield(engine.Record{}, err)
			return
		}
		w := watch{e: e, log: log, from: from, news: make(chan struct{}, 1), yield: yield}
		if err := w.run(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(engine.Record{}, fmt.Errorf("%s: %s: %w", e.Name(), log, err))
		}
	}
}

// watch is one call of Watch.
type watch struct {
	e       *Engine
	log     string
	from    uint64        // the next record
	sent    atomic.Uint64 // the highest length that a writer wanted to reach
	news    chan struct{}
	settled bool // nothing is on its way that was sent before the subscription
	yield   func(engine.Record, error) bool
}

func (w *watch) run(ctx context.Context) error {
	told, err := w.e.nc.Subscribe(w.e.logSubject(w.log), w.hear)
	if err != nil {
		return err
	}
	defer told.Unsubscribe()
	// Writers must not be missed: the server has the subscription before the first read.
	limited, cancel := context.WithTimeout(ctx, w.e.o.Timeout)
	w.e.nc.FlushWithContext(limited)
	cancel()
	answered := time.Now()
	for link, pause := (*link)(nil), time.Duration(0); ; {
		if now := w.e.link.Load(); now != link {
			link, pause, w.settled = now, time.Millisecond, false
		}
		before := w.from
		err := w.e.read(ctx, w.log, w.from, w.pass)
		switch {
		case err == nil:
			answered = time.Now()
		case errors.Is(err, errStopped): // also if the context ended meanwhile: no more may be yielded
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, engine.ErrUnavailable) || time.Since(answered) > patience:
			return err
		}
		pause = w.pause(pause, err != nil, w.from > before)
		if err := w.wait(ctx, link, pause); err != nil {
			return err
		}
	}
}

// pause is the time until the next look, after the one before. Messages sent before
// the server knew of the subscription may be stored at any moment, so a watch begins
// with short pauses.
func (w *watch) pause(last time.Duration, failed, grown bool) time.Duration {
	w.settled = w.settled || last >= time.Second
	waiting := w.sent.Load() > w.from // a record is on its way
	switch {
	case failed:
		return 250 * time.Millisecond
	case !waiting && w.settled:
		return poll
	case waiting && (grown || last == poll):
		return time.Millisecond
	}
	return min(2*last, poll-1)
}

// hear is called for each message to the subject.
func (w *watch) hear(m *nats.Msg) {
	sent, err := parse(0, m.Header, nil)
	if err != nil {
		return
	}
	for old := w.sent.Load(); old < sent.end && !w.sent.CompareAndSwap(old, sent.end); old = w.sent.Load() {
	}
	select {
	case w.news <- struct{}{}:
	default:
	}
}

func (w *watch) pass(record engine.Record, err error) bool {
	w.from = record.Number + 1
	return w.yield(record, err)
}

// wait returns when it is time to look: after a pause, when a writer sent something, or
// when the connection was lost.
func (w *watch) wait(ctx context.Context, link *link, pause time.Duration) error {
	t := time.NewTimer(pause)
	defer t.Stop()
	lost := link.Done()
	if link.Err() != nil { // it was lost while this watch read
		lost = nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
	case <-lost:
	case <-w.news:
	}
	return nil
}
