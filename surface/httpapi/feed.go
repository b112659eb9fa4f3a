package httpapi

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"strconv"

	"handoff/document/handoff"
	"handoff/internal/journal"
	"handoff/internal/web/sse"
	"handoff/surface/problem"
	"handoff/workspace/feed"
)

type feedInput struct {
	resumeInput
	Task *int     `query:"task" min:"0" max:"999999999" doc:"only events of this task number"`
	Type []string `query:"type" enum:"written,linked,delivered,acknowledged,claimed,renewed,released,expired,done,superseded" doc:"only events of this type; may be repeated"`
}

// handoffEvent is the name of the schema of an event.
const handoffEvent = "HandoffEvent"

var feedBegan = refuse(problem.FeedBegan, "the feed has no event with this Last-Event-ID, because it was deleted and began again: connect without one")

// streamHandoffs streams past and future events of the handoffs. It sends the number
// of the last event in a header, for clients that only need later ones.
func (s *Server) streamHandoffs(w http.ResponseWriter, r *http.Request, in feedInput) error {
	n, err := s.feed.Len(r.Context())
	if err != nil {
		return err
	}
	if in.LastEventID != nil && *in.LastEventID >= n {
		return feedBegan
	}
	if n > 0 {
		w.Header().Set(lastSeq, strconv.FormatUint(n-1, 10))
	}
	return s.stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] {
		return in.events(s.feed.Follow(ctx, in.from()))
	})
}

// events are the records of the feed that the filters select.
func (in feedInput) events(records iter.Seq2[journal.Record, error]) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		for rec, err := range records {
			var keep bool
			if err == nil {
				keep, err = in.keeps(rec.Line)
			}
			if (keep || err != nil) && !yield(sse.Event{ID: strconv.FormatUint(rec.Number, 10), Data: rec.Line}, err) {
				return
			}
		}
	}
}

func (in feedInput) keeps(line []byte) (bool, error) {
	if in.Task == nil && len(in.Type) == 0 {
		return true, nil
	}
	var e feed.Event
	err := json.Unmarshal(line, &e)
	return (in.Task == nil || e.Task == *in.Task && (e.Task != 0 || handoff.ParseName(e.Path).Width > 0)) && (len(in.Type) == 0 || slices.Contains(in.Type, string(e.Type))), err
}
