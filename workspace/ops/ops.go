// Package ops describes an operation as a value. It is declared once, with Go types for its
// request and its result; from that value come the command with its flags, help and
// completion, the route with its row in the OpenAPI document, and the client's call.
//
// The fields of a request have tags. json, query, header, doc, default, enum, min, max and
// members are those of package openapi: a request with a query is made of parameters and of
// the field Body, if it has one; any other is the body. The other tags are:
//
//   - flag:"NAME=VALUE": the field is the flag --NAME, whose value the help calls VALUE. A bool
//     has no value; flag:"!NAME" is one that is true without the flag.
//   - single: the flag of a list, which sets its only item
//   - least: the smallest number that the flag accepts
//   - unit:"1s": the flag is a duration, and the field the number of units in it
//   - usage: the help of the flag; the first VALUE in it is marked as such
//   - preset: the value without the flag; unset: what the help calls that value
//   - text:"WHAT,NAME": the field is a text from outside, called WHAT in errors, which the flag
//     --NAME reads from a file
//   - names:"task": the field is the number of a task; what the plan of another tool calls it is set in the field Named
//   - names:"artifact": the field is the id of an artifact, of which a user may type the beginning
//   - arg:"N": the field is argument N, counted from 0
//   - ours:"WHAT": only `handoff serve` knows the field: RIP ignores it without a word
package ops

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
)

// About is what can be said of an operation without its types.
type About struct {
	Name   string // of the command
	Help   string // one line
	Args   string // of the command, "THREAD --content TEXT"; "" for none
	More   string // of the command's help, after the usage
	Long   string // of the command's help: what it does, in lines
	Extra  int    // how many arguments of the command are no fields of the request
	Writes bool   // it changes the workspace
	// Records: it writes no more than what a successor needs, which an agent of any level may.
	Records bool
	// Whole: the operation is about all things of its group, so it names none.
	Whole bool
	// Creates: what the path names may not exist.
	Creates bool
	// Partial: the result can be used although there is an error, which is about parts that
	// cannot be read.
	Partial bool

	Path    string // of the route, "/threads/{id}/rename"; "" if there is none
	Method  string // of the route; "" for POST
	RIP     bool   // RIP has the route, too
	ID      string // in the OpenAPI document, if that does not follow from the name
	Summary string // in the OpenAPI document
	Code    int    // of success, if that is not 200
	Refuses []int  // the codes of refusals
	Invalid string // answered to an invalid request: the error itself may repeat parts of it
	Missing string // answered if something is missing that is not what the path names
	Taken   string // answered if what would be created exists
	Again   string // when an earlier request did it; "" for one with the same idempotency key
}

// Op is an operation at S with the request R and the result T.
type Op[S, R, T any] struct {
	About
	// Do does it here; id is what the path names. Without it, each surface does the operation
	// in its own way.
	Do func(at S, ctx context.Context, id string, r R) (T, error)
	// Existed, if not nil, is where the result says that an earlier request did it.
	Existed func(*T) *bool
}

// None is the request of an operation that needs none.
type None struct{}

// Any is an operation at S whose types are not known at compile time. Requests and results are
// pointers.
type Any[S any] interface {
	Described() *About
	Types() (request, result reflect.Type)
	Run(ctx context.Context, at S, id string, request, result any) error
	Repeated(result any) *bool // see Op.Existed; nil if the operation has no keys
}

// Place is where operations are done: here, or on a server.
type Place[S any] interface {
	Perform(ctx context.Context, o Any[S], id string, request, result any) error
}

// On does the operation.
func (o *Op[S, R, T]) On(ctx context.Context, at Place[S], id string, r R) (result T, err error) {
	err = at.Perform(ctx, o, id, &r, &result)
	return result, err
}

func (o *Op[S, R, T]) Described() *About { return &o.About }

func (o *Op[S, R, T]) Types() (request, result reflect.Type) {
	return reflect.TypeFor[R](), reflect.TypeFor[T]()
}

func (o *Op[S, R, T]) Run(ctx context.Context, at S, id string, request, result any) (err error) {
	*result.(*T), err = o.Do(at, ctx, id, *request.(*R))
	return err
}

func (o *Op[S, R, T]) Repeated(result any) *bool {
	if o.Existed == nil {
		return nil
	}
	return o.Existed(result.(*T))
}

// RouteID is the operation's id in the OpenAPI document, among others of a group:
// "thread_rename".
func (a *About) RouteID(group string) string {
	return cmp.Or(a.ID, group+"_"+strings.ReplaceAll(a.Name, "-", "_"))
}

// Verb is the method of the route.
func (a *About) Verb() string { return cmp.Or(a.Method, "POST") }

// PathOf are the parts of the route's path, unescaped.
func (a *About) PathOf(id string) []string {
	parts := strings.Split(strings.TrimPrefix(a.Path, "/"), "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = id
		}
	}
	return parts
}

// Named reports whether the first argument of the command is what the operation is about, and
// no field of its request.
func (a *About) Named(request reflect.Type) bool {
	return a.Args != "" && a.Extra == 0 && !slices.ContainsFunc(Fields(request), func(f reflect.StructField) bool { return f.Tag.Get("arg") == "0" })
}

// Usable reports whether a result has parts that could be read, if the operation has those.
func (a *About) Usable(result any) bool {
	v := reflect.ValueOf(result).Elem()
	return a.Partial && !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0)
}

// Fields are the fields of a request, with those of embedded structs in place.
func Fields(request reflect.Type) (list []reflect.StructField) {
	for _, f := range reflect.VisibleFields(request) {
		if !f.Anonymous && f.IsExported() {
			list = append(list, f)
		}
	}
	return list
}

// InQuery are the fields of a request that is made of parameters, with the field Body; nil if
// the request is a body.
func InQuery(request reflect.Type) (list []reflect.StructField) {
	query := false
	for _, f := range Fields(request) {
		if in := f.Tag.Get("query") != ""; in || f.Name == "Body" || f.Tag.Get("header") != "" {
			list, query = append(list, f), query || in
		}
	}
	if !query {
		return nil
	}
	return list
}
