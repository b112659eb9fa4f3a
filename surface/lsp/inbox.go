package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// inbox reads messages ahead, so that a request that the client cancels while it waits is
// not handled.
type inbox struct {
	ctx      context.Context
	messages chan incoming

	mu      sync.Mutex
	waiting map[string]context.CancelFunc // by the id of a request without an answer
}

// incoming is a message, or the reason why there is none.
type incoming struct {
	message
	ctx context.Context // of a request
	err error
}

func newInbox(ctx context.Context) *inbox {
	return &inbox{ctx: ctx, messages: make(chan incoming, 4*mostDelayed), waiting: map[string]context.CancelFunc{}}
}

// fill reads until the stream or the context ends.
func (b *inbox) fill(in io.Reader) {
	for r := newFrameReader(in); ; {
		m := b.read(r)
		if m.err == nil && m.Method == "$/cancelRequest" {
			b.cancel(m.Params)
			continue
		}
		select {
		case b.messages <- m:
		case <-b.ctx.Done():
			return
		}
		var bad *rpcError
		if m.err != nil && !errors.As(m.err, &bad) && !errors.As(m.err, new(frameError)) {
			return
		}
	}
}

func (b *inbox) read(r *frameReader) (m incoming) {
	content, err := r.next()
	if err != nil {
		m.err = err
		return m
	}
	m.message, m.err = parseMessage(content)
	if m.err == nil && m.isRequest() {
		var cancel context.CancelFunc
		m.ctx, cancel = context.WithCancel(b.ctx)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.waiting[string(m.ID)] = cancel
	}
	return m
}

func (b *inbox) cancel(params json.RawMessage) {
	var p struct{ ID json.RawMessage }
	if json.Unmarshal(params, &p) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.waiting[string(p.ID)]; cancel != nil {
		cancel()
	}
}

// done forgets a request that was answered.
func (b *inbox) done(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cancel := b.waiting[string(id)]; cancel != nil {
		cancel()
		delete(b.waiting, string(id))
	}
}
