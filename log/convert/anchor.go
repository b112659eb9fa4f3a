package convert

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/log/bundle"
)

// State is an anchor's name and state, as `handoff tape handoff --from` reads
// them.
type State struct {
	Name  string
	State json.RawMessage // a JSON object, nil for none
}

// JSON returns the anchor as an object with name and state.
func (s State) JSON() []byte {
	buf := jsontext.AppendText([]byte(`{"name": `), s.Name)
	if s.State != nil {
		buf = jsontext.Python.AppendValue(append(buf, `, "state": `...), string(s.State))
	}
	return append(buf, '}')
}

// ParseState reads such an object. The error is handoff.ErrInvalid.
func ParseState(src []byte) (s State, err error) {
	members, err := jsontext.Python.Object(string(src))
	if err != nil {
		return s, fmt.Errorf("%w: %w", err, handoff.ErrInvalid)
	}
	for _, m := range members {
		switch {
		case m.Name == "name" && jsontext.IsText(m.Value):
			s.Name = jsontext.Text(m.Value)
		case m.Name == "state" && strings.HasPrefix(m.Value, "{"):
			s.State = jsontext.Python.AppendValue(nil, m.Value)
		default:
			return s, fmt.Errorf("%q: want name, a text, and state, an object: %w", m.Name, handoff.ErrInvalid)
		}
	}
	return s, nil
}

// The members of a state with a meaning. All others are facts.
const (
	mSummary   = "summary"
	mNext      = "next_steps"
	mNextShort = "next" // as anchors between phases have it
	mAbout     = "context_summary"
	mTask      = "task"
	mPhase     = "phase"
	mDocument  = "document"
	mProfile   = "profile"
	mRefs      = "refs"
	mFields    = "bundle" // additional fields of the original bundle
	mFrom      = "received_from"
	mTo        = "owner"
	mReason    = "reason"
	mTapeRef   = "tape_ref"
	mIntention = "intention"
	mOwnership = "ownership"
	mTimestamp = "timestamp"
)

// FromAnchor reads an anchor of any program: unknown members of its state are
// facts.
func FromAnchor(a State) Handoff {
	h := Handoff{Form: Anchor, Title: a.Name, anchor: &a}
	members, _ := jsontext.Python.Object(string(a.State))
	for _, m := range members {
		if !h.take(m.Name, m.Value, members) {
			h.Facts = append(h.Facts, bundle.Field{Name: m.Name, Value: json.RawMessage(m.Value)})
		}
	}
	path, task, phase := h.Path, h.Task, h.Phase
	h.Path = ""
	if h.document(); h.Path == "" && path != "" {
		h.of(path)
	}
	h.Task, h.Phase = cmp.Or(task, h.Task), cmp.Or(phase, h.Phase)
	return h
}

// take reads a known member. It returns false for other members and wrong values.
func (h *Handoff) take(name, value string, all []jsontext.Member) bool {
	said := jsontext.Text(value)
	text := func(to *string) bool {
		if jsontext.IsText(value) {
			*to = said
		}
		return jsontext.IsText(value)
	}
	switch name {
	case mSummary:
		return text(&h.Text)
	case mNext:
		if value != "null" {
			h.Next = list(value, true)
		}
	case mNextShort:
		return valueOf(all, mNext) == "" && text(&h.Next)
	case mAbout:
		return text(&h.About)
	case mTask:
		return number(value, &h.Task)
	case mPhase:
		return number(value, &h.Phase)
	case mDocument:
		return text(&h.Path)
	case mProfile:
		if said != "completion" && said != "handoff" {
			return false
		}
		h.Profile = said
	case mRefs:
		refs, fields, ok := parseRefs(value, cmp.Or(valueOf(all, mFields), "{}"))
		h.Refs, h.Fields = refs, fields
		return ok
	case mFields:
		return len(h.Fields) > 0
	case mFrom:
		return text(&h.From)
	case mTo:
		return text(&h.To)
	case mReason:
		return text(&h.Reason)
	case mTapeRef:
		return text(&h.TapeRef)
	default:
		return h.takeReceived(name, value, said, all)
	}
	return true
}

