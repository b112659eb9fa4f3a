package replica

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"handoff/log/engine"
)

// Lazy is an engine that is opened at its first use, with the name that it will have. If
// opening fails, each method returns the error, and the next call tries again: a folder
// can be read while its store is unreachable.
func Lazy(name string, open func(context.Context) (engine.Engine, error)) *LazyEngine {
	return &LazyEngine{name: name, open: open, one: make(chan struct{}, 1)}
}

// LazyEngine is returned by [Lazy].
type LazyEngine struct {
	name string
	open func(context.Context) (engine.Engine, error)

	one    chan struct{} // has a value while one caller opens it: others wait only as long as they may
	opened engine.Engine
}

// Open returns the engine itself.
func (l *LazyEngine) Open(ctx context.Context) (e engine.Engine, err error) {
	err = engine.InTime(ctx, func(ctx context.Context) error {
		select {
		case l.one <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-l.one }()
		if l.opened == nil {
			opened, err := l.open(ctx)
			if err != nil {
				return err
			}
			l.opened = opened
		}
		e = l.opened
		return nil
	})
	if err != nil && !strings.Contains(err.Error(), l.name) {
		err = fmt.Errorf("%s: %w", l.name, err)
	}
	return e, err
}

// Name implements [engine.Engine].
func (l *LazyEngine) Name() string { return l.name }

// Close closes the engine if it was opened.
func (l *LazyEngine) Close() error {
	l.one <- struct{}{}
	defer func() { <-l.one }()
	if l.opened == nil {
		return nil
	}
	return l.opened.Close()
}

// Append implements [engine.Logs].
func (l *LazyEngine) Append(ctx context.Context, batches ...engine.Batch) error {
	e, err := l.Open(ctx)
	if err != nil {
		return err
	}
	return e.Append(ctx, batches...)
}

// Len implements [engine.Logs].
func (l *LazyEngine) Len(ctx context.Context, log string) (uint64, error) {
	e, err := l.Open(ctx)
	if err != nil {
		return 0, err
	}
	return e.Len(ctx, log)
}

// Read implements [engine.Logs].
func (l *LazyEngine) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return opened(ctx, l, func(e engine.Engine) iter.Seq2[engine.Record, error] { return e.Read(ctx, log, from) })
}

// Watch implements [engine.Logs].
func (l *LazyEngine) Watch(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return opened(ctx, l, func(e engine.Engine) iter.Seq2[engine.Record, error] { return e.Watch(ctx, log, from) })
}

// List implements [engine.Logs].
func (l *LazyEngine) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	return opened(ctx, l, func(e engine.Engine) iter.Seq2[engine.Info, error] { return e.List(ctx, prefix) })
}

// Changes implements [engine.Changer], for any engine.
func (l *LazyEngine) Changes(ctx context.Context, prefix, since string) (changed []engine.Info, now string, err error) {
	e, err := l.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	return engine.Changes(ctx, e, prefix, since)
}

// Put implements [engine.Blobs].
func (l *LazyEngine) Put(ctx context.Context, id string, size int64, from io.Reader) (created bool, err error) {
	e, err := l.Open(ctx)
	if err != nil {
		return false, err
	}
	return e.Put(ctx, id, size, from)
}

// Get implements [engine.Blobs].
func (l *LazyEngine) Get(ctx context.Context, id string) (io.ReadCloser, error) {
	e, err := l.Open(ctx)
	if err != nil {
		return nil, err
	}
	return e.Get(ctx, id)
}

// Has implements [engine.Blobs].
func (l *LazyEngine) Has(ctx context.Context, id string) (bool, error) {
	e, err := l.Open(ctx)
	if err != nil {
		return false, err
	}
	return e.Has(ctx, id)
}

// IDs implements [engine.Blobs].
func (l *LazyEngine) IDs(ctx context.Context) iter.Seq2[string, error] {
	return opened(ctx, l, func(e engine.Engine) iter.Seq2[string, error] { return e.IDs(ctx) })
}

// opened is a sequence of the engine, or the error of opening it.
func opened[T any](ctx context.Context, l *LazyEngine, of func(engine.Engine) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		e, err := l.Open(ctx)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		of(e)(yield)
	}
}
