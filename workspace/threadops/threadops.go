// Package threadops is the list of the operations on threads. A command, a route and the
// client's call are made from each: see package ops.
package threadops

import (
	"context"

	"handoff/log/thread"
	"handoff/workspace/ops"
	"handoff/workspace/threads"
)

type (
	// Op is an operation on the threads of a workspace or a server.
	Op[R, T any] = ops.Op[*threads.Threads, R, T]
	// Operation is an Op of any types.
	Operation = ops.Any[*threads.Threads]
	// Place has threads: it is Here, or a client.
	Place = ops.Place[*threads.Threads]
	// Here are the threads of a workspace.
	Here struct{ *threads.Threads }
)

// Perform does an operation: see [ops.Op.On].
func (h Here) Perform(ctx context.Context, o Operation, id string, request, result any) error {
	return o.Run(ctx, h.Threads, id, request, result)
}

// Operations are all operations on threads, in the order of the help.
var Operations = []Operation{
	Create, Ensure, PostMessage, Branch, Handoff, Reference, Archive, Unarchive, Rename,
	List, Get, Show, Events, Lineage,
	CursorStatus, RotateCursor, SelectionStatus,
	Checkpoint, CutPoints, CompactionStatus, AutoCompact, ScheduleCompact,
}

// The codes of refusals, and the answers to an invalid request.
var (
	notFound = []int{404}
	bad      = []int{400, 404}
	conflict = []int{400, 404, 409}
)

const (
	badTitle  = "the title or the Idempotency-Key cannot be stored"
	badStride = "want a stride_messages of 1 or more"
	noBundle  = "no such thread or artifact"
)

// These create threads and write to them.
var (
	Create = &Op[thread.CreateRequest, thread.Info]{About: ops.About{Name: "create", Help: "create a thread", Writes: true,
		Path: "/threads", Summary: "Create a thread", Code: 201, Refuses: conflict, Invalid: badTitle},
		Do: func(t *threads.Threads, ctx context.Context, _ string, r thread.CreateRequest) (info thread.Info, err error) {
			info, existed, err := t.Create(ctx, r)
			info.Existed = existed
			return info, err
		},
		Existed: func(info *thread.Info) *bool { return &info.Existed }}
	Ensure = &Op[ops.None, Ensured]{About: ops.About{Name: "ensure", Help: "print the workspace's default thread, creating it if needed", Writes: true,
		Path: "/threads/ensure", RIP: true, Summary: "Get the default thread, creating it if needed"},
		Do: func(t *threads.Threads, ctx context.Context, _ string, _ ops.None) (Ensured, error) {
			info, err := t.Ensure(ctx)
			return Ensured{info.ThreadID}, err
		}}
	// PostMessage starts no run here. A server starts one.
	PostMessage = &Op[thread.MessageRequest, threads.Posted]{About: ops.About{Name: "post-message", Help: "append a message", Args: "THREAD --content TEXT", Writes: true,
		Path: "/threads/{id}/messages", RIP: true, Summary: "Append a message and start a run for it", Code: 202, Refuses: []int{404, 409}, Invalid: "the message cannot be stored"},
		Do: (*threads.Threads).Post}
	Branch = &Op[thread.BranchRequest, thread.BranchResult]{About: ops.About{Name: "branch", Help: "create a thread that continues from a cut, with everything before it", Args: "THREAD", Writes: true,
		Path: "/threads/{id}/branch", RIP: true, Summary: "Create a thread that continues from a cut", Code: 201, Refuses: conflict, Invalid: badTitle},
		Do: (*threads.Threads).Branch, Existed: func(r *thread.BranchResult) *bool { return &r.Existed }}
	Handoff = &Op[thread.HandoffRequest, thread.HandoffResult]{About: ops.About{Name: "handoff", Help: "create a thread that starts from a summary of another", Args: "THREAD --summary-markdown TEXT", Writes: true,
		Path: "/threads/{id}/handoff", RIP: true, Summary: "Create a thread that starts from a summary of another", Code: 201, Refuses: conflict,
		Invalid: "want the summary_artifact_id of a handoff bundle of this thread", Missing: noBundle},
		Do: (*threads.Threads).Handoff, Existed: func(r *thread.HandoffResult) *bool { return &r.Existed }}
	// Reference is RIP's planned thread.reference.
	Reference = &Op[threads.ReferenceRequest, threads.ReferenceResult]{About: ops.About{Name: "reference", Help: "refer to another thread, whose context is then included on request", Args: "THREAD OTHER", Writes: true,
		Path: "/threads/{id}/references", Summary: "Refer to another thread up to a cut", Code: 201, Refuses: bad, Invalid: "want a thread and one of its events"},
		Do: (*threads.Threads).Reference}
	Archive = &Op[thread.By, thread.Info]{About: ops.About{Name: "archive", Help: "archive a thread", Args: "THREAD", Writes: true,
		Path: "/threads/{id}/archive", Summary: "Archive a thread", Refuses: notFound}, Do: (*threads.Threads).Archive}
	Unarchive = &Op[thread.By, thread.Info]{About: ops.About{Name: "unarchive", Help: "unarchive a thread", Args: "THREAD", Writes: true,
		Path: "/threads/{id}/unarchive", Summary: "Unarchive a thread", Refuses: notFound}, Do: (*threads.Threads).Unarchive}
	Rename = &Op[thread.RenameRequest, thread.Info]{About: ops.About{Name: "rename", Help: "change or remove a thread's title", Args: "THREAD [TITLE]", Writes: true,
		Path: "/threads/{id}/rename", Summary: "Change or remove a thread's title", Refuses: bad, Invalid: badTitle}, Do: (*threads.Threads).Rename}
)

