package httpapi

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"handoff/internal/web/openapi"
)

// Decoding a JSON body takes many times its size in memory. So the total size of
// the bodies in progress is bounded: requests wait in order of arrival, small
// ones do not wait.
const (
	DefaultBodies = 16 << 20
	smallBody     = 16 << 10
)

var bodiesWait = &openapi.Refusal{Status: http.StatusServiceUnavailable, Text: "the server is busy with other large requests: retry later"}

// budget is a number of bytes that requests share.
type budget struct {
	mu      sync.Mutex
	size    int64
	taken   int64
	waiting []*claim // in order of arrival
	wait    time.Duration
}

type claim struct {
	bytes    int64
	admitted chan struct{} // closed when it is
}

// take waits until the bytes are free; done releases them. A request that is
// larger than the budget waits until it is the only one.
func (b *budget) take(ctx context.Context, bytes int64) (done func(), err error) {
	if bytes <= smallBody {
		return func() {}, nil
	}
	c := &claim{min(bytes, b.size), make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, c)
	b.admit()
	wait := b.wait
	b.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, wait, bodiesWait)
	defer cancel()
	select {
	case <-c.admitted:
		return func() { b.release(c) }, nil
	case <-ctx.Done():
		b.release(c)
		return nil, context.Cause(ctx)
	}
}

// admit admits the waiting requests that fit.
func (b *budget) admit() {
	for len(b.waiting) > 0 && b.taken+b.waiting[0].bytes <= b.size {
		b.taken += b.waiting[0].bytes
		close(b.waiting[0].admitted)
		b.waiting = b.waiting[1:]
	}
}

// release ends a claim, whether it was admitted or not.
func (b *budget) release(c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, c); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	} else {
		b.taken -= c.bytes
	}
	b.admit()
}
