package httpapi

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"handoff/internal/web/openapi"
)

// Reading a body of JSON takes many times its bytes. So only so many bytes of
// bodies are read at once, in the order in which their requests came, and small
// ones whenever they come.
const (
	DefaultBodies = 16 << 20
	smallBody     = 16 << 10
)

var bodiesWait = &openapi.Refusal{Status: http.StatusServiceUnavailable, Text: "the server is busy with other large requests: retry later"}

// budget is a number of bytes that requests take from and give back.
type budget struct {
	mu      sync.Mutex
	size    int64
	taken   int64
	waiting []*claim // the first comes first
	wait    time.Duration
}

type claim struct {
	bytes int64
	given chan struct{} // closed when it is
}

// take waits for so many bytes; done gives them back. A request that is larger
// than the budget waits until it is alone.
func (b *budget) take(ctx context.Context, bytes int64) (done func(), err error) {
	if bytes <= smallBody {
		return func() {}, nil
	}
	c := &claim{min(bytes, b.size), make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, c)
	b.give()
	wait := b.wait
	b.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, wait, bodiesWait)
	defer cancel()
	select {
	case <-c.given:
		return func() { b.back(c) }, nil
	case <-ctx.Done():
		b.back(c)
		return nil, context.Cause(ctx)
	}
}

// give lets in those that there is room for.
func (b *budget) give() {
	for len(b.waiting) > 0 && b.taken+b.waiting[0].bytes <= b.size {
		b.taken += b.waiting[0].bytes
		close(b.waiting[0].given)
		b.waiting = b.waiting[1:]
	}
}

// back ends a claim, whether it was given or not.
func (b *budget) back(c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, c); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	} else {
		b.taken -= c.bytes
	}
	b.give()
}
