package httpapi

import (
	"fmt"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/log/tape"
	"handoff/workspace/ops"
	"handoff/workspace/tapes"
)

// DefaultWhole is the maximum number of bytes of entries that are built into one
// answer, which takes about seven times as much memory: providers accept no
// larger requests. Lists of entries have no such limit, because they are sent
// while they are read.
const DefaultWhole = 32 << 20

// whole answers with what is built from a part of a tape, when there is memory for that. It
// refuses a part that is too long for any answer.
func whole[T any](s *Server, w http.ResponseWriter, r *http.Request, t *tapes.Tape, part tape.Window, what string, build func(*tapes.Tape) (T, error)) error {
	n, err := t.SliceBytes(part)
	if err != nil {
		return tapeProblem(err, &ops.About{})
	}
	if n > s.Whole {
		return &openapi.Refusal{Status: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("%s has %d bytes of entries, more than the %d that fit in one response: hand off, start at a later anchor (after_anchor, between), or page through entries with from_id and limit", what, n, s.Whole)}
	}
	done, err := s.wholes.take(r.Context(), n)
	if err != nil {
		return err
	}
	defer done()
	built, err := build(t)
	if err != nil {
		return tapeProblem(err, &ops.About{})
	}
	return openapi.WriteJSON(w, http.StatusOK, built)
}
