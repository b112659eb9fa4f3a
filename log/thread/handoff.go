package thread

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
)

// HandoffRequest asks for a thread that starts from a summary of another.
type HandoffRequest struct {
	Title *string `json:"title" flag:"title=TEXT" usage:"title of the thread" doc:"title of the new thread; null for none"`
	// At least one of the two: the summary, or a handoff bundle that contains it
	// and matches the cut. With both, they must agree.
	SummaryMarkdown   *string `json:"summary_markdown" flag:"summary-markdown=TEXT" usage:"what the successor must know" text:"summary,summary-file" doc:"summary for the successor; stored as a handoff bundle"`
	SummaryArtifactID *string `json:"summary_artifact_id" flag:"summary-artifact-id=ARTIFACT" usage:"id of an existing handoff bundle with it, or its beginning" names:"artifact" doc:"ID of a stored handoff bundle that matches the cut"`
	FromMessageID     *string `json:"from_message_id" flag:"from-message-id=ID" usage:"cut after this message and its runs" doc:"cut after this message and its runs"`
	FromSeq           *uint64 `json:"from_seq" flag:"from-seq=N" usage:"cut after this event" unset:"the last" doc:"cut after this event; without either field, at the end"`
	ActorID           string  `json:"actor_id,omitempty" flag:"actor-id=WHO" usage:"who asks" preset:"user" default:"user" doc:"actor; default: user"`
	Origin            string  `json:"origin,omitempty" flag:"origin=WHERE" usage:"where it was asked" preset:"cli" default:"server" doc:"origin of the request; default: server"`
	// Refs go into the bundle that is made, and so need SummaryMarkdown without
	// an artifact.
	Refs HandoffRefs `json:"refs,omitzero" members:"known" ours:"references to threads, files and artifacts" doc:"references for the new bundle; not allowed with summary_artifact_id"`
	// Bundle, if not nil, returns the bundle for a cut. It is not called if an
	// earlier request with the key has created the thread.
	Bundle func(cut bundle.ThreadRef) (bundle.Handoff, error) `json:"-"`
	// Key is as for [CreateRequest].
	Key string `json:"-" header:"Idempotency-Key" flag:"idempotency-key=KEY" usage:"idempotency key: repeating the request has no further effect" doc:"idempotency key: repeating the request returns the first result and has no further effect"`
}

// ThreadRef is a thread up to an event.
type ThreadRef = bundle.ThreadRef

// ArtifactRef is a blob of the workspace.
type ArtifactRef = bundle.ArtifactRef

// FileRef is a file of the workspace.
type FileRef = bundle.FileRef

// HandoffRefs are what the successor should look at.
type HandoffRefs struct {
	Threads   []bundle.ThreadRef   `json:"threads" doc:"other threads, each up to an event; the thread that is handed off is added"`
	Artifacts []bundle.ArtifactRef `json:"artifacts" doc:"artifacts of the workspace"`
	Files     []bundle.FileRef     `json:"files" doc:"files of the workspace"`
}

// HandoffResult is the thread that was created.
type HandoffResult struct {
	ThreadID      string  `json:"thread_id"`
	FromThreadID  string  `json:"from_thread_id"`
	FromSeq       uint64  `json:"from_seq"`
	FromMessageID *string `json:"from_message_id,omitempty"`

	SummaryArtifactID string `json:"-"` // the bundle
	Existed           bool   `json:"-"` // an earlier request with the key created it
}

// SourceCut is the note on the thread that a bundle was made from.
const SourceCut = "source cut"

// Handoff creates a thread that starts from a summary of its parent up to the
// cut. The bundle is on the disk before the thread, and the thread has both its
// first events or does not exist. Nothing is written to the parent.
func (s *Store) Handoff(ctx context.Context, parent string, r HandoffRequest) (HandoffResult, error) {
	if err := r.check(); err != nil {
		return HandoffResult{}, err
	}
	if err := s.first(ctx, parent); err != nil {
		return HandoffResult{}, err
	}
	child := s.child(ByHandoff, parent, r.Key, r.digested())
	p, existed, err := related(ctx, s, child, r.Title, func() (*HandedOff, error) {
		cut, err := s.cut(parent, r.FromMessageID, r.FromSeq)
		if err != nil {
			return nil, err
		}
		artifactID, markdown, err := s.bundle(parent, cut, r)
		p := &HandedOff{FromThreadID: parent, FromSeq: cut.seq, FromMessageID: cut.messageID, SummaryArtifactID: &artifactID, SummaryMarkdown: markdown,
			ActorID: r.ActorID, Origin: r.Origin}
		return by(p, &p.ActorID, &p.Origin), err
	})
	if err != nil {
		return HandoffResult{}, err
	}
	result := HandoffResult{ThreadID: child.id, FromThreadID: p.FromThreadID, FromSeq: p.FromSeq, FromMessageID: p.FromMessageID, Existed: existed}
	if p.SummaryArtifactID != nil {
		result.SummaryArtifactID = *p.SummaryArtifactID
	}
	return result, nil
}

