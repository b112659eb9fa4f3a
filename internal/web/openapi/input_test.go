package openapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"handoff/internal/json/jsontext"
)

type inner struct {
	Enabled *bool `json:"enabled" doc:"x"`
}

type payload struct {
	Content string          `json:"content" doc:"x"`
	Title   *string         `json:"title" doc:"x"`
	FromSeq *uint64         `json:"from_seq" doc:"x"`
	Stride  *int64          `json:"stride" doc:"x" min:"1"`
	Dry     *bool           `json:"dry" doc:"x"`
	Include []string        `json:"include" doc:"x"`
	Search  *inner          `json:"search" doc:"x"`
	Mode    *string         `json:"mode" doc:"x" enum:"fast,slow"`
	Any     json.RawMessage `json:"any" doc:"x"`
	Score   *float64        `json:"score" doc:"x"`
	Object  json.RawMessage `json:"object,omitempty" type:"object" doc:"x"`
}

type input struct {
	ID   string   `path:"id" doc:"x"`
	N    int      `query:"n" default:"7" min:"1" max:"10" doc:"x"`
	Of   []string `query:"of" doc:"x"`
	From *uint64  `header:"Last-Event-ID" doc:"x"`
	Body payload
}

// ask sends a request to one operation and returns what it read, or the
// refusal.
func ask(t *testing.T, r *http.Request) (got *input, refused *Refusal) {
	t.Helper()
	ops := []Operation{Call("POST", "/x/{id}", 200, func(_ context.Context, in input) (Nothing, error) {
		got = &in
		return Nothing{}, nil
	}).Says("x", "x", "x")}
	ops[0].Lenient = true // as RIP
	Mux(ops, func(w http.ResponseWriter, _ *http.Request, err error) {
		if !errors.As(err, &refused) {
			t.Error(err)
		}
	}).ServeHTTP(httptest.NewRecorder(), r)
	return got, refused
}

