package client

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"reflect"
	"sync"

	"handoff/thread"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

// Find returns the ID of the thread that ref names: see [threads.Threads.Find].
func (c *Client) Find(ctx context.Context, ref string) (string, error) {
	_, err := threadops.Get.On(ctx, c, ref, ops.None{})
	if !errors.Is(err, fs.ErrNotExist) {
		return ref, err
	}
	list := sync.OnceValues(func() ([]thread.Info, error) { return threadops.List.On(ctx, c, "", ops.None{}) })
	ids := func() (ids []string, err error) {
		all, err := list()
		for _, info := range all {
			ids = append(ids, info.ThreadID)
		}
		return ids, err
	}
	return threads.FindAmong(ref, err, ids, list)
}

// Perform asks the server for an operation: see [ops.Op.On].
func (c *Client) Perform(ctx context.Context, o threadops.Operation, id string, in, result any) error {
	a := o.Described()
	r := request{method: a.Method, path: a.PathOf(id)}
	if _, none := in.(*ops.None); !none {
		r.body = in
	}
	if err := c.only(ctx, &r, reflect.ValueOf(in).Elem()); err != nil {
		return err
	}
	code, err := c.exchange(ctx, r, result)
	if again := o.Repeated(result); again != nil {
		*again = code == http.StatusOK
	}
	return err
}

// only sets the idempotency key of a request, and asks for a server of ours if the request
// needs one.
func (c *Client) only(ctx context.Context, r *request, in reflect.Value) error {
	for _, f := range ops.Fields(in.Type()) {
		v := in.FieldByIndex(f.Index)
		if f.Tag.Get("header") == "Idempotency-Key" {
			r.key = v.String()
		}
		if what := f.Tag.Get("ours"); what != "" && !v.IsZero() {
			if err := c.needOurs(ctx, what); err != nil {
				return err
			}
		}
	}
	return nil
}

// post calls an operation of a thread.
func post[T any](ctx context.Context, c *Client, id, what string, body any) (T, error) {
	return call[T](ctx, c, "POST", []string{"threads", id, what}, body)
}

// Create creates a thread; existed is true if the same key had created it
// before. RIP has no such route.
func (c *Client) Create(ctx context.Context, r thread.CreateRequest) (info thread.Info, existed bool, err error) {
	info, code, err := ask[thread.Info](ctx, c, request{method: "POST", path: []string{"threads"}, body: r, key: r.Key})
	return info, code == http.StatusOK, err
}

// Ensure returns the server's default thread, of which the server only reports
// the ID.
func (c *Client) Ensure(ctx context.Context) (thread.Info, error) {
	return call[thread.Info](ctx, c, "POST", []string{"threads", "ensure"}, nil)
}

// Post appends a message, for which the server starts a run.
func (c *Client) Post(ctx context.Context, id string, r thread.MessageRequest) (threads.Posted, error) {
	return post[threads.Posted](ctx, c, id, "messages", r)
}

// Branch creates a thread that continues from a cut.
func (c *Client) Branch(ctx context.Context, id string, r thread.BranchRequest) (thread.BranchResult, error) {
	result, code, err := ask[thread.BranchResult](ctx, c, request{method: "POST", path: []string{"threads", id, "branch"}, body: r, key: r.Key})
	result.Existed = code == http.StatusOK
	return result, err
}

// Handoff creates a thread that starts from a summary of another.
func (c *Client) Handoff(ctx context.Context, id string, r thread.HandoffRequest) (thread.HandoffResult, error) {
	if len(r.Refs.Artifacts)+len(r.Refs.Files) > 0 {
		if err := c.needOurs(ctx, "references to files and artifacts"); err != nil {
			return thread.HandoffResult{}, err
		}
	}
	result, code, err := ask[thread.HandoffResult](ctx, c, request{method: "POST", path: []string{"threads", id, "handoff"}, body: r, key: r.Key})
	result.Existed = code == http.StatusOK
	return result, err
}

// Lineage returns the tree of a thread's ancestors and descendants.
func (c *Client) Lineage(ctx context.Context, id string) (*thread.Node, error) {
	return call[*thread.Node](ctx, c, "GET", []string{"threads", id, "lineage"}, nil)
}

// CursorStatus returns the saved provider cursors.
func (c *Client) CursorStatus(ctx context.Context, id string) (thread.CursorStatus, error) {
	return post[thread.CursorStatus](ctx, c, id, "provider-cursor-status", struct{}{})
}

// RotateCursor invalidates a provider's cursor.
func (c *Client) RotateCursor(ctx context.Context, id string, r thread.RotateRequest) (thread.RotateResult, error) {
	return post[thread.RotateResult](ctx, c, id, "provider-cursor-rotate", r)
}

// SelectionStatus returns what the last contexts were compiled from.
func (c *Client) SelectionStatus(ctx context.Context, id string, r thread.SelectionRequest) (thread.SelectionStatus, error) {
	return post[thread.SelectionStatus](ctx, c, id, "context-selection-status", r)
}

// Checkpoint replaces the thread up to a message by a summary.
func (c *Client) Checkpoint(ctx context.Context, id string, r thread.CheckpointRequest) (thread.Checkpoint, error) {
	return post[thread.Checkpoint](ctx, c, id, "compaction-checkpoint", r)
}

// CutPoints returns the last cut points of a stride, the latest first.
func (c *Client) CutPoints(ctx context.Context, id string, r thread.CutPointsRequest) (thread.CutPoints, error) {
	return post[thread.CutPoints](ctx, c, id, "compaction-cut-points", r)
}

// CompactionStatus returns how far a thread is compacted.
func (c *Client) CompactionStatus(ctx context.Context, id string, r thread.StrideRequest) (thread.CompactionStatus, error) {
	return post[thread.CompactionStatus](ctx, c, id, "compaction-status", r)
}

// AutoCompact starts the job that creates the checkpoints that are due. It does
// not wait for the job.
func (c *Client) AutoCompact(ctx context.Context, id string, r thread.AutoRequest) (thread.AutoResult, error) {
	return post[thread.AutoResult](ctx, c, id, "compaction-auto", r)
}

// ScheduleCompact is AutoCompact that records its decision.
func (c *Client) ScheduleCompact(ctx context.Context, id string, r thread.ScheduleRequest) (thread.ScheduleResult, error) {
	return post[thread.ScheduleResult](ctx, c, id, "compaction-auto-schedule", r)
}
