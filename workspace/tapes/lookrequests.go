package tapes

import (
	"errors"

	"handoff/log/tape"
)

// AnchorRequest selects the anchor to start after.
type AnchorRequest struct {
	LastAnchor  bool    `query:"last_anchor" flag:"last-anchor" usage:"after the last anchor" doc:"start after the last anchor"`
	AfterAnchor *string `query:"after_anchor" flag:"after-anchor=NAME" usage:"after the last anchor of this name, also beyond later anchors" doc:"start after the last anchor with this name; later anchors with other names are included"`
}

// WindowRequest selects a part of a tape by anchors; the whole tape without any.
type WindowRequest struct {
	AnchorRequest
	Between []string `query:"between" flag:"between=A" single:"true" usage:"between the last anchor A and the first B after it: --between A B" doc:"given twice, with two anchor names: the entries after the last anchor with the first name and before the next with the second"`
}

// The errors of a request for a part of a tape.
var (
	ErrWindows = errors.New("want at most one choice of anchors")
	ErrBetween = errors.New("want the names of two anchors")
)

// Window is the part of the tape, and whether the request selects one.
func (r WindowRequest) Window() (w tape.Window, chosen bool, err error) {
	ways := 0
	for _, way := range []bool{r.LastAnchor, r.AfterAnchor != nil, r.Between != nil} {
		if way {
			ways++
		}
	}
	switch {
	case ways > 1:
		err = ErrWindows
	case r.LastAnchor:
		w = tape.FromLastAnchor()
	case r.AfterAnchor != nil:
		w = tape.AfterAnchor(*r.AfterAnchor)
	case len(r.Between) == 2:
		w = tape.BetweenAnchors(r.Between[0], r.Between[1])
	case r.Between != nil:
		err = ErrBetween
	}
	return w, ways > 0, err
}

// ChoiceRequest filters the entries of a window.
type ChoiceRequest struct {
	Since  string   `query:"since" flag:"since=DATE" usage:"entries since this date, such as 2026-02-12, or with a time" doc:"only entries since this ISO 8601 date; a date without a time means the whole day, without a time zone UTC"`
	Until  string   `query:"until" flag:"until=DATE" usage:"entries until this date, including that day" doc:"only entries until this ISO 8601 date"`
	Text   string   `query:"text" flag:"text=TEXT" usage:"only entries that contain this, ignoring case" doc:"only entries with this text in kind, date, payload or meta, ignoring case"`
	Kind   []string `query:"kind" flag:"kind=KIND" usage:"only entries of this kind: message, tool_call, tool_result, anchor, event, system, error; may be repeated" doc:"only entries of this kind: message, tool_call, tool_result, anchor, event, system, error, or another; may be repeated"`
	FromID *int64   `query:"from_id" flag:"from-id=ID" usage:"entry to start at, or the first with a larger id" doc:"start at the last entry with this ID; if there is none, at the next one with a larger ID"`
}

// Query is the choice from a window.
func (r ChoiceRequest) Query(w tape.Window) tape.Query {
	return tape.Query{Window: w, From: r.Since, To: r.Until, Text: r.Text, Kinds: r.Kind, FromID: r.FromID}
}

// ReadRequest asks for entries.
type ReadRequest struct {
	WindowRequest
	ChoiceRequest
	Limit *int `query:"limit" flag:"limit=N" usage:"how many, the first ones; if negative, all but so many of the last" unset:"all" min:"-1000000" max:"1000000000" doc:"maximum number of entries, from the first; if negative, all but the last so many; default: all"`
}

// Query is the request to package tape.
func (r ReadRequest) Query() (tape.Query, error) {
	window, _, err := r.Window()
	q := r.ChoiceRequest.Query(window)
	q.Limit = r.Limit
	return q, err
}

// CreateRequest asks for a new tape.
type CreateRequest struct {
	Bare bool `query:"bare" flag:"bare" usage:"do not write the anchor session/start, for a program that writes its own" doc:"create the tape without the anchor session/start, for programs that write their own, as Bub does"`
}

// LineageRequest asks for the trees of forks.
type LineageRequest struct {
	Name string `query:"name" arg:"0" doc:"a tape, or the session of a fork: only the tree that contains it"`
}

// AnchorsRequest asks for the last anchors.
type AnchorsRequest struct {
	Limit int `query:"limit" flag:"limit=N" usage:"how many, the last ones; 0 for all" preset:"20" least:"0" default:"20" min:"0" max:"1000000000" doc:"number of anchors, counted from the last; 0 for all"`
}

// SearchRequest looks for a text.
type SearchRequest struct {
	Text  string   `query:"text" arg:"0" doc:"text to search for, ignoring case; in any script; blank finds nothing"`
	Fuzzy bool     `query:"fuzzy" flag:"fuzzy" usage:"also find misspellings" doc:"also match misspellings"`
	Kind  []string `query:"kind" flag:"kind=KIND" usage:"only entries of this kind: message, tool_call, tool_result, anchor, event, system, error; may be repeated" doc:"only entries of this kind; may be repeated"`
	Since string   `query:"since" flag:"since=DATE" usage:"entries since this date, such as 2026-02-12, or with a time" doc:"only entries since this ISO 8601 date; a date without a time means the whole day, without a time zone UTC"`
	Until string   `query:"until" flag:"until=DATE" usage:"entries until this date, including that day" doc:"only entries until this ISO 8601 date"`
	Limit *int     `query:"limit" flag:"limit=N" usage:"most entries per tape; all if negative" unset:"20" default:"20" min:"1" max:"10000" doc:"maximum number of results per tape"`
	All   bool     `query:"all_tapes" flag:"all-tapes" usage:"search all tapes" doc:"search all tapes, not only the one in the path"`
}

// search is the request to package tape.
func (r SearchRequest) search() tape.Search {
	s := tape.Search{Text: r.Text, Fuzzy: r.Fuzzy, Kinds: r.Kind, From: r.Since, To: r.Until}
	if r.Limit != nil {
		s.Limit = *r.Limit
	}
	return s
}

// ContextRequest asks for the messages for a model.
type ContextRequest struct {
	WindowRequest
	For              string `query:"for" flag:"for=FORM" usage:"form of the context: openai or anthropic" preset:"openai" default:"openai" enum:"openai,anthropic" doc:"provider format"`
	All              bool   `query:"all" flag:"all" usage:"all of the tape" doc:"use the whole tape; default: from the last anchor, or the one named"`
	WithoutState     bool   `query:"no_anchor_state" flag:"no-anchor-state" usage:"leave out that anchor's state, as Bub does" doc:"leave out the state of the starting anchor, as Bub does"`
	WithoutReasoning bool   `query:"no_reasoning" flag:"no-reasoning" usage:"leave out reasoning, which some servers refuse" doc:"leave out reasoning, which some servers refuse"`
	Contract         bool   `query:"contract" flag:"contract" usage:"start with the note on the context's length" doc:"start with the note on the context's length"`
	Limit            int    `query:"context_limit" flag:"context-limit=N" usage:"tokens of the model's context window" preset:"200000" least:"1" default:"200000" min:"1" max:"1000000000" doc:"context window of the model, in tokens"`
}

// ErrAll: the whole tape and a part of it are asked for.
var ErrAll = errors.New("want the whole tape or a choice of anchors, not both")

// Part is the part of the tape that the context is made of: what follows the last anchor, if
// the request does not say.
func (r ContextRequest) Part() (tape.Window, error) {
	window, chosen, err := r.Window()
	switch {
	case err == nil && chosen && r.All:
		err = ErrAll
	case !chosen && !r.All:
		window = tape.FromLastAnchor()
	}
	return window, err
}
