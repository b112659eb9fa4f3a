package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/tape"
	"handoff/workspace/tapes"
)

// DefaultWhole is the maximum number of bytes of entries that are built into one
// answer, which takes about seven times as much memory: providers accept no
// larger requests. Lists of entries have no such limit, because they are sent
// while they are read.
const DefaultWhole = 32 << 20

// holdWhole waits until there is memory for an answer built from a part of a
// tape; done releases it. If the part is too long for any answer, holdWhole
// returns an error.
func (s *Server) holdWhole(ctx context.Context, t *tapes.Tape, w tape.Window, what string) (done func(), err error) {
	n, err := t.SliceBytes(w)
	if err != nil {
		return nil, tapeWords{}.problem(err)
	}
	if n > s.Whole {
		return nil, &openapi.Refusal{Status: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("%s has %d bytes of entries, more than the %d that fit in one response: hand off, start at a later anchor (after_anchor, between), or page through entries with from_id and limit", what, n, s.Whole)}
	}
	return s.wholes.take(ctx, n)
}