// Ensured is the default thread, of which RIP reports no more than the id.
type Ensured struct {
	ThreadID string `json:"thread_id" doc:"ID of the default thread"`
}

// These show threads. The result of List and Lineage is what can be read, also with an error
// about the rest.
var (
	List = &Op[ops.None, []thread.Info]{About: ops.About{Name: "list", Help: "list the threads, the oldest first", Partial: true,
		Method: "GET", Path: "/threads", RIP: true, Summary: "List threads, oldest first"},
		Do: func(t *threads.Threads, ctx context.Context, _ string, _ ops.None) ([]thread.Info, error) {
			list, err := t.List(ctx)
			return append([]thread.Info{}, list...), err // JSON has [], not null
		}}
	Get = &Op[ops.None, thread.Info]{About: ops.About{Name: "get", Help: "print a thread's title, parent, counts and state", Args: "THREAD",
		Method: "GET", Path: "/threads/{id}", RIP: true, Summary: "Get a thread", Refuses: notFound},
		Do: func(t *threads.Threads, ctx context.Context, id string, _ ops.None) (thread.Info, error) {
			return t.Get(ctx, id)
		}}
	// Show is made of other operations.
	Show = &Op[ops.None, ops.None]{About: ops.About{Name: "show", Help: "print a thread's conversation", Args: "THREAD"}}
	// Events are streamed by each surface in its own way.
	Events = &Op[EventsRequest, ops.None]{About: ops.About{Name: "events", Help: "print a thread's events, one JSON object per line", Args: "THREAD",
		Method: "GET", Path: "/threads/{id}/events", RIP: true, ID: "thread_stream_events", Summary: "Stream a thread's events", Refuses: notFound}}
	Lineage = &Op[ops.None, *thread.Node]{About: ops.About{Name: "lineage", Help: "draw a thread's ancestors and descendants", Args: "THREAD", Partial: true,
		Method: "GET", Path: "/threads/{id}/lineage", Summary: "Get a thread's ancestors and descendants", Refuses: notFound},
		Do: func(t *threads.Threads, ctx context.Context, id string, _ ops.None) (*thread.Node, error) {
			return t.Lineage(ctx, id)
		}}
)

// EventsRequest is what the command prints of a thread's events.
type EventsRequest struct {
	FromSeq uint64  `flag:"from-seq=N" usage:"event to start at"`
	Max     *uint64 `flag:"max-events=N" usage:"most events to print" unset:"all"`
	Follow  bool    `flag:"follow" usage:"wait for more at the end"`
	// Inherited puts the events that a branch inherits before its own.
	Inherited bool `flag:"inherited" usage:"print first what a branch inherits: the events of the threads that it continues, up to the cuts"`
}

