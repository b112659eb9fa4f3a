package httpapi

import (
	"errors"
	"net/http"
	"reflect"

	"handoff/internal/web/openapi"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
)

// namedBy are the items of lists that are read in parts, with the fields that name them.
var namedBy = map[reflect.Type]string{
	reflect.TypeFor[thread.Info]():        "ThreadID",
	reflect.TypeFor[tape.Info]():          "Name",
	reflect.TypeFor[handoffops.TaskRow](): "Path",
	reflect.TypeFor[handoffops.ListRow](): "Path",
}

// paging selects a part of a list. A request that has its own cursor selects by itself.
type paging struct {
	Limit  *int   `query:"limit" min:"1" max:"1000" doc:"maximum number of results; default: all"`
	Cursor string `query:"after" doc:"where the list continues: from the header Link of the answer before"`
}

// pagingFor is the type of the parameters that a route has besides its request; nil for none.
func pagingFor(request, result reflect.Type) reflect.Type {
	if result.Kind() != reflect.Slice || namedBy[result.Elem()] == "" {
		return nil
	}
	if _, own := request.FieldByName("Cursor"); own {
		return nil
	}
	return reflect.TypeFor[paging]()
}

// paged is the answer of a list: the part that was asked for, and where the next one begins.
func paged(in reflect.Value, list reflect.Value) (any, error) {
	name := namedBy[list.Type().Elem()]
	limit, cursor, own := in.FieldByName("Limit"), in.FieldByName("Cursor"), in.FieldByName("Offset").IsValid()
	most := list.Len()
	if limit.Kind() == reflect.Pointer && !limit.IsNil() {
		most = int(limit.Elem().Int())
	} else if own {
		most = int(limit.Int())
	}
	next := own && list.Len() >= most // the operation left out the others
	if !own {
		rest, err := ops.After(items(list), func(v reflect.Value) string { return v.FieldByName(name).String() }, cursor.String())
		if err != nil {
			return nil, err
		}
		next = len(rest) > most
		begin := list.Len() - len(rest)
		list = list.Slice(begin, begin+min(most, len(rest)))
	}
	page := openapi.Paged{List: list.Interface()}
	if next && list.Len() > 0 {
		var names []string
		for _, v := range items(list) {
			names = append(names, v.FieldByName(name).String())
		}
		page.Next = ops.CursorAfter(names)
	}
	return page, nil
}

func items(list reflect.Value) []reflect.Value {
	all := make([]reflect.Value, list.Len())
	for i := range all {
		all[i] = list.Index(i)
	}
	return all
}

// cursorProblem explains a cursor that no answer had; another error stays.
func cursorProblem(err error) error {
	if errors.Is(err, ops.ErrCursor) {
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: "query parameter after: want the one of the header Link of an earlier answer"}
	}
	return err
}
