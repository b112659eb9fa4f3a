package httpapi

import (
	"context"
	"net/http"
	"time"

	"handoff/internal/admission"
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
	queue *admission.Queue
	wait  time.Duration
}

// take waits until the bytes are free; done releases them. A request that is
// larger than the budget waits until it is the only one.
func (b *budget) take(ctx context.Context, bytes int64) (done func(), err error) {
	if bytes <= smallBody {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, b.wait, bodiesWait)
	defer cancel()
	place := b.queue.Enter(bytes)
	select {
	case <-place.Turn:
		return func() { b.queue.Leave(place) }, nil
	case <-ctx.Done():
		b.queue.Leave(place)
		return nil, context.Cause(ctx)
	}
}
