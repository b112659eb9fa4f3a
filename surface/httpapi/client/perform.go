package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"

	"handoff/workspace/ops"
)

// perform asks the server for an operation of any group.
func perform[S any](ctx context.Context, c *Client, o ops.Any[S], id string, in, result any) error {
	a := o.Described()
	return performAt(ctx, c, o, request{method: a.Verb(), path: a.PathOf(id), rip: a.RIP}, in, result)
}

// performAt is perform with a request that has the method and the path.
func performAt[S any](ctx context.Context, c *Client, o ops.Any[S], r request, in, result any) error {
	c.fill(&r, in)
	if err := c.only(ctx, &r, reflect.ValueOf(in).Elem()); err != nil {
		return err
	}
	code, err := c.exchange(ctx, r, result)
	if again := o.Repeated(result); again != nil {
		*again = code == http.StatusOK
	}
	return err
}

// Resolve returns the whole id that a short name of an artifact, a run, a tape or a thread
// means on the server, or the short name itself for a server of RIP, which has whole ids only.
func (c *Client) Resolve(ctx context.Context, kind, ref string) (string, error) {
	found, _, err := ask[struct{ ID string }](ctx, c, request{method: http.MethodGet, path: []string{"references"}, query: url.Values{"kind": {kind}, "ref": {ref}}})
	if e := (*StatusError)(nil); errors.As(err, &e) && e.Status == http.StatusNotFound && e.Problem.Status == 0 {
		return ref, nil
	}
	return found.ID, err
}

// fill sets the parameters and the body of a request: see package ops.
func (c *Client) fill(r *request, in any) {
	v := reflect.ValueOf(in).Elem()
	fields := ops.InQuery(v.Type())
	if _, none := in.(*ops.None); !none && fields == nil {
		r.body = in
	}
	r.query = url.Values{}
	for _, f := range fields {
		value := v.FieldByIndex(f.Index)
		switch name := f.Tag.Get("query"); {
		case f.Name == "Body":
			r.body = value.Interface()
		case name != "":
			setQuery(r.query, name, value, f.Tag)
		}
	}
}

// setQuery sets a parameter, unless it has the value that the server assumes without it.
func setQuery(query url.Values, name string, v reflect.Value, tag reflect.StructTag) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			query.Add(name, v.Index(i).String())
		}
		return
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		v = v.Elem()
	case reflect.String, reflect.Bool:
		if v.IsZero() {
			return
		}
	}
	text := fmt.Sprint(v.Interface())
	if assumed, ok := tag.Lookup("default"); !ok || text != assumed {
		query.Set(name, text)
	}
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
