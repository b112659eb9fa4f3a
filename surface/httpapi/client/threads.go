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
	r := request{method: a.Verb(), path: a.PathOf(id), rip: a.RIP}
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
