package convert

import (
	"bytes"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/log/bundle"
	"handoff/log/tape"
)

// The fields of a bundle with the original anchor or envelope, for the conversion
// back. Readers of bundles ignore unknown fields.
const (
	keptAnchor   = "tape_anchor"
	keptEnvelope = "context_handoff"
)

// FromBundle reads a bundle. One that was converted from an anchor or an envelope
// is read as that, unless it was changed since.
func FromBundle(b bundle.Handoff) Handoff {
	if h, ok := unkept(b); ok {
		return h
	}
	h := Handoff{Form: Bundle, Text: b.SummaryMarkdown, Next: nextIn(b.SummaryMarkdown), Refs: b.Refs, Fields: b.Extra, bundle: &b}
	h.document()
	return h
}

// document sets the path of the document from the references.
func (h *Handoff) document() {
	for _, f := range h.Refs.Files {
		if hasNote(f.Note, documentNote) && h.Path == "" {
			h.of(f.Path)
		}
	}
}

// of sets the path of the document, and what its name contains.
func (h *Handoff) of(path string) {
	name := handoff.ParseName(path)
	h.Path, h.Task, h.Phase, h.Time = path, name.Task, name.Phase, writtenAt(name)
}

// writtenAt is the time of a name; zero unless it has a time of day and a time
// zone, because other forms have no times without one.
func writtenAt(name handoff.Name) time.Time {
	if m, ok := name.Moment(); ok && m.Zoned {
		return m.Time
	}
	return time.Time{}
}

// Bundle returns the handoff as a bundle, and what is lost.
func (h *Handoff) Bundle() (b bundle.Handoff, lost []Lost) {
	l := losses{list: slices.Clone(h.lost)}
	l.of(h.Profile != "", "profile", "a bundle has no profile")
	l.asked(h)
	if h.bundle != nil {
		l.of(h.Form == Thread && h.Title != "", "title", "a bundle has no title")
		return *h.bundle, l.list
	}
	b = bundle.Handoff{SummaryMarkdown: h.Markdown(), Refs: h.withCut(), Extra: slices.Clone(h.Fields)}
	l.kept = h.keep(&b)
	l.handover(h)
	l.of(h.named(), "name", "a bundle has no name")
	l.retold(h)
	if l.kept == keptAnchor { // without its date
		l.kept = ""
	}
	l.of(!h.Time.IsZero() && h.Path == "", "time", "a bundle has no time")
	return b, l.list
}

// keep adds a field with the original form, which other readers ignore, and
// returns the name of the field.
func (h *Handoff) keep(b *bundle.Handoff) (field string) {
	var value []byte
	switch {
	case h.anchor != nil && !h.anchor.plain():
		field, value = keptAnchor, h.anchor.JSON()
	case h.envelope != nil:
		field, value = keptEnvelope, h.envelope.Bytes()
	default:
		return ""
	}
	with := *b
	with.Extra = append(slices.Clone(b.Extra), bundle.Field{Name: field, Value: value})
	if with.Check() != nil { // nested too deeply, or of that name already
		return ""
	}
	*b = with
	return field
}

// plain reports whether a bundle can represent the anchor completely, as if it had
// been converted from a bundle.
func (s State) plain() bool {
	h := FromAnchor(s)
	h.anchor = nil
	b, _ := h.Bundle()
	back := FromBundle(b)
	again, _ := back.Anchor()
	return s.State != nil && bytes.Equal(again.JSON(), State{again.Name, s.State}.JSON())
}

// unkept is the original anchor or envelope in a bundle.
func unkept(b bundle.Handoff) (h Handoff, ok bool) {
	for _, f := range b.Extra {
		switch f.Name {
		case keptAnchor:
			a, err := ParseState(f.Value)
			if err != nil {
				return h, false
			}
			h = FromAnchor(a)
		case keptEnvelope:
			e, err := tape.ParseEnvelope(f.Value)
			if err != nil {
				return h, false
			}
			h = FromEnvelope(e)
		default:
			continue
		}
		if i := slices.IndexFunc(b.Refs.Threads, func(t bundle.ThreadRef) bool { return hasNote(t.Note, sourceCut) }); i >= 0 {
			h.CutAt(b.Refs.Threads[i]) // a thread was created from the bundle
		}
		again, _ := h.Bundle()
		h.bundle = &b
		return h, bytes.Equal(again.Bytes(), b.Bytes())
	}
	return h, false
}

// refsJSON returns references in the form of a bundle.
func refsJSON(refs bundle.Refs) string {
	return jsontext.Get(bundle.Handoff{Refs: refs}.Bytes(), "refs")
}

// parseRefs reads references, and the additional fields of a bundle.
func parseRefs(refs, fields string) (bundle.Refs, []bundle.Field, bool) {
	src := jsontext.AppendText([]byte(`{"schema":`), bundle.HandoffSchema)
	src = append(src, `,"summary_markdown":"","refs":`...)
	src = append(src, refs...)
	if members, err := jsontext.Python.Object(fields); err == nil {
		for _, m := range members {
			src = append(jsontext.AppendText(append(src, ','), m.Name), ':')
			src = append(src, m.Value...)
		}
	}
	b, err := bundle.ParseHandoff(append(src, '}'))
	return b.Refs, b.Extra, err == nil
}

func valueOf(members []jsontext.Member, name string) string {
	for _, m := range members {
		if m.Name == name {
			return m.Value
		}
	}
	return ""
}
