package bundle

import "handoff/artifact"

// Context is `rip.context_bundle.v1`: what a run is given to begin with,
// whoever the provider is.
type Context struct {
	Compiler   Compiler
	Source     Source
	Provenance Provenance
	Items      []Item
	Extra      []Field
}

// Compiler says what compiled the bundle, and how.
type Compiler struct {
	ID       string // such as "rip.context_compiler.v1"
	Strategy string // such as "recent_messages_v1"
	Extra    []Field
}

// Source is the cut that the bundle was compiled for.
type Source struct {
	ThreadID      string
	FromSeq       uint64  // the last event before the cut
	FromMessageID *string // nil where not known
	Extra         []Field
}

// Provenance says for whom the bundle was compiled.
type Provenance struct {
	RunSessionID    string
	ActorID, Origin string
	Extra           []Field
}

// Item is a [Message], a [SummaryRef], or an [OtherItem].
type Item interface{ write(*writer) }

// Roles are the roles that a message can have.
var Roles = [...]string{"system", "developer", "user", "assistant"}

// Message is an item of type "message". What is nil was not said, because the
// message does not come from an event of the thread.
type Message struct {
	Role            string // one of [Roles]
	Content         string
	ActorID, Origin *string
	ThreadSeq       *uint64
	ThreadEventID   *string
	Extra           []Field
}

// SummaryRef is an item of type "summary_ref": the id of a [Summary].
type SummaryRef struct {
	ArtifactID artifact.ID
	Note       *string
	Extra      []Field
}

// OtherItem is an item of a type that version 1 does not know. Its fields are
// kept and not looked at.
type OtherItem struct {
	Type   string
	Fields []Field // all but "type"
}

// ParseContext reads a context bundle. The error is [*Invalid], the value then
// zero. An empty list is nil.
func ParseContext(src []byte) (Context, error) {
	r := &reader{src: src}
	o := r.document()
	o.schema(ContextSchema)
	c := Context{
		Compiler:   readCompiler(o.object("compiler")),
		Source:     readSource(o.object("source")),
		Provenance: readProvenance(o.object("provenance")),
		Items:      list(o, "items", readItem),
	}
	c.Extra = o.rest()
	if err := r.err(ContextSchema); err != nil {
		return Context{}, err
	}
	return c, nil
}

func readCompiler(o *object) Compiler {
	c := Compiler{ID: o.text("id"), Strategy: o.text("strategy")}
	c.Extra = o.rest()
	return c
}

func readSource(o *object) Source {
	s := Source{ThreadID: o.named("thread_id"), FromSeq: o.number("from_seq"), FromMessageID: o.optionalText("from_message_id")}
	s.Extra = o.rest()
	return s
}

func readProvenance(o *object) Provenance {
	p := Provenance{RunSessionID: o.text("run_session_id"), ActorID: o.text("actor_id"), Origin: o.text("origin")}
	p.Extra = o.rest()
	return p
}

func readItem(o *object) Item {
	switch kind := o.text("type"); kind {
	case "message":
		m := Message{
			Role:          o.oneOf("role", Roles[:]...),
			Content:       o.text("content"),
			ActorID:       o.optionalText("actor_id"),
			Origin:        o.optionalText("origin"),
			ThreadSeq:     o.optionalNumber("thread_seq"),
			ThreadEventID: o.optionalText("thread_event_id"),
		}
		m.Extra = o.rest()
		return m
	case "summary_ref":
		s := SummaryRef{ArtifactID: o.id("artifact_id"), Note: o.optionalText("note")}
		s.Extra = o.rest()
		return s
	default:
		return OtherItem{kind, o.rest()}
	}
}

// Bytes is the one byte form of the value; see [Handoff.Bytes].
func (c Context) Bytes() []byte {
	w := &writer{}
	w.object(c.Extra, func() {
		w.text("schema", ContextSchema)
		w.key("compiler")
		w.object(c.Compiler.Extra, func() {
			w.text("id", c.Compiler.ID)
			w.text("strategy", c.Compiler.Strategy)
		})
		w.key("source")
		w.object(c.Source.Extra, func() {
			w.text("thread_id", c.Source.ThreadID)
			w.number("from_seq", c.Source.FromSeq)
			w.nullable("from_message_id", c.Source.FromMessageID)
		})
		w.key("provenance")
		w.object(c.Provenance.Extra, func() {
			w.text("run_session_id", c.Provenance.RunSessionID)
			w.text("actor_id", c.Provenance.ActorID)
			w.text("origin", c.Provenance.Origin)
		})
		writeList(w, "items", c.Items, func(i Item) { i.write(w) })
	})
	return w.buf
}

func (m Message) write(w *writer) {
	w.object(m.Extra, func() {
		w.text("type", "message")
		w.text("role", m.Role)
		w.text("content", m.Content)
		w.nullable("actor_id", m.ActorID)
		w.nullable("origin", m.Origin)
		w.nullableNumber("thread_seq", m.ThreadSeq)
		w.nullable("thread_event_id", m.ThreadEventID)
	})
}

func (s SummaryRef) write(w *writer) {
	w.object(s.Extra, func() {
		w.text("type", "summary_ref")
		w.id("artifact_id", s.ArtifactID)
		w.omittable("note", s.Note)
	})
}

func (i OtherItem) write(w *writer) {
	w.object(i.Fields, func() { w.text("type", i.Type) })
}

// ID is the id that the bundle gets in an artifact store.
func (c Context) ID() artifact.ID { return artifact.Sum(c.Bytes()) }

// Check is the [*Invalid] that reading the value's bytes would give, or nil.
func (c Context) Check() error {
	_, err := ParseContext(c.Bytes())
	return err
}