// These are about what RIP saves for its provider.
var (
	CursorStatus = &Op[struct{}, thread.CursorStatus]{About: ops.About{Name: "provider-cursor-status", Help: "show saved provider cursors", Args: "THREAD",
		Path: "/threads/{id}/provider-cursor-status", RIP: true, Summary: "List saved provider cursors", Refuses: notFound},
		Do: func(t *threads.Threads, ctx context.Context, id string, _ struct{}) (thread.CursorStatus, error) {
			return t.CursorStatus(ctx, id)
		}}
	RotateCursor = &Op[thread.RotateRequest, thread.RotateResult]{About: ops.About{Name: "provider-cursor-rotate", Help: "invalidate a provider's cursor", Args: "THREAD", Writes: true,
		Path: "/threads/{id}/provider-cursor-rotate", RIP: true, Summary: "Invalidate a provider's cursor", Refuses: notFound, Invalid: "a field cannot be stored"},
		Do: (*threads.Threads).RotateCursor}
	SelectionStatus = &Op[thread.SelectionRequest, thread.SelectionStatus]{About: ops.About{Name: "context-selection-status", Help: "show what the last contexts were compiled from", Args: "THREAD",
		Path: "/threads/{id}/context-selection-status", RIP: true, Summary: "List what the last contexts were compiled from", Refuses: notFound},
		Do: (*threads.Threads).SelectionStatus}
)

// These replace the beginning of a thread by summaries.
var (
	Checkpoint = &Op[thread.CheckpointRequest, thread.Checkpoint]{About: ops.About{Name: "compaction-checkpoint", Help: "replace the thread up to a message by a summary", Args: "THREAD --summary-markdown TEXT", Writes: true,
		Path: "/threads/{id}/compaction-checkpoint", RIP: true, Summary: "Replace a thread up to a message by a summary", Code: 201, Refuses: bad,
		Invalid: "want the summary_artifact_id of a compaction summary of this thread", Missing: noBundle},
		Do: (*threads.Threads).Checkpoint}
	CutPoints = &Op[thread.CutPointsRequest, thread.CutPoints]{About: ops.About{Name: "compaction-cut-points", Help: "list the cut points of a stride, latest first", Args: "THREAD",
		Path: "/threads/{id}/compaction-cut-points", RIP: true, Summary: "List the cut points of a stride", Refuses: bad, Invalid: badStride}, Do: (*threads.Threads).CutPoints}
	CompactionStatus = &Op[thread.StrideRequest, thread.CompactionStatus]{About: ops.About{Name: "compaction-status", Help: "show how far a thread is compacted", Args: "THREAD",
		Path: "/threads/{id}/compaction-status", RIP: true, Summary: "Get how far a thread is compacted", Refuses: bad, Invalid: badStride}, Do: (*threads.Threads).CompactionStatus}
	// AutoCompact waits for the checkpoints here. A server answers when the job is started.
	AutoCompact = &Op[thread.AutoRequest, thread.AutoResult]{About: ops.About{Name: "compaction-auto", Help: "create the checkpoints that are due, with rule-based summaries", Args: "THREAD", Writes: true,
		Path: "/threads/{id}/compaction-auto", RIP: true, Summary: "Create the checkpoints that are due", Refuses: bad, Invalid: badStride}, Do: (*threads.Threads).AutoCompact}
	// ScheduleCompact is AutoCompact that records its decision.
	ScheduleCompact = &Op[thread.ScheduleRequest, thread.ScheduleResult]{About: ops.About{Name: "compaction-auto-schedule", Help: "record which checkpoints are due, and create them", Args: "THREAD", Writes: true,
		Path: "/threads/{id}/compaction-auto-schedule", RIP: true, Summary: "Record which checkpoints are due and create them", Refuses: bad, Invalid: badStride}, Do: (*threads.Threads).ScheduleCompact}
)
