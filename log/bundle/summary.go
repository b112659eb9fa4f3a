package bundle

import (
	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
	"handoff/log/artifact"
)

// Summary is `rip.compaction_summary.v1`: text that replaces a part of a thread. RIP
// reads only summaries of the kind [Cumulative].
type Summary struct {
	Kind            string
	Coverage        Coverage
	Provenance      SummaryProvenance
	Basis           *Basis // nil if it was made from the thread only
	SummaryMarkdown string
	Extra           []Field
}

// Cumulative is the kind of a summary that covers a thread from its start.
const Cumulative = "cumulative_v1"

// Coverage is the part of the thread that is summarized, including both ends.
type Coverage struct {
	ThreadID      string
	FromSeq       uint64
	FromMessageID *string // nil if unknown, like ToMessageID
	ToSeq         uint64
	ToMessageID   *string
	Extra         []Field
}

// SummaryProvenance is who requested the summary and what made it.
type SummaryProvenance struct {
	ActorID, Origin string
	ProducedBy      *ProducedBy // nil if unknown
	Extra           []Field
}

// Producers are the possible types of a [ProducedBy].
var Producers = [...]string{"job", "task", "session", "manual"}

// ProducedBy is what made a summary.
type ProducedBy struct {
	Type  string // one of [Producers]
	ID    string
	Extra []Field
}

// Basis is what a summary was made from, besides the thread.
type Basis struct {
	BaseSummary artifact.ID // the previous summary, zero for none
	Note        *string
	Extra       []Field
}

func (s *Summary) fields(c *codec) {
	schema(c, SummarySchema)
	c.Text("kind", &s.Kind)
	jsoncodec.Record(c, "coverage", &s.Coverage, (*Coverage).fields)
	jsoncodec.Record(c, "provenance", &s.Provenance, (*SummaryProvenance).fields)
	jsoncodec.OmitRecord(c, "basis", &s.Basis, (*Basis).fields)
	c.Text("summary_markdown", &s.SummaryMarkdown)
	extra(c, &s.Extra)
}

func (v *Coverage) fields(c *codec) {
	named(c, "thread_id", &v.ThreadID)
	c.Number("from_seq", &v.FromSeq)
	c.OmitText("from_message_id", &v.FromMessageID)
	c.Number("to_seq", &v.ToSeq)
	c.OmitText("to_message_id", &v.ToMessageID)
	extra(c, &v.Extra)
}

func (p *SummaryProvenance) fields(c *codec) {
	c.Text("actor_id", &p.ActorID)
	c.Text("origin", &p.Origin)
	jsoncodec.OmitRecord(c, "produced_by", &p.ProducedBy, (*ProducedBy).fields)
	extra(c, &p.Extra)
}

func (p *ProducedBy) fields(c *codec) {
	c.OneOf("type", &p.Type, Producers[:]...)
	c.Text("id", &p.ID)
	extra(c, &p.Extra)
}

func (b *Basis) fields(c *codec) {
	omitID(c, "base_summary_artifact_id", &b.BaseSummary)
	c.OmitText("note", &b.Note)
	extra(c, &b.Extra)
}

// ParseSummary reads a compaction summary. If the error, an [*Invalid], is not nil,
// the value is zero.
func ParseSummary(src []byte) (Summary, error) { return read(SummarySchema, src, (*Summary).fields) }

// Bytes returns the byte form of the value; see [Handoff.Bytes].
func (s Summary) Bytes() []byte { return jsoncodec.WriteAll(jsontext.Sound, nil, s.fields) }

// Checked returns Bytes and the [*Invalid] of reading them.
func (s Summary) Checked() ([]byte, error) { return checked(s.Bytes(), ParseSummary) }
