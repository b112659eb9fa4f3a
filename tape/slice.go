package tape

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"

	"handoff/internal/json/jsontext"
)

// Slice is the part of a tape that a model is to see.
type Slice struct {
	Boundary *Entry // the anchor that it begins behind, nil if none
	Entries  []Entry
}

// Slice is what a model is to see: by custom what is [FromLastAnchor]; behind
// a named anchor, to resume from there; or all, to look into the past. A tape
// without anchors has nothing to cut at, and is seen whole.
func (t *Tape) Slice(w Window) (s Slice, err error) {
	v, err := t.view()
	if err != nil {
		return Slice{}, err
	}
	defer v.close()
	return v.slice(w)
}

// SliceBytes is how many bytes the lines of a slice have. It reads no more than
// where they begin and end: a slice is held in memory several times over by what
// is made of it, and may have to be refused.
func (t *Tape) SliceBytes(w Window) (n int64, err error) {
	v, err := t.view()
	if err != nil {
		return 0, err
	}
	defer v.close()
	_, after, before, err := v.bounds(w)
	if err != nil {
		return 0, err
	}
	return v.bytes(after, before)
}

func (v *view) slice(w Window) (s Slice, err error) {
	boundary, after, before, err := v.bounds(w)
	if err != nil {
		return Slice{}, err
	}
	s.Boundary = boundary
	s.Entries, err = collect(v.between(after, before))
	return s, err
}

// bounds are the anchor that a slice begins behind, nil if none, and between
// which spots it is.
func (v *view) bounds(w Window) (boundary *Entry, after, before *spot, err error) {
	if w.mode != whole {
		f, err := v.anchorFor(w)
		switch {
		case err == nil:
			boundary, after = &f.Entry, &f.spot
		case w.mode != afterLast || !errors.As(err, new(*Error)):
			return nil, nil, nil, err
		}
	}
	if w.mode == betweenNamed {
		_, before, err = v.window(w)
	}
	return boundary, after, before, err
}

// ErrNothingToCut: behind the last anchor there is nothing but what has to be
// said again. Another handoff would not make the context any shorter.
var ErrNothingToCut = errors.New("nothing after the last anchor can be left out")

// overflowAnchor is the name that Bub gives its automatic handoffs.
const overflowAnchor = "auto_handoff/context_overflow"

// HandOffOverflow is for an agent's loop whose model has refused a context as
// too long, and says why: see [IsContextLength]. It hands off, carrying what
// the last anchor said of summary and next steps, so that the prompt can be
// tried again. It is ErrNothingToCut if that was done before and did not help.
func (t *Tape) HandOffOverflow(ctx context.Context, cause string) ([]Entry, error) {
	s, err := t.Slice(FromLastAnchor())
	if err != nil {
		return nil, err
	}
	if !canShrink(s) {
		return nil, ErrNothingToCut
	}
	state := []jsontext.Member{text("reason", "context_length_exceeded"), text("error", cause)}
	if b := s.Boundary; b != nil {
		state = append(state, text("from_anchor", b.Name()))
		for _, name := range []string{"summary", "next_steps"} {
			if v := jsontext.Get(b.State(), name); v != "" {
				state = append(state, jsontext.Member{Name: name, Value: v})
			}
		}
	}
	entries, err := t.HandoffEntries(overflowAnchor, jsontext.Python.AppendMembers(nil, state), nil)
	if err != nil {
		return nil, err
	}
	step, err := newEvent("loop.step", map[string]string{"status": "auto_handoff", "error": cause})
	if err != nil {
		return nil, err
	}
	return t.Append(ctx, append(entries, step)...)
}

func text(name, value string) jsontext.Member {
	return jsontext.Member{Name: name, Value: string(jsontext.AppendText(nil, value))}
}

// canShrink reports whether a handoff would take anything out of the context:
// what a model or a tool has said.
func canShrink(s Slice) bool {
	if s.Boundary == nil && len(s.Entries) > 0 {
		return true
	}
	prompts := 0
	for i := range s.Entries {
		switch e := &s.Entries[i]; e.Kind {
		case KindToolCall, KindToolResult:
			return true
		case KindMessage:
			if role, _ := memberText(e.Payload, "role"); role != "user" {
				return true
			}
			prompts++
		}
	}
	return prompts > 1
}

// contextLength is Bub's, compiled when it is first asked for.
var contextLength = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)context.{0,20}(?:length|window)|maximum.{0,20}context|token.{0,10}limit|prompt.{0,10}too long|tokens? > \d+ maximum`)
})

// IsContextLength reports whether the message of a failed model call says that
// the context was too long. What speaks of rates is about something else.
func IsContextLength(message string) bool {
	lower := strings.ToLower(message)
	if strings.Contains(lower, "rate") && !strings.Contains(lower, "context") {
		return false
	}
	return contextLength().MatchString(message)
}

// Recovery is what an agent asks for that starts again after a crash.
type Recovery struct {
	Tape   string          `json:"tape"`
	Anchor *Anchor         `json:"anchor"` // the last one, nil if there is none
	State  json.RawMessage `json:"state"`  // of that anchor, {} if it has none
	// Intention is what the tape was forked for, nil if it has none.
	Intention json.RawMessage `json:"intention,omitempty"`
	// Entries are all that came behind the anchor.
	Entries []Entry `json:"entries"`
	// Unfinished are tool calls without a result: each may have been carried
	// out or not.
	Unfinished []Call `json:"unfinished"`
	// Passed are the lines of the file that could not be read, from 1.
	Passed []int64 `json:"passed,omitempty"`
}

// Recover tells where the tape has come to.
func (t *Tape) Recover() (r Recovery, err error) {
	r = Recovery{Tape: t.name, State: json.RawMessage("{}")}
	v, err := t.view()
	if err != nil {
		return r, err
	}
	defer v.close()
	s, err := v.slice(FromLastAnchor())
	if err != nil {
		return r, err
	}
	if s.Boundary != nil {
		a := t.anchorOf(s.Boundary)
		r.Anchor, r.State = &a, a.State
	}
	r.Entries, r.Unfinished = s.Entries, Unfinished(s.Entries)
	if f, ok, err := v.lastWith(anchorKey(intentionAnchor), isAnchorNamed(intentionAnchor)); err != nil {
		return r, err
	} else if ok {
		r.Intention = f.State()
	}
	r.Passed, err = v.unreadable()
	return r, err
}

// Unreadable are the lines of the tape's file that could not be read, from 1.
func (t *Tape) Unreadable() ([]int64, error) {
	v, err := t.view()
	if err != nil {
		return nil, err
	}
	defer v.close()
	return v.unreadable()
}

func (v *view) unreadable() (lines []int64, err error) {
	own := v.own()
	if own == nil {
		return nil, nil
	}
	passed, err := own.j.Passed()
	for _, p := range passed {
		lines = append(lines, p.Line)
	}
	return lines, err
}
