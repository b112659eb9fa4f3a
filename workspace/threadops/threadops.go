// Package threadops is the list of the operations on threads. A command, a route and the
// client's call are made from each: see package ops.
package threadops

import (
	"context"

	"handoff/thread"
	"handoff/workspace/ops"
	"handoff/workspace/threads"
)

// Op is an operation on the threads of a workspace or a server.
type Op[R, T any] = ops.Op[*threads.Threads, R, T]

// Operation is an Op of any types, and Place has threads: Here, or a client.
type (
	Operation = ops.Any[*threads.Threads]
	Place     = ops.Place[*threads.Threads]
)

// Here are the threads of a workspace.
type Here struct{ *threads.Threads }

// Perform does an operation: see [ops.Op.On].
func (h Here) Perform(ctx context.Context, o Operation, id string, request, result any) error {
	return o.Run(ctx, h.Threads, id, request, result)
}

// Operations are the operations on threads, in the order of the help.
var Operations = []Operation{Archive, Unarchive, Rename, List, Get}

// badTitle is answered for a title or an idempotency key that cannot be stored.
const badTitle = "the title or the Idempotency-Key cannot be stored"

var Archive = &Op[thread.By, thread.Info]{
	About: ops.About{Name: "archive", Help: "archive a thread", Args: "THREAD", Writes: true,
		Route: ops.Route{Method: "POST", Path: "/threads/{id}/archive", Summary: "Archive a thread", Refuses: []int{404}}},
	Do: (*threads.Threads).Archive,
}

var Unarchive = &Op[thread.By, thread.Info]{
	About: ops.About{Name: "unarchive", Help: "unarchive a thread", Args: "THREAD", Writes: true,
		Route: ops.Route{Method: "POST", Path: "/threads/{id}/unarchive", Summary: "Unarchive a thread", Refuses: []int{404}}},
	Do: (*threads.Threads).Unarchive,
}

var Rename = &Op[thread.RenameRequest, thread.Info]{
	About: ops.About{Name: "rename", Help: "change or remove a thread's title", Args: "THREAD [TITLE]", Writes: true,
		Route: ops.Route{Method: "POST", Path: "/threads/{id}/rename", Summary: "Change or remove a thread's title", Refuses: []int{400, 404}, Invalid: badTitle}},
	Do: (*threads.Threads).Rename,
}

// List lists the threads that can be read, also with an error about the others.
var List = &Op[ops.None, []thread.Info]{
	About: ops.About{Name: "list", Help: "list the threads, the oldest first", Partial: true,
		Route: ops.Route{Method: "GET", Path: "/threads", Summary: "List threads, oldest first", RIP: true}},
	Do: func(t *threads.Threads, ctx context.Context, _ string, _ ops.None) ([]thread.Info, error) {
		list, err := t.List(ctx)
		return append([]thread.Info{}, list...), err // JSON has [], not null
	},
}

var Get = &Op[ops.None, thread.Info]{
	About: ops.About{Name: "get", Help: "print a thread's title, parent, counts and state", Args: "THREAD",
		Route: ops.Route{Method: "GET", Path: "/threads/{id}", Summary: "Get a thread", Refuses: []int{404}, RIP: true}},
	Do: func(t *threads.Threads, ctx context.Context, id string, _ ops.None) (thread.Info, error) {
		return t.Get(ctx, id)
	},
}
