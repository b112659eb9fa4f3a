package threads

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/text/secret"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/workspace"
)

// ReferenceRequest asks for a reference to another thread.
type ReferenceRequest struct {
	To            string  `json:"to_thread_id" arg:"1" doc:"ID of the other thread"`
	FromMessageID *string `json:"from_message_id" flag:"from-message-id=ID" usage:"cut the other thread after this message and its runs" doc:"cut the other thread after this message and its runs"`
	FromSeq       *uint64 `json:"from_seq" flag:"from-seq=N" usage:"cut the other thread after this event" unset:"the last" doc:"cut the other thread after this event; without either field, at the end"`
	Note          *string `json:"note" flag:"note=TEXT" usage:"note for readers" doc:"note for readers; null for none"`
	thread.By
}

// ReferenceResult is the reference that was appended.
type ReferenceResult struct {
	ThreadID   string  `json:"thread_id"`
	EventID    string  `json:"event_id"`
	ToThreadID string  `json:"to_thread_id"`
	Seq        uint64  `json:"seq"` // the last event before the cut
	MessageID  *string `json:"message_id,omitempty"`
}

// Reference appends a reference to another thread up to a cut.
func (t *Threads) Reference(ctx context.Context, id string, r ReferenceRequest) (ReferenceResult, error) {
	if r.FromMessageID != nil && r.FromSeq != nil {
		return ReferenceResult{}, &thread.Refusal{Text: "give one of from_message_id and from_seq, not both", Kind: handoff.ErrInvalid}
	}
	ref, err := t.CutOf(r.To, r.FromMessageID, r.FromSeq)
	if err != nil {
		return ReferenceResult{}, err
	}
	ref.Note = r.Note
	e, err := t.Refer(ctx, id, ref, r.By)
	return ReferenceResult{id, e.ID, ref.ThreadID, ref.Seq, ref.MessageID}, err
}

// maxFile is the size of a file of the workspace that is read for a context, in bytes.
const maxFile = 4 << 20

// file reads a file of the workspace for a context, without its secrets. What git and the tool itself keep is not read.
func (t *Threads) file(name string) ([]byte, error) {
	first, _, _ := strings.Cut(name, "/")
	if !bundle.ValidPath(name) || slices.Contains([]string{".git", ".rip", workspace.StateDir}, strings.ToLower(first)) {
		return nil, &thread.Refusal{Text: "want a file of the workspace, and none of git's or the tool's own", Kind: handoff.ErrInvalid}
	}
	src, err := nofollow.Root(t.options.Root).ReadFile(filepath.Join(t.options.Root, filepath.FromSlash(name)), maxFile)
	return []byte(secret.Mask(string(src))), err
}
