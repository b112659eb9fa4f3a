package bundle

import "handoff/artifact"

// Handoff is `rip.handoff_context_bundle.v1`: the curated context that a
// handoff carries into the thread that it starts.
type Handoff struct {
	SummaryMarkdown string
	Refs            Refs
	Extra           []Field
}

// Refs is what a handoff points to.
type Refs struct {
	Threads   []ThreadRef // the source cut should be among them
	Artifacts []ArtifactRef
	Files     []FileRef
	Extra     []Field
}

// ThreadRef is a cut through a thread.
type ThreadRef struct {
	ThreadID  string
	Seq       uint64  // the last event before the cut
	MessageID *string // the message that anchored the cut, nil where not known
	Note      *string // a hint for people, nil for none
	Extra     []Field
}

// ArtifactRef is a blob of the workspace's store.
type ArtifactRef struct {
	ID    artifact.ID
	Note  *string
	Extra []Field
}

// FileRef is a file of the workspace; see [ValidPath].
type FileRef struct {
	Path  string
	Note  *string
	Extra []Field
}

// ParseHandoff reads a handoff bundle. The error is [*Invalid], the value then
// zero. An empty list is nil.
func ParseHandoff(src []byte) (Handoff, error) {
	r := &reader{src: src}
	o := r.document()
	o.schema(HandoffSchema)
	h := Handoff{SummaryMarkdown: o.text("summary_markdown"), Refs: readRefs(o.object("refs"))}
	h.Extra = o.rest()
	if err := r.err(HandoffSchema); err != nil {
		return Handoff{}, err
	}
	return h, nil
}

func readRefs(o *object) Refs {
	refs := Refs{
		Threads: list(o, "threads", func(o *object) ThreadRef {
			t := ThreadRef{o.named("thread_id"), o.number("seq"), o.optionalText("message_id"), o.optionalText("note"), nil}
			t.Extra = o.rest()
			return t
		}),
		Artifacts: list(o, "artifacts", func(o *object) ArtifactRef {
			a := ArtifactRef{o.id("artifact_id"), o.optionalText("note"), nil}
			a.Extra = o.rest()
			return a
		}),
		Files: list(o, "files", func(o *object) FileRef {
			f := FileRef{o.path("path"), o.optionalText("note"), nil}
			f.Extra = o.rest()
			return f
		}),
	}
	refs.Extra = o.rest()
	return refs
}

// Bytes is the one byte form of the value. Text that is not UTF-8 gets U+FFFD
// in its place; whether the value is valid is for [Handoff.Check].
func (h Handoff) Bytes() []byte {
	w := &writer{buf: make([]byte, 0, len(h.SummaryMarkdown)+len(h.SummaryMarkdown)/8+512)} // most need no more
	w.object(h.Extra, func() {
		w.text("schema", HandoffSchema)
		w.text("summary_markdown", h.SummaryMarkdown)
		w.key("refs")
		h.Refs.write(w)
	})
	return w.buf
}

func (refs Refs) write(w *writer) {
	w.object(refs.Extra, func() {
		writeList(w, "threads", refs.Threads, func(t ThreadRef) {
			w.object(t.Extra, func() {
				w.text("thread_id", t.ThreadID)
				w.number("seq", t.Seq)
				w.nullable("message_id", t.MessageID)
				w.nullable("note", t.Note)
			})
		})
		writeList(w, "artifacts", refs.Artifacts, func(a ArtifactRef) {
			w.object(a.Extra, func() {
				w.id("artifact_id", a.ID)
				w.nullable("note", a.Note)
			})
		})
		writeList(w, "files", refs.Files, func(f FileRef) {
			w.object(f.Extra, func() {
				w.text("path", f.Path)
				w.nullable("note", f.Note)
			})
		})
	})
}

// ID is the id that the bundle gets in an artifact store.
func (h Handoff) ID() artifact.ID { return artifact.Sum(h.Bytes()) }

// Check is the [*Invalid] that reading the value's bytes would give, or nil.
func (h Handoff) Check() error {
	_, err := ParseHandoff(h.Bytes())
	return err
}
