package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"handoff/internal/file/regular"
	"handoff/internal/web/openapi"
	"handoff/workspace/ops"
)

// group is how a group of operations at S is served.
type group[S any] struct {
	name, tag, doc string // of the group and of the parameter in its paths
	all            S      // where operations are done that name nothing
	at             func(id string, a *ops.About) (S, error)
	problem        func(err error, a *ops.About) error
}

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
	in := inputOf(a.Path, g.doc, request)
	code, replayed := cmp.Or(a.Code, http.StatusOK), cmp.Or(a.Code, http.StatusOK)
	if o.Repeated(reflect.New(result).Interface()) != nil {
		replayed = http.StatusOK
	}
	op := openapi.Typed(a.Verb(), a.Path, code, replayed, cmp.Or(a.Again, "Already created with the same Idempotency-Key"), in, result,
		func(ctx context.Context, in reflect.Value) (_ any, again bool, err error) {
			id, at, r, out := "", g.all, requestIn(in, request), reflect.New(result)
			if f := in.FieldByName(inPath); f.IsValid() {
				id = f.String()
				if at, err = g.at(id, a); err != nil {
					return nil, false, err
				}
			}
			err = o.Run(ctx, at, id, r.Interface(), out.Interface())
			if err != nil && ctx.Err() == nil && (a.Usable(out.Interface()) || a.Partial && errors.Is(err, regular.ErrLink)) {
				s.Log.Warn("some "+g.tag+" cannot be read", "error", err)
				err = nil
			}
			existed := o.Repeated(out.Interface())
			return out.Elem().Interface(), existed != nil && *existed, g.problem(err, a)
		})
	if code != http.StatusAccepted && result.Implements(reflect.TypeFor[openapi.Later]()) {
		op.Answers = append(op.Answers, queued(result))
	}
	return op
}

// inPath is the field of an input that the path names.
const inPath = "InPath"

// inputOf is the input of a route: the parameter of its path, and the request: its
// parameters, or its body.
func inputOf(path, doc string, request reflect.Type) reflect.Type {
	var fields []reflect.StructField
	if _, rest, ok := strings.Cut(path, "{"); ok {
		name, _, _ := strings.Cut(rest, "}")
		fields = append(fields, reflect.StructField{Name: inPath, Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`path:"` + name + `" doc:"` + doc + `"`)})
	}
	switch parts := ops.InQuery(request); {
	case parts != nil:
		for _, f := range parts {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
		}
	case request != reflect.TypeFor[ops.None]():
		fields = append(fields, reflect.StructField{Name: "Body", Type: request})
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
