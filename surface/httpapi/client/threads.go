package client

import (
	"context"
	"errors"
	"io/fs"

	"handoff/thread"
	"handoff/workspace"
)

// Find is the id of the thread that a person means: see
// [workspace.Threads.Find].
func (c *Client) Find(ctx context.Context, ref string) (string, error) {
	_, err := c.Get(ctx, ref)
	if !errors.Is(err, fs.ErrNotExist) {
		return ref, err
	}
	return workspace.FindThread(ref, err, func() (ids []string, err error) {
		all, err := c.List(ctx)
		for _, info := range all {
			ids = append(ids, info.ThreadID)
		}
		return ids, err
	})
}

// Create begins a thread. RIP has no such route.
func (c *Client) Create(ctx context.Context, r thread.CreateRequest) (thread.Info, error) {
	return call[thread.Info](ctx, c, "POST", []string{"threads"}, r, r.Key)
}

// Ensure names the server's default thread.
func (c *Client) Ensure(ctx context.Context) (workspace.ThreadID, error) {
	return call[workspace.ThreadID](ctx, c, "POST", []string{"threads", "ensure"}, nil, "")
}

// List tells of all threads.
func (c *Client) List(ctx context.Context) ([]thread.Info, error) {
	return call[[]thread.Info](ctx, c, "GET", []string{"threads"}, nil, "")
}

// Get tells what is known of a thread.
func (c *Client) Get(ctx context.Context, id string) (thread.Info, error) {
	return call[thread.Info](ctx, c, "GET", []string{"threads", id}, nil, "")
}

// post is a call about a thread.
func post[T any](ctx context.Context, c *Client, id, what string, body any, key string) (T, error) {
	return call[T](ctx, c, "POST", []string{"threads", id, what}, body, key)
}

// Post appends a message, for which the server starts a run.
func (c *Client) Post(ctx context.Context, id string, r thread.MessageRequest) (workspace.Posted, error) {
	return post[workspace.Posted](ctx, c, id, "messages", r, "")
}

// Branch goes on from a cut through a thread.
func (c *Client) Branch(ctx context.Context, id string, r thread.BranchRequest) (thread.BranchResult, error) {
	return post[thread.BranchResult](ctx, c, id, "branch", r, r.Key)
}

// Handoff goes on from a summary of a thread.
func (c *Client) Handoff(ctx context.Context, id string, r thread.HandoffRequest) (thread.HandoffResult, error) {
	body := struct {
		thread.HandoffRequest
		Refs *handoffRefs `json:"refs,omitempty"`
	}{r, refsOf(r)}
	if body.Refs != nil {
		if err := c.needOurs(ctx, "references to files and artifacts"); err != nil {
			return thread.HandoffResult{}, err
		}
	}
	return post[thread.HandoffResult](ctx, c, id, "handoff", body, r.Key)
}

// handoffRefs are what a handoff refers to, as the server takes it.
type handoffRefs struct {
	Artifacts []artifactRef `json:"artifacts"`
	Files     []fileRef     `json:"files"`
}

type artifactRef struct {
	ID   string  `json:"artifact_id"`
	Note *string `json:"note"`
}

type fileRef struct {
	Path string  `json:"path"`
	Note *string `json:"note"`
}

// refsOf is nil where there are none.
func refsOf(r thread.HandoffRequest) *handoffRefs {
	if len(r.Artifacts)+len(r.Files) == 0 {
		return nil
	}
	refs := &handoffRefs{[]artifactRef{}, []fileRef{}}
	for _, a := range r.Artifacts {
		refs.Artifacts = append(refs.Artifacts, artifactRef{a.ID.String(), a.Note})
	}
	for _, f := range r.Files {
		refs.Files = append(refs.Files, fileRef{f.Path, f.Note})
	}
	return refs
}

// Archive says that a thread is done with, or that it is not. RIP has no such
// route, as for Rename and Lineage.
func (c *Client) Archive(ctx context.Context, id string, archived bool, by workspace.By) (thread.Info, error) {
	if archived {
		return post[thread.Info](ctx, c, id, "archive", by, "")
	}
	return post[thread.Info](ctx, c, id, "unarchive", by, "")
}

// Rename gives a thread another title, nil for none.
func (c *Client) Rename(ctx context.Context, id string, title *string, by workspace.By) (thread.Info, error) {
	return post[thread.Info](ctx, c, id, "rename", struct {
		Title *string `json:"title"`
		workspace.By
	}{title, by}, "")
}

// Lineage is the tree that a thread stands in.
func (c *Client) Lineage(ctx context.Context, id string) (*thread.Node, error) {
	return call[*thread.Node](ctx, c, "GET", []string{"threads", id, "lineage"}, nil, "")
}

// CursorStatus tells where providers would go on.
func (c *Client) CursorStatus(ctx context.Context, id string) (thread.CursorStatus, error) {
	return post[thread.CursorStatus](ctx, c, id, "provider-cursor-status", struct{}{}, "")
}

// RotateCursor says that a provider's cursor is not to be used any more.
func (c *Client) RotateCursor(ctx context.Context, id string, r thread.RotateRequest) (thread.RotateResult, error) {
	return post[thread.RotateResult](ctx, c, id, "provider-cursor-rotate", r, "")
}

// SelectionStatus tells what the last contexts were compiled from.
func (c *Client) SelectionStatus(ctx context.Context, id string, limit *uint32) (thread.SelectionStatus, error) {
	return post[thread.SelectionStatus](ctx, c, id, "context-selection-status", struct {
		Limit *uint32 `json:"limit,omitempty"`
	}{limit}, "")
}

// Checkpoint lets a summary stand for the thread up to a message.
func (c *Client) Checkpoint(ctx context.Context, id string, r thread.CheckpointRequest) (thread.Checkpoint, error) {
	return post[thread.Checkpoint](ctx, c, id, "compaction-checkpoint", r, "")
}

type stride struct {
	StrideMessages *uint64 `json:"stride_messages,omitempty"`
}

// CutPoints tells where a stride would cut, the latest first.
func (c *Client) CutPoints(ctx context.Context, id string, every *uint64, limit *uint32) (thread.CutPoints, error) {
	return post[thread.CutPoints](ctx, c, id, "compaction-cut-points", struct {
		stride
		Limit *uint32 `json:"limit,omitempty"`
	}{stride{every}, limit}, "")
}

// CompactionStatus tells how far a thread is compacted.
func (c *Client) CompactionStatus(ctx context.Context, id string, every *uint64) (thread.CompactionStatus, error) {
	return post[thread.CompactionStatus](ctx, c, id, "compaction-status", stride{every}, "")
}

// AutoCompact begins the job that makes the checkpoints that are due. It does
// not wait for it.
func (c *Client) AutoCompact(ctx context.Context, id string, r thread.AutoRequest) (thread.AutoResult, error) {
	return post[thread.AutoResult](ctx, c, id, "compaction-auto", r, "")
}

// ScheduleCompact is AutoCompact that records what is decided.
func (c *Client) ScheduleCompact(ctx context.Context, id string, r thread.ScheduleRequest) (thread.ScheduleResult, error) {
	return post[thread.ScheduleResult](ctx, c, id, "compaction-auto-schedule", r, "")
}
