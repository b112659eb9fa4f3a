package client

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"handoff/log/thread"
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
	return perform(ctx, c, o, id, in, result)
}
