package drain_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/natstest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/files"
	"handoff/log/engine/jetstream"
)

// line is the way from one machine to a store, which it can lose.
type line interface {
	address() string
	patience() time.Duration
	open(ctx context.Context) (engine.Engine, error)
	set(state int32)
	state() int32
}

// flakyLine is a line to a store in this process.
type flakyLine struct{ store flaky }

func (l flakyLine) address() string                             { return "nats://127.0.0.1:1/TEST" }
func (l flakyLine) patience() time.Duration                     { return 20 * time.Millisecond }
func (l flakyLine) open(context.Context) (engine.Engine, error) { return l.store, nil }
func (l flakyLine) set(state int32)                             { l.store.state.Store(state) }
func (l flakyLine) state() int32                                { return l.store.state.Load() }

// proxyLine is a line to a real server, through a proxy.
type proxyLine struct {
	t      *testing.T
	proxy  *natstest.Proxy
	stream string
	now    *atomic.Int32
}

func (l proxyLine) address() string         { return l.proxy.Address() + "/" + l.stream }
func (l proxyLine) patience() time.Duration { return 80 * time.Millisecond }
func (l proxyLine) state() int32            { return l.now.Load() }

func (l proxyLine) open(ctx context.Context) (engine.Engine, error) {
	return jetstreamAt(ctx, l.t, l.proxy.Address(), l.stream)
}

// set cuts the connections if they were away: what was sent meanwhile never arrives.
func (l proxyLine) set(state int32) {
	before := l.now.Swap(state)
	switch {
	case state == mute:
		l.proxy.Hold(false, true)
	case state != answers:
		l.proxy.Hold(true, true)
	case before == away:
		l.proxy.Cut()
	default:
		l.proxy.Hold(false, false)
	}
}

func jetstreamAt(ctx context.Context, t *testing.T, server, stream string) (engine.Engine, error) {
	e, err := jetstream.Open(ctx, jetstream.Options{Servers: []string{server}, Stream: stream, Create: true})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { e.Close() })
	return e, nil
}

// linesOf are the lines of two machines to one store of a kind; only the first one loses it.
func linesOf(t *testing.T, kind, server string, seed uint64) (here, there line) {
	both := func(e engine.Engine) (here, there line) {
		return flakyLine{flaky{e, &atomic.Int32{}}}, flakyLine{flaky{e, &atomic.Int32{}}}
	}
	switch kind {
	case "files":
		root := t.TempDir()
		return both(must(files.Open(files.Options{Root: nofollow.Root(root), State: filepath.Join(root, ".handoff")})))
	case "nats":
		stream := fmt.Sprint("QUEUE", seed)
		return proxyLine{t, natstest.NewProxy(t, server), stream, &atomic.Int32{}}, proxyLine{t, natstest.NewProxy(t, server), stream, &atomic.Int32{}}
	}
	return both(&enginetest.Memory{})
}
