// Package openapi serves a table of HTTP operations, and describes it as OpenAPI
// 3.1. Decoding, encoding and the description all derive from the Go types of the
// handlers' inputs and outputs, so they always agree.
//
// An input is a struct. Fields tagged path:"…", query:"…" or header:"…" are
// parameters; the field Body, if there is one, is the JSON body. A field of the
// body tagged json:"-" may be a parameter, too. A member of the body may be left
// out or null if its field can be nil or is tagged omitempty or omitzero; blank
// text gets the tag default. A json.RawMessage tagged type:"object" must be a JSON
// object. An object tagged members:"known" refuses unknown members also in a lenient
// operation. The tags enum:"a,b", min, max and maxItems are enforced; doc, pattern and
// format are only documented; so is the tag example of a parameter.
//
// The package does not know what is served. Of the request, which may contain secrets and
// whole documents, its errors repeat only the names of unknown members and parameters.
package openapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/internal/json/jsontext"
)

// Operation is one method of one path.
type Operation struct {
	Method, Path string // path as for http.ServeMux, with parameters in {}
	ID           string // in snake_case
	Summary      string
	Tag          string
	Public       bool  // requires no token
	MaxBody      int64 // in bytes; 0: DefaultBody
	RawBody      bool  // the handler reads the body, of any type
	// Lenient operations ignore unknown members and parameters, and list them in a
	// header: those that other programs' clients call. All others refuse them.
	Lenient bool
	Answers []Answer
	Headers []string // names of the headers that all answers but errors may have
	Example any      // a body, as an example
	Tagged  bool     // answers have an ETag, and are left out if the client has them: see tag
	// Admit, if not nil, waits until a body of so many bytes may be decoded; done
	// is called after the request. It is not called for RawBody.
	Admit func(ctx context.Context, bytes int64) (done func(), err error)

	input reflect.Type
	serve func(lenient bool, w http.ResponseWriter, r *http.Request) error
}

// Answer is a possible answer of an operation.
type Answer struct {
	Code   int
	What   string
	Media  string       // of the body; "" for JSON, or for no body if Type is nil
	Type   reflect.Type // of the JSON body
	Events string       // for a stream, the schema of its events

	Headers []string // names of the headers that it may have
}

// DefaultBody is the maximum size of a body in bytes, unless an operation sets
// its own: that of axum, and so of RIP.
const DefaultBody = 2 << 20

// bodyTime is the time a client has to send a body.
const bodyTime = 30 * time.Second

// Refusal is the error for a request that is rejected. Text repeats no value of
// the request.
type Refusal struct {
	Status int
	Text   string
	Type   string // URI for programs that must recognize the problem; "" for about:blank

	Name, Nearest string // an unknown member or parameter, and the known one that is most like it
}

func (r *Refusal) Error() string { return r.Text }

// Nothing is the input or output of an operation that has none.
type Nothing struct{}

// Headed is an output with headers of its own.
type Headed interface{ SetHeaders(http.Header) }

// Paged is an output that is a part of a list: a JSON array, with the cursor of the next part in the header Link.
type Paged struct {
	List any    // a slice
	Next string // "" if this is the last part
}

// Later is an output whose request may not be done yet; then the answer is 202.
type Later interface{ Later() bool }

// Call is an operation that answers with JSON, or without a body, and one code.
func Call[In, Out any](method, path string, code int, f func(context.Context, In) (Out, error)) Operation {
	return Either(method, path, code, code, "", func(ctx context.Context, in In) (Out, bool, error) {
		out, err := f(ctx, in)
		return out, false, err
	})
}

// Either is a Call with a second code, which is answered if f returns true:
// what describes that answer.
func Either[In, Out any](method, path string, code, other int, what string, f func(context.Context, In) (Out, bool, error)) Operation {
	return Typed(method, path, code, other, what, reflect.TypeFor[In](), reflect.TypeFor[Out](), func(ctx context.Context, in reflect.Value) (any, bool, error) {
		return f(ctx, in.Interface().(In))
	})
}

