package httpapi

import (
	"context"
	"iter"
	"math"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
)

// resumeInput is the starting point of a stream of numbered events.
type resumeInput struct {
	FromSeq     *uint64 `query:"from_seq" doc:"start at the event with this number"`
	LastEventID *uint64 `header:"Last-Event-ID" doc:"ID of the last event received: resume after it, overriding from_seq"`
}

// from is the number of the first event to send. The header of a client that
// reconnects overrides the query of the URL that it first used.
func (in resumeInput) from() uint64 {
	switch {
	case in.LastEventID != nil && *in.LastEventID < math.MaxUint64:
		return *in.LastEventID + 1
	case in.LastEventID != nil:
		return math.MaxUint64
	case in.FromSeq != nil:
		return *in.FromSeq
	}
	return 0
}

var tooManyStreams = &openapi.Refusal{Status: http.StatusServiceUnavailable, Text: "too many event streams are open"}

// stream sends events until they end, the client disconnects or the server stops.
// The limit leaves connections for other requests.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, events func(context.Context) iter.Seq2[sse.Event, error]) error {
	defer s.streams.Add(-1)
	if int(s.streams.Add(1)) > s.Streams {
		return tooManyStreams
	}
	return sse.Serve(w, r, sse.Options{
		KeepAlive: s.KeepAlive, Write: s.Write, End: s.end,
		Sent: func(n int) { s.counters.events.Add(int64(n)) },
	}, events)
}

// eventStream is the answer of an operation that streams frames with a schema.
func eventStream(frame string) openapi.Answer {
	return openapi.Answer{Code: http.StatusOK, What: "Server-sent events: data is one event as JSON, id is its number", Media: "text/event-stream", Events: frame, Headers: []string{"Cache-Control"}}
}
