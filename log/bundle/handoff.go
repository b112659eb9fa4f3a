package bundle

import (
	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
	"handoff/log/artifact"
)

// Handoff is `rip.handoff_context_bundle.v1`: the curated context that a handoff
// passes to the thread it starts.
type Handoff struct {
	SummaryMarkdown string
	Refs            Refs
	Extra           []Field
}

// Refs is what a handoff refers to.
type Refs struct {
	Threads   []ThreadRef // the source cut should be among them
	Artifacts []ArtifactRef
	Files     []FileRef
	Extra     []Field
}

// ThreadRef is a cut of a thread.
type ThreadRef struct {
	ThreadID  string  `json:"thread_id" doc:"ID of a thread"`
	Seq       uint64  `json:"seq" doc:"last event before the cut"`
	MessageID *string `json:"message_id" doc:"message of the cut; null if unknown"`
	Note      *string `json:"note" doc:"note for readers"`
	Extra     []Field `json:"-"`
}

// ArtifactRef is a blob of the workspace's store.
type ArtifactRef struct {
	ID    artifact.ID `json:"artifact_id" doc:"ID of a stored artifact" pattern:"^[0-9a-f]{64}$"`
	Note  *string     `json:"note" doc:"note for readers"`
	Extra []Field     `json:"-"`
}

// FileRef is a file of the workspace; see [ValidPath].
type FileRef struct {
	Path  string  `json:"path" doc:"path relative to the workspace, with forward slashes"`
	Note  *string `json:"note" doc:"note for readers"`
	Extra []Field `json:"-"`
}

func (h *Handoff) fields(c *codec) {
	schema(c, HandoffSchema)
	c.Text("summary_markdown", &h.SummaryMarkdown)
	jsoncodec.Record(c, "refs", &h.Refs, (*Refs).fields)
	extra(c, &h.Extra)
}

func (r *Refs) fields(c *codec) {
	jsoncodec.Records(c, "threads", &r.Threads, (*ThreadRef).fields)
	jsoncodec.Records(c, "artifacts", &r.Artifacts, (*ArtifactRef).fields)
	jsoncodec.Records(c, "files", &r.Files, (*FileRef).fields)
	extra(c, &r.Extra)
}

func (t *ThreadRef) fields(c *codec) {
	named(c, "thread_id", &t.ThreadID)
	c.Number("seq", &t.Seq)
	c.NullText("message_id", &t.MessageID)
	c.NullText("note", &t.Note)
	extra(c, &t.Extra)
}

func (a *ArtifactRef) fields(c *codec) {
	id(c, "artifact_id", &a.ID)
	c.NullText("note", &a.Note)
	extra(c, &a.Extra)
}

func (f *FileRef) fields(c *codec) {
	c.TextAs("path", wantPath, &f.Path, ValidPath)
	c.NullText("note", &f.Note)
	extra(c, &f.Extra)
}

// ParseHandoff reads a handoff bundle. If the error, an [*Invalid], is not nil, the
// value is zero. Empty lists are nil.
func ParseHandoff(src []byte) (Handoff, error) { return read(HandoffSchema, src, (*Handoff).fields) }

// Bytes returns the byte form of the value, valid or not: see [Handoff.Check]. Invalid
// UTF-8 becomes U+FFFD.
func (h Handoff) Bytes() []byte {
	buf := make([]byte, 0, len(h.SummaryMarkdown)+len(h.SummaryMarkdown)/8+512) // most need no more
	return jsoncodec.WriteAll(jsontext.Sound, buf, h.fields)
}

// ID returns the id of the bundle in an artifact store.
func (h Handoff) ID() artifact.ID { return artifact.Sum(h.Bytes()) }

// Checked returns Bytes and the [*Invalid] of reading them.
func (h Handoff) Checked() ([]byte, error) { return checked(h.Bytes(), ParseHandoff) }

// Check returns the error of [Handoff.Checked].
func (h Handoff) Check() error {
	_, err := h.Checked()
	return err
}