// takeReceived reads the members that only received anchors have.
func (h *Handoff) takeReceived(name, value, said string, all []jsontext.Member) bool {
	if valueOf(all, mFrom) == "" {
		return false
	}
	switch name {
	case mOwnership:
		return said != ""
	case mTimestamp:
		at, err := time.Parse(time.RFC3339, said)
		h.Time = at
		return err == nil
	case mIntention:
		members, err := jsontext.Python.Object(value)
		for _, m := range members {
			if m.Name != mNext && m.Name != mAbout || !h.take(m.Name, m.Value, members) {
				return false
			}
		}
		return err == nil
	}
	return false
}

func number(value string, to *int) bool {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return false
	}
	*to = n
	return true
}

// Anchor returns the handoff as an anchor, and what is lost: almost nothing,
// because a state may have any members. For its name see [Handoff.Name].
func (h *Handoff) Anchor() (a State, lost []Lost) {
	l := losses{list: slices.Clone(h.lost)}
	l.asked(h)
	if h.anchor != nil {
		l.of(h.Form == Thread, "from_thread_id, from_seq", "the original anchor is restored")
		return *h.anchor, l.list
	}
	a.Name = h.Name()
	if h.envelope != nil {
		a.State = h.envelope.State()
		return a, l.list
	}
	l.of(h.Form == Thread, "time", "an anchor gets the time at which it is written")
	var s stateWriter
	s.text(mSummary, h.Text, true)
	s.text(mNext, h.Next, false)
	name := handoff.ParseName(h.Path)
	s.number(mTask, h.Task, name.Task)
	s.number(mPhase, h.Phase, name.Phase)
	s.text(mProfile, h.Profile, false)
	s.raw(mRefs, refsJSON(h.withCut()))
	if len(h.Fields) > 0 {
		var fields []jsontext.Member
		for _, f := range h.Fields {
			fields = append(fields, jsontext.Member{Name: f.Name, Value: string(f.Value)})
		}
		s.raw(mFields, string(jsontext.Python.AppendMembers(nil, fields)))
	}
	a.State = jsontext.Python.AppendMembers(nil, s.members)
	return a, l.list
}

// Name is the title of the handoff, or else "task-259/phase-3" for a document,
// "context_handoff" for an envelope, "handoff" for others.
func (h *Handoff) Name() string {
	switch {
	case h.Title != "":
		return h.Title
	case h.Form == Envelope:
		return keptEnvelope
	case h.Task > 0 && h.Phase > 0:
		return fmt.Sprintf("task-%d/phase-%d", h.Task, h.Phase)
	case h.Path != "":
		return strings.TrimSuffix(handoff.ParseName(h.Path).Base, ".md")
	}
	return "handoff"
}

// named reports whether the handoff has a title of its own.
func (h *Handoff) named() bool {
	unnamed := *h
	unnamed.Title = ""
	return h.Title != "" && h.Title != unnamed.Name()
}

// stateWriter collects the members of a state.
type stateWriter struct{ members []jsontext.Member }

func (s *stateWriter) raw(name, value string) {
	s.members = append(s.members, jsontext.Member{Name: name, Value: value})
}

func (s *stateWriter) text(name, value string, always bool) {
	if value != "" || always {
		s.raw(name, string(jsontext.AppendText(nil, value)))
	}
}

// number writes a number that the path does not contain.
func (s *stateWriter) number(name string, n, known int) {
	if n > 0 && n != known {
		s.raw(name, strconv.Itoa(n))
	}
}

// WithDocument returns the anchor with the path of its document in its state.
func (s State) WithDocument(path string) State {
	w := stateWriter{}
	members, _ := jsontext.Python.Object(string(s.State))
	w.members = slices.DeleteFunc(members, func(m jsontext.Member) bool { return m.Name == mDocument })
	w.text(mDocument, path, true)
	return State{s.Name, jsontext.Python.AppendMembers(nil, w.members)}
}