// check finds what is invalid for any store, in RIP's order.
func (r HandoffRequest) check() error {
	switch {
	case r.SummaryMarkdown == nil && r.SummaryArtifactID == nil:
		return refuse("give summary_markdown or summary_artifact_id, or both")
	case blank(r.SummaryMarkdown):
		return refuse("summary_markdown is empty: write what the successor must know")
	case blank(r.SummaryArtifactID):
		return refuse("summary_artifact_id is empty: leave it out, or set it to a handoff bundle")
	case r.FromMessageID != nil && r.FromSeq != nil:
		return refuse(oneCut)
	case r.SummaryArtifactID != nil && len(r.Refs.Threads)+len(r.Refs.Files)+len(r.Refs.Artifacts) > 0:
		return refuse("references to threads, files and artifacts go into a new bundle, and summary_artifact_id names an existing one: leave one of them out")
	}
	return nil
}

// digested is what a request with the same key must have in common. The
// references are added in their bundle's form, as stored digests have them.
func (r HandoffRequest) digested() any {
	if r.Key == "" {
		return nil // not needed
	}
	refs := bundle.Handoff{Refs: bundle.Refs{Threads: r.Refs.Threads, Files: r.Refs.Files, Artifacts: r.Refs.Artifacts}}
	r.Refs = HandoffRefs{}
	return []any{r, string(refs.Bytes())}
}

var errNoArtifacts = errors.New("the store was opened without artifacts")

// bundle stores the bundle of a handoff, or checks the existing one. summary is
// the text for the second event.
func (s *Store) bundle(parent string, c cut, r HandoffRequest) (id string, summary *string, err error) {
	if s.options.Artifacts == nil {
		return "", nil, errNoArtifacts
	}
	if r.SummaryArtifactID != nil {
		err := s.checkBundle(*r.SummaryArtifactID, parent, c, r.SummaryMarkdown)
		if err != nil || r.Bundle == nil {
			return *r.SummaryArtifactID, r.SummaryMarkdown, err
		}
	}
	if err := s.checkRefs(r.Refs); err != nil {
		return "", nil, err
	}
	from := bundle.ThreadRef{ThreadID: parent, Seq: c.seq, MessageID: c.messageID, Note: new(SourceCut)}
	var b bundle.Handoff
	if r.Bundle != nil {
		if b, err = r.Bundle(from); err != nil {
			return "", nil, err
		}
		r.SummaryMarkdown = &b.SummaryMarkdown
	} else {
		b = bundle.Handoff{SummaryMarkdown: *r.SummaryMarkdown, Refs: bundle.Refs{Threads: append([]bundle.ThreadRef{from}, r.Refs.Threads...), Files: r.Refs.Files, Artifacts: r.Refs.Artifacts}}
	}
	data, err := b.Checked()
	if err != nil {
		return "", nil, invalid("handoff: %w", err)
	}
	id, err = s.put(data)
	return id, r.SummaryMarkdown, err
}

// checkRefs refuses invalid paths and what does not exist.
func (s *Store) checkRefs(refs HandoffRefs) error {
	if err := s.checkThreads(refs.Threads); err != nil {
		return err
	}
	for i, ref := range refs.Files {
		if !bundle.ValidPath(ref.Path) {
			return fmt.Errorf("%q: %w", ref.Path, refuse("refs.files[%d].path: want a path relative to the workspace, with forward slashes and without . or ..", i))
		}
	}
	for i, ref := range refs.Artifacts {
		_, _, err := s.options.Artifacts.Range(ref.ID, 0, 0)
		if errors.Is(err, fs.ErrNotExist) {
			err = &Refusal{fmt.Sprintf("refs.artifacts[%d]: no artifact with that id (`handoff artifact put` stores one)", i), fs.ErrNotExist}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// put stores an artifact that a frame will refer to.
func (s *Store) put(data []byte) (string, error) {
	id, _, err := s.options.Artifacts.Put(data)
	if errors.As(err, new(*artifact.TooLargeError)) {
		err = fmt.Errorf("%w: %w", err, handoff.ErrInvalid)
	}
	return id.String(), err
}

// checkBundle checks that an artifact exists and is a handoff bundle, of the same
// cut if it names one, with the text of the request.
func (s *Store) checkBundle(artifactID, parent string, c cut, markdown *string) error {
	data, err := s.blob("summary_artifact_id", artifactID)
	if err != nil {
		return err
	}
	b, err := bundle.ParseHandoff(data)
	if err != nil {
		return invalid("summary_artifact_id: %s is not a handoff bundle: %w", artifactID, err)
	}
	for _, ref := range b.Refs.Threads {
		if ref.Note == nil || *ref.Note != SourceCut {
			continue
		}
		if ref.ThreadID != parent {
			return invalid("summary_artifact_id: %s belongs to thread %s, not to %s", artifactID, ref.ThreadID, parent)
		}
		if ref.Seq != c.seq {
			return refuse("the bundle in summary_artifact_id was made at another cut: give from_seq %d", ref.Seq)
		}
	}
	if markdown != nil && *markdown != b.SummaryMarkdown {
		return refuse("summary_markdown differs from the bundle in summary_artifact_id: leave one of them out")
	}
	return nil
}

// blob reads the artifact in a field of a request.
func (s *Store) blob(field, artifactID string) ([]byte, error) {
	if s.options.Artifacts == nil {
		return nil, errNoArtifacts
	}
	id, err := artifact.ParseID(artifactID)
	if err != nil {
		return nil, invalid("%s: %w", field, err)
	}
	data, err := s.options.Artifacts.Get(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no artifact %s: %w", field, artifactID, fs.ErrNotExist)
	case errors.As(err, new(*artifact.TooLargeError)), errors.Is(err, artifact.ErrNotRegular):
		return nil, invalid("%s: %w", field, err)
	}
	return data, err
}
