package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"handoff/internal/file/regular"
	"handoff/internal/web/openapi"
	"handoff/workspace/ops"
)

// group is how a group of operations at S is served.
type group[S any] struct {
	name, tag string              // of the group
	named     reflect.StructField // the parameter in its paths
	at        func(ctx context.Context, id string, a *ops.About) (S, error)
	all       func(ctx context.Context) (S, error) // where operations are done that name nothing
	problem   func(err error, a *ops.About) error
	after     func(a *ops.About, result any, err error) // nil for nothing
}

// named is the first field of an input, which names what an operation is about.
func named[In any]() reflect.StructField { return reflect.TypeFor[In]().Field(0) }

// served are the routes of a group. Those in special are the operations that the server does
// in another way than a command, by their names.
func served[S any](s *Server, g group[S], operations []ops.Any[S], special map[string]openapi.Operation) (list []openapi.Operation) {
	for _, o := range operations {
		a := o.Described()
		op, ok := special[a.Name]
		switch {
		case a.Path == "":
			continue
		case !ok:
			op = route(s, g, o)
		}
		op.Method, op.Path, op.Lenient = a.Verb(), a.Path, op.Lenient || a.RIP
		list = append(list, op.Says(g.tag, a.RouteID(g.name), a.Summary, refuses(a.Refuses...)...))
	}
	return list
}

// route is the route of an operation that is done here as a command does it. Parts that
// cannot be read are logged, and left out of the answer.
func route[S any](s *Server, g group[S], o ops.Any[S]) openapi.Operation {
	a := o.Described()
	request, result := o.Types()
	pages := pagingFor(request, result)
	in := inputOf(a.Path, g.named, request, pages)
	code, replayed := cmp.Or(a.Code, http.StatusOK), cmp.Or(a.Code, http.StatusOK)
	if o.Repeated(reflect.New(result).Interface()) != nil {
		replayed = http.StatusOK
	}
	op := openapi.Typed(a.Verb(), a.Path, code, replayed, cmp.Or(a.Again, "Already created with the same Idempotency-Key"), in, result,
		func(ctx context.Context, in reflect.Value) (_ any, again bool, err error) {
			var at S
			id, r, out := "", requestIn(in, request), reflect.New(result)
			if f := in.FieldByName(inPath); f.IsValid() {
				id = fmt.Sprint(f.Interface())
				at, err = g.at(ctx, id, a)
			} else {
				at, err = g.all(ctx)
			}
			if err != nil {
				return nil, false, err
			}
			err = o.Run(ctx, at, id, r.Interface(), out.Interface())
			if g.after != nil {
				g.after(a, out.Interface(), err)
			}
			if err != nil && ctx.Err() == nil && (a.Usable(out.Interface()) || a.Partial && errors.Is(err, regular.ErrLink)) {
				s.Log.Warn("some "+g.tag+" cannot be read", "error", err)
				err = nil
			}
			if part, ok := out.Interface().(interface{ Continues() string }); ok && err == nil {
				return openapi.Paged{List: out.Elem().Interface(), Next: part.Continues()}, false, nil
			}
			if err == nil && (pages != nil || in.FieldByName("Cursor").IsValid()) {
				page, err := paged(in, out.Elem())
				return page, false, cursorProblem(err)
			}
			existed := o.Repeated(out.Interface())
			return out.Elem().Interface(), existed != nil && *existed, g.problem(err, a)
		})
	if code != http.StatusAccepted && (a.Writes || a.Records) && result.Implements(reflect.TypeFor[openapi.Later]()) {
		op.Answers = append(op.Answers, queued(result))
	}
	return op
}

// inPath is the field of an input that the path names.
const inPath = "InPath"

// inputOf is the input of a route: the parameter of its path, the request: its
// parameters, or its body, and the parameters of pages, unless they are nil.
func inputOf(path string, named reflect.StructField, request, pages reflect.Type) reflect.Type {
	var fields []reflect.StructField
	if strings.Contains(path, "{") {
		fields = append(fields, reflect.StructField{Name: inPath, Type: named.Type, Tag: named.Tag})
	}
	switch parts := ops.InQuery(request); {
	case parts != nil:
		for _, f := range parts {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
		}
	case request != reflect.TypeFor[ops.None]():
		fields = append(fields, reflect.StructField{Name: "Body", Type: request})
	}
	if pages != nil {
		for _, f := range ops.Fields(pages) {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
		}
	}
	return reflect.StructOf(fields)
}

// requestIn is a pointer to the request of an input.
func requestIn(in reflect.Value, request reflect.Type) reflect.Value {
	r := reflect.New(request)
	parts := ops.InQuery(request)
	for _, f := range parts {
		r.Elem().FieldByIndex(f.Index).Set(in.FieldByName(f.Name))
	}
	if body := in.FieldByName("Body"); parts == nil && body.IsValid() {
		r.Elem().Set(body)
	}
	return r
}