func post(path, body string) *http.Request {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// TestRefusedBodies has RIP's codes, which are axum's and serde's.
func TestRefusedBodies(t *testing.T) {
	const secret = "s3cr3t"
	for body, want := range map[string]int{
		``:                               400,
		`{`:                              400,
		`{"content":"x"} x`:              400,
		`{"content":"x",}`:               400,
		"{\"content\":\"\xff\"}":         400,
		`{"content":"\ud800"}`:           400,
		`{"content":"\udc00x"}`:          400,
		`{"content":"\ud83d\u0041"}`:     400,
		"\ufeff{}":                       400,
		`null`:                           422,
		`[]`:                             422,
		`"` + secret + `"`:               422,
		`{}`:                             422,
		`{"Content":"x"}`:                422,
		`{"content":null}`:               422,
		`{"content":1}`:                  422,
		`{"content":"x","content":"y"}`:  422,
		`{"content":"x","from_seq":-1}`:  422,
		`{"content":"x","from_seq":1.5}`: 422,
		`{"content":"x","from_seq":1.0}`: 422,
		`{"content":"x","from_seq":1e2}`: 422,
		`{"content":"x","from_seq":"1"}`: 422,
		`{"content":"x","from_seq":18446744073709551616}`:       422,
		`{"content":"x","stride":"0"}`:                          422,
		`{"content":"x","stride":0}`:                            400,
		`{"content":"x","dry":"true"}`:                          422,
		`{"content":"x","dry":0}`:                               422,
		`{"content":"x","include":"a"}`:                         422,
		`{"content":"x","include":[1]}`:                         422,
		`{"content":"x","include":[null]}`:                      422,
		`{"content":"x","search":true}`:                         422,
		`{"content":"x","search":{"enabled":"` + secret + `"}}`: 422,
		`{"content":"x","mode":"` + secret + `"}`:               422,
		`{"content":"x","score":1e999}`:                         400,
		`{"content":"x","object":[]}`:                           422,
		`{"content":"x","object":"` + secret + `"}`:             422,
	} {
		got, refused := ask(t, post("/x/1", body))
		switch {
		case refused == nil:
			t.Errorf("%s: taken as %+v", body, got)
		case refused.Status != want:
			t.Errorf("%s: %d (%s), want %d", body, refused.Status, refused.Text, want)
		case strings.Contains(refused.Text, secret):
			t.Errorf("%s: echoed: %s", body, refused.Text)
		}
	}
}

func TestTakenBodies(t *testing.T) {
	yes, seq, title, score := true, uint64(18446744073709551615), "é😀\ufffd", 2.5
	for body, want := range map[string]payload{
		`{"content":""}`: {},
		` { "content" : "x", "title":null, "from_seq":null, "include":null, "search":null, "mode":null, "unknown":{"a":[1]} } `: {Content: "x"},
		`{"content":"x","from_seq":18446744073709551615,"dry":true,"score":2.5}`:                                                {Content: "x", FromSeq: &seq, Dry: &yes, Score: &score},
		`{"content":"\u0041\\ud800","title":"\u00e9\ud83d\ude00\ufffd"}`:                                                        {Content: `A\ud800`, Title: &title},
		`{"content":"x","object":{"b": 1.0,"a":[]}}`:                                                                            {Content: "x", Object: json.RawMessage(`{"b": 1.0,"a":[]}`)},
		`{"content":"x","object":null}`:                                                                                         {Content: "x"},
		`{"content":"x","include":["a","b"],"search":{"enabled":true,"x":1},"any":{"b": 1.0}}`: {
			Content: "x", Include: []string{"a", "b"}, Search: &inner{&yes}, Any: json.RawMessage(`{"b": 1.0}`)},
	} {
		got, refused := ask(t, post("/x/1", body))
		if refused != nil {
			t.Errorf("%s: %v", body, refused)
		} else if diff := cmp.Diff(want, got.Body); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

func TestContentType(t *testing.T) {
	for contentType, want := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "application/vnd.api+json": true, "Application/JSON": true,
		"": false, "text/json": false, "text/plain": false, "application/x-www-form-urlencoded": false, "application/jsonx": false,
		"application/json;": true, ";;": false,
	} {
		r := post("/x/1", `{"content":"x"}`)
		if r.Header.Set("Content-Type", contentType); contentType == "" {
			r.Header.Del("Content-Type")
		}
		_, refused := ask(t, r)
		if taken := refused == nil; taken != want || !taken && refused.Status != 415 {
			t.Errorf("%q: %v", contentType, refused)
		}
	}
}

func TestParameters(t *testing.T) {
	got, refused := ask(t, post("/x/a%2Fb%20c?n=10&m=1", `{"content":"x"}`))
	if refused != nil || got.ID != "a/b c" || got.N != 10 || got.From != nil {
		t.Errorf("%+v, %v", got, refused)
	}
	r := post("/x/1", `{"content":"x"}`)
	r.Header.Set("Last-Event-ID", "5")
	if got, refused = ask(t, r); refused != nil || got.N != 7 || *got.From != 5 {
		t.Errorf("%+v, %v", got, refused)
	}
	if got, refused = ask(t, post("/x/1?of=a%20b&n=1&of=", `{"content":"x"}`)); refused != nil || cmp.Diff(got.Of, []string{"a b", ""}) != "" {
		t.Errorf("%+v, %v", got, refused)
	}
	if got, refused = ask(t, post("/x/1", `{"content":"x"}`)); refused != nil || got.Of != nil {
		t.Errorf("%+v, %v", got, refused)
	}
	for _, target := range []string{"/x/1?of=a&of=%ff", "/x/1?n=0", "/x/1?n=11", "/x/1?n=x", "/x/1?n=", "/x/1?n=99999999999999999999", "/x/%ff"} {
		if _, refused := ask(t, post(target, `{"content":"x"}`)); refused == nil || refused.Status != 400 {
			t.Errorf("%s: %v", target, refused)
		}
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		method, target string
		want           int
	}{
		{"GET", "/", 404}, {"GET", "/x", 404}, {"GET", "/x/", 404}, {"GET", "/x/1/2", 404},
		{"GET", "/x/..", 404}, {"GET", "//x/1", 404}, {"POST", "/x/../x/1", 404}, {"POST", "/x/./1", 404},
		{"GET", "/x/1", 405}, {"HEAD", "/x/1", 405}, {"OPTIONS", "/x/1", 405}, {"DELETE", "/x/1", 405},
	} {
		r := post("/", "{}")
		r.Method, r.URL.Path = c.method, c.target
		if _, refused := ask(t, r); refused == nil || refused.Status != c.want {
			t.Errorf("%s %s: %v, want %d", c.method, c.target, refused, c.want)
		}
	}
}

func TestBodyLimit(t *testing.T) {
	large := `{"content":"` + strings.Repeat("x", DefaultBody) + `"}`
	if _, refused := ask(t, post("/x/1", large)); refused == nil || refused.Status != 413 {
		t.Errorf("announced: %v", refused)
	}
	r := post("/x/1", large)
	r.ContentLength = -1
	if _, refused := ask(t, r); refused == nil || refused.Status != 413 {
		t.Errorf("streamed: %v", refused)
	}
	just := `{"content":"` + strings.Repeat("x", DefaultBody-len(`{"content":""}`)) + `"}`
	if got, refused := ask(t, post("/x/1", just)); refused != nil || len(got.Body.Content) < DefaultBody-100 {
		t.Errorf("just so: %v", refused)
	}
}

func FuzzBody(f *testing.F) {
	f.Add(`{"content":"x","title":null,"from_seq":3,"search":{"enabled":true}}`)
	f.Add(`{"content":"\ud83d\ude00","any":[1,2.0,"x"]}`)
	f.Fuzz(func(t *testing.T, body string) {
		_, refused := ask(t, post("/x/1", body))
		var peer any
		err := json.Unmarshal([]byte(body), &peer)
		switch {
		case refused == nil && err != nil:
			t.Errorf("taken, but encoding/json says %v", err)
		case refused != nil && refused.Status == 400 && jsontext.Strict.Check(body) == nil:
			t.Errorf("refused as no JSON: %s", refused.Text)
		}
	})
}

// request is a type that a client also sends.
type request struct {
	Actor string          `json:"actor,omitempty" default:"user" doc:"x"`
	Dry   bool            `json:"dry,omitempty" doc:"x"`
	Refs  inner           `json:"refs,omitzero" doc:"x"`
	State json.RawMessage `json:"state" type:"object" doc:"x"`
	Key   string          `json:"-" header:"Idempotency-Key" doc:"x"`
	Local func()          `json:"-"`
}

// TestRequestTypes: members that a client leaves out may be left out or null,
// blank text gets its default, and a field of the body may be a header.
func TestRequestTypes(t *testing.T) {
	var got request
	existed := false
	ops := []Operation{Either("POST", "/x", 201, 200, "Replayed", func(_ context.Context, in struct{ Body request }) (Nothing, bool, error) {
		got = in.Body
		return Nothing{}, existed, nil
	}).Says("x", "x", "x")}
	ops[0].Lenient = true
	serve := func(body string) (code int) {
		mux := Mux(ops, func(w http.ResponseWriter, _ *http.Request, err error) {
			var refused *Refusal
			if errors.As(err, &refused) {
				w.WriteHeader(refused.Status)
			}
		})
		r := post("/x", body)
		r.Header.Set("Idempotency-Key", "k")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		return w.Code
	}
	for body, want := range map[string]request{
		`{"state":{"a":1}}`: {Actor: "user", State: json.RawMessage(`{"a":1}`), Key: "k"},
		`{"state":{},"actor":null,"dry":null,"refs":null}`:                 {Actor: "user", State: json.RawMessage(`{}`), Key: "k"},
		`{"state":{},"actor":" \t","dry":true,"refs":{"enabled":true}}`:    {Actor: "user", Dry: true, Refs: inner{Enabled: new(true)}, State: json.RawMessage(`{}`), Key: "k"},
		`{"state":{},"actor":"alice","Key":"other","-":"x","Local":"ign"}`: {Actor: "alice", State: json.RawMessage(`{}`), Key: "k"},
	} {
		if code := serve(body); code != 201 || !cmp.Equal(got, want) {
			t.Errorf("%s: %d, %s", body, code, cmp.Diff(want, got))
		}
	}
	for _, body := range []string{`{}`, `{"state":null}`, `{"state":[]}`, `{"state":{},"dry":"x"}`, `{"state":{},"refs":1}`} {
		if code := serve(body); code != 422 {
			t.Errorf("%s: %d, want 422", body, code)
		}
	}
	if existed = true; serve(`{"state":{}}`) != 200 {
		t.Error("the second code is not answered")
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ In, Name string }
			Responses  map[string]any
		}
		Components struct {
			Schemas map[string]struct {
				Required   []string
				Properties map[string]map[string]any
			}
		}
	}
	if err := json.Unmarshal(Document(Info{Problem: reflect.TypeFor[struct{}]()}, ops), &doc); err != nil {
		t.Fatal(err)
	}
	op, schema := doc.Paths["/x"]["post"], doc.Components.Schemas["Request"]
	if len(op.Parameters) != 1 || op.Parameters[0].Name != "Idempotency-Key" || op.Responses["200"] == nil || op.Responses["201"] == nil {
		t.Errorf("%+v", op)
	}
	if len(schema.Required) != 1 || schema.Required[0] != "state" || len(schema.Properties) != 4 || schema.Properties["actor"]["default"] != nil {
		t.Errorf("%+v", schema)
	}
}
