package bundle

import (
	"slices"

	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
	"handoff/log/artifact"
)

// Context is `rip.context_bundle.v1`: the input of a run, for any provider.
type Context struct {
	Compiler   Compiler
	Source     Source
	Provenance Provenance
	Items      []Item
	Extra      []Field
}

// Compiler is the program that compiled the bundle, and its method.
type Compiler struct {
	ID       string // such as "rip.context_compiler.v1"
	Strategy string // such as "recent_messages_v1"
	Extra    []Field
}

// Source is the cut for which the bundle was compiled.
type Source struct {
	ThreadID      string
	FromSeq       uint64  // the last event before the cut
	FromMessageID *string // nil if unknown
	Extra         []Field
}

// Provenance is for whom the bundle was compiled.
type Provenance struct {
	RunSessionID    string
	ActorID, Origin string
	Extra           []Field
}

// Item is a [Message], a [SummaryRef], or an [OtherItem].
type Item interface{ kind() string }

// Roles are the possible roles of a message.
var Roles = [...]string{"system", "developer", "user", "assistant"}

// Message is an item of type "message". Nil fields are unknown, because the message
// does not come from an event of the thread.
type Message struct {
	Role            string // one of [Roles]
	Content         string
	ActorID, Origin *string
	ThreadSeq       *uint64
	ThreadEventID   *string
	Extra           []Field
}

// SummaryRef is an item of type "summary_ref": a reference to a [Summary].
type SummaryRef struct {
	ArtifactID artifact.ID
	Note       *string
	Extra      []Field
}

// OtherItem is an item of a type that is not in version 1. Its fields are kept and not
// checked, but for what a planned type refers to.
type OtherItem struct {
	Type   string
	Fields []Field // all but "type"
}

// planned are the types that RIP has planned, or that are ours, with the text that says
// what they refer to: without it, they refer to nothing.
var planned = map[string]string{"file_ref": "path", "artifact_ref": "artifact_id", "handoff_bundle_ref": "artifact_id", "thread_ref": "thread_id", "tool_side_effect_ref": "tool_id"}

// check reports a reference to nothing.
func (i OtherItem) check(c *codec) {
	name := planned[i.Type]
	if raw := c.Raw(name); name != "" && (len(raw) < 3 || raw[0] != '"') {
		c.Complain(name, "want a text, what the %s refers to", i.Type)
	}
}

// Has reports whether the item has a field with a value.
func (i OtherItem) Has(name string) bool {
	return slices.ContainsFunc(i.Fields, func(f Field) bool { return f.Name == name && string(f.Value) != "null" })
}

func (b *Context) fields(c *codec) {
	schema(c, ContextSchema)
	jsoncodec.Record(c, "compiler", &b.Compiler, (*Compiler).fields)
	jsoncodec.Record(c, "source", &b.Source, (*Source).fields)
	jsoncodec.Record(c, "provenance", &b.Provenance, (*Provenance).fields)
	jsoncodec.Records(c, "items", &b.Items, itemFields)
	extra(c, &b.Extra)
}

func (b *Compiler) fields(c *codec) {
	c.Text("id", &b.ID)
	c.Text("strategy", &b.Strategy)
	extra(c, &b.Extra)
}

func (s *Source) fields(c *codec) {
	named(c, "thread_id", &s.ThreadID)
	c.Number("from_seq", &s.FromSeq)
	c.NullText("from_message_id", &s.FromMessageID)
	extra(c, &s.Extra)
}

func (p *Provenance) fields(c *codec) {
	c.Text("run_session_id", &p.RunSessionID)
	c.Text("actor_id", &p.ActorID)
	c.Text("origin", &p.Origin)
	extra(c, &p.Extra)
}

func (Message) kind() string     { return "message" }
func (SummaryRef) kind() string  { return "summary_ref" }
func (i OtherItem) kind() string { return i.Type }

func newItem(kind string) Item {
	switch kind {
	case Message{}.kind():
		return Message{}
	case SummaryRef{}.kind():
		return SummaryRef{}
	}
	return OtherItem{Type: kind}
}

func itemFields(i *Item, c *codec) {
	kind := ""
	if c.Writing() {
		kind = (*i).kind()
	}
	c.Text("type", &kind)
	if *i == nil {
		*i = newItem(kind)
	}
	switch v := (*i).(type) {
	case Message:
		v.fields(c)
		*i = v
	case SummaryRef:
		v.fields(c)
		*i = v
	case OtherItem:
		if !c.Writing() {
			v.check(c)
		}
		extra(c, &v.Fields)
		*i = v
	}
}

func (m *Message) fields(c *codec) {
	c.OneOf("role", &m.Role, Roles[:]...)
	c.Text("content", &m.Content)
	c.NullText("actor_id", &m.ActorID)
	c.NullText("origin", &m.Origin)
	c.NullNumber("thread_seq", &m.ThreadSeq)
	c.NullText("thread_event_id", &m.ThreadEventID)
	extra(c, &m.Extra)
}

func (s *SummaryRef) fields(c *codec) {
	id(c, "artifact_id", &s.ArtifactID)
	c.OmitText("note", &s.Note)
	extra(c, &s.Extra)
}

// ParseContext reads a context bundle. If the error, an [*Invalid], is not nil, the
// value is zero. Empty lists are nil.
func ParseContext(src []byte) (Context, error) { return read(ContextSchema, src, (*Context).fields) }

// Bytes returns the byte form of the value; see [Handoff.Bytes].
func (c Context) Bytes() []byte { return jsoncodec.WriteAll(jsontext.Sound, nil, c.fields) }

// ID returns the id of the bundle in an artifact store.
func (c Context) ID() artifact.ID { return artifact.Sum(c.Bytes()) }
