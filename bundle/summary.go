package bundle

import "handoff/artifact"

// Summary is `rip.compaction_summary.v1`: text that stands for a part of a
// thread. RIP reads only those of kind [Cumulative].
type Summary struct {
	Kind            string
	Coverage        Coverage
	Provenance      SummaryProvenance
	Basis           *Basis // nil where it was made from nothing but the thread
	SummaryMarkdown string
	Extra           []Field
}

// Cumulative is the kind of a summary that covers a thread from its start.
const Cumulative = "cumulative_v1"

// Coverage is the part of the thread that is summed up, both ends included.
type Coverage struct {
	ThreadID      string
	FromSeq       uint64
	FromMessageID *string // nil where not known, like the other
	ToSeq         uint64
	ToMessageID   *string
	Extra         []Field
}

// SummaryProvenance says who asked for the summary and what made it.
type SummaryProvenance struct {
	ActorID, Origin string
	ProducedBy      *ProducedBy // nil where not known
	Extra           []Field
}

// Producers are the types of what makes a summary.
var Producers = [...]string{"job", "task", "session", "manual"}

// ProducedBy is what made a summary.
type ProducedBy struct {
	Type  string // one of [Producers]
	ID    string
	Extra []Field
}

// Basis is what a summary was made from, besides the thread.
type Basis struct {
	BaseSummary artifact.ID // the summary before, zero for none
	Note        *string
	Extra       []Field
}

// ParseSummary reads a compaction summary. The error is [*Invalid], the value
// then zero.
func ParseSummary(src []byte) (Summary, error) {
	r := &reader{src: src}
	o := r.document()
	o.schema(SummarySchema)
	s := Summary{
		Kind:            o.text("kind"),
		Coverage:        readCoverage(o.object("coverage")),
		Provenance:      readSummaryProvenance(o.object("provenance")),
		Basis:           readBasis(o.optionalObject("basis")),
		SummaryMarkdown: o.text("summary_markdown"),
	}
	s.Extra = o.rest()
	if err := r.err(SummarySchema); err != nil {
		return Summary{}, err
	}
	return s, nil
}

func readCoverage(o *object) Coverage {
	c := Coverage{
		ThreadID:      o.named("thread_id"),
		FromSeq:       o.number("from_seq"),
		FromMessageID: o.optionalText("from_message_id"),
		ToSeq:         o.number("to_seq"),
		ToMessageID:   o.optionalText("to_message_id"),
	}
	c.Extra = o.rest()
	return c
}

func readSummaryProvenance(o *object) SummaryProvenance {
	p := SummaryProvenance{ActorID: o.text("actor_id"), Origin: o.text("origin")}
	if by := o.optionalObject("produced_by"); by != nil {
		p.ProducedBy = &ProducedBy{Type: by.oneOf("type", Producers[:]...), ID: by.text("id")}
		p.ProducedBy.Extra = by.rest()
	}
	p.Extra = o.rest()
	return p
}

func readBasis(o *object) *Basis {
	if o == nil {
		return nil
	}
	b := &Basis{BaseSummary: o.optionalID("base_summary_artifact_id"), Note: o.optionalText("note")}
	b.Extra = o.rest()
	return b
}

// Bytes is the one byte form of the value; see [Handoff.Bytes].
func (s Summary) Bytes() []byte {
	w := &writer{}
	w.object(s.Extra, func() {
		w.text("schema", SummarySchema)
		w.text("kind", s.Kind)
		w.key("coverage")
		s.Coverage.write(w)
		w.key("provenance")
		s.Provenance.write(w)
		if s.Basis != nil {
			w.key("basis")
			s.Basis.write(w)
		}
		w.text("summary_markdown", s.SummaryMarkdown)
	})
	return w.buf
}

func (c Coverage) write(w *writer) {
	w.object(c.Extra, func() {
		w.text("thread_id", c.ThreadID)
		w.number("from_seq", c.FromSeq)
		w.omittable("from_message_id", c.FromMessageID)
		w.number("to_seq", c.ToSeq)
		w.omittable("to_message_id", c.ToMessageID)
	})
}

func (p SummaryProvenance) write(w *writer) {
	w.object(p.Extra, func() {
		w.text("actor_id", p.ActorID)
		w.text("origin", p.Origin)
		if by := p.ProducedBy; by != nil {
			w.key("produced_by")
			w.object(by.Extra, func() {
				w.text("type", by.Type)
				w.text("id", by.ID)
			})
		}
	})
}

func (b Basis) write(w *writer) {
	w.object(b.Extra, func() {
		if !b.BaseSummary.IsZero() {
			w.id("base_summary_artifact_id", b.BaseSummary)
		}
		w.omittable("note", b.Note)
	})
}

// ID is the id that the summary gets in an artifact store.
func (s Summary) ID() artifact.ID { return artifact.Sum(s.Bytes()) }

// Check is the [*Invalid] that reading the value's bytes would give, or nil.
func (s Summary) Check() error {
	_, err := ParseSummary(s.Bytes())
	return err
}