// Typed is Either for types that are known only at run time: f gets a value of the type in,
// and returns one of the type out.
func Typed(method, path string, code, other int, what string, in, out reflect.Type, f func(ctx context.Context, in reflect.Value) (out any, second bool, err error)) Operation {
	answer := Answer{Code: code, What: http.StatusText(code)}
	if out != reflect.TypeFor[Nothing]() {
		answer.Type = out
	}
	op := raw(method, path, in, func(w http.ResponseWriter, r *http.Request, in reflect.Value) error {
		v, second, err := f(r.Context(), in)
		if err != nil {
			return err
		}
		status := code
		if second {
			status = other
		}
		if l, ok := v.(Later); ok && l.Later() {
			status = http.StatusAccepted
		}
		if h, ok := v.(Headed); ok {
			h.SetHeaders(w.Header())
		}
		if p, ok := v.(Paged); ok {
			link(w.Header(), r.URL, p.Next)
			v = p.List
		}
		if answer.Type == nil {
			w.WriteHeader(status)
			return nil
		}
		return WriteJSON(w, status, v)
	})
	op.Answers = []Answer{answer}
	if other != code {
		op.Answers = append(op.Answers, Answer{Code: other, What: what, Type: answer.Type})
	}
	return op
}

// link names the next part of a list (RFC 8288): the same request from there on.
func link(h http.Header, u *url.URL, next string) {
	if next == "" {
		return
	}
	query := u.Query()
	query.Set("after", next)
	query.Del("offset")
	h.Set("Link", "<"+u.EscapedPath()+"?"+query.Encode()+`>; rel="next"`)
}

// Raw is an operation that writes its answer itself; its Answers describe what
// that can be. An error must come before anything is written.
func Raw[In any](method, path string, f func(http.ResponseWriter, *http.Request, In) error) Operation {
	return raw(method, path, reflect.TypeFor[In](), func(w http.ResponseWriter, r *http.Request, in reflect.Value) error {
		return f(w, r, in.Interface().(In))
	})
}

func raw(method, path string, input reflect.Type, f func(http.ResponseWriter, *http.Request, reflect.Value) error) Operation {
	op := Operation{Method: method, Path: path, input: input}
	op.serve = func(lenient bool, w http.ResponseWriter, r *http.Request) error {
		in := reflect.New(input).Elem()
		ignored, err := read(r, in, lenient)
		if err != nil {
			return err
		}
		sayIgnored(w.Header(), ignored)
		return f(w, r, in)
	}
	return op
}

// Ignored is the header with what a lenient operation ignored.
const Ignored = "Handoff-Ignored"

// maxIgnored is how many names the header has at most.
const maxIgnored = 20

func sayIgnored(h http.Header, names []string) {
	for _, name := range names[:min(len(names), maxIgnored)] {
		h.Add(Ignored, strings.Trim(strconv.QuoteToASCII(fmt.Sprintf("%.60s", name)), `"`))
	}
}

// Says sets the tag, ID, summary and further answers of an operation.
func (op Operation) Says(tag, id, summary string, more ...Answer) Operation {
	op.Tag, op.ID, op.Summary = tag, id, summary
	op.Answers = append(slices.Clone(op.Answers), more...)
	return op
}

// JSON is an answer with a body of that type.
func JSON[T any](code int, what string) Answer {
	return Answer{Code: code, What: what, Type: reflect.TypeFor[T]()}
}

// hasBody reports whether the input has a JSON body.
func (op *Operation) hasBody() bool {
	_, ok := op.input.FieldByName("Body")
	return ok
}

// WriteJSON writes a value on one line, without a line end and without escaping
// "<", as RIP does. A list is sent while it is encoded, so that its length needs
// no more memory.
func WriteJSON(w http.ResponseWriter, code int, v any) error {
	if list := reflect.ValueOf(v); isList(list) {
		return writeList(w, code, list)
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	w.Write(text)
	return nil
}
