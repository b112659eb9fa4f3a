// Package scriptedmodel serves a fake language model on loopback that answers as
// a test's script specifies, in the wire formats of Anthropic (Messages), OpenAI
// (Responses and Chat Completions) and Google (generateContent). Real agents
// connect to it instead of to their vendor, so a test sees what an agent sends to
// its model and decides what the model does: text, tool calls, token counts,
// errors. It knows nothing of handoffs.
package scriptedmodel

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Request is what an agent asked the model.
type Request struct {
	Wire  string   // "messages", "responses", "generate" or "chat"
	Turn  int      // 1 for the agent's first request with tools; 0 for requests without tools, such as those for a title or a summary
	Tools []string // the names of the tools that the model may call
	Texts []string // every string in the request's body, in the order of their place in it
	Last  string   // the last message that is not one of the system, its strings joined by newlines
	Body  string   // all of it, as it was sent
}

// Contains reports whether one of the request's strings contains text.
func (r Request) Contains(text string) bool {
	return slices.ContainsFunc(r.Texts, func(s string) bool { return strings.Contains(s, text) })
}

// Answer is what the model does.
type Answer struct {
	Text   string
	Calls  []Call
	Input  int  // tokens of the request, as the model counts them; 1,000 if 0
	Output int  // tokens of the answer; 10 if 0
	Status int  // an HTTP status other than 200: the request fails with Text as the error's message
	Hang   bool // send nothing until the agent disconnects

	Header map[string]string // more headers of the answer
	Body   string            // of a failed request, word for word; "" for an error whose message is Text
}

// Call is a call of a tool.
type Call struct {
	Name  string // as in Request.Tools
	Input map[string]any
}

// Script answers requests. Calls do not overlap.
type Script func(Request) Answer

// Server is a model that runs until the test ends.
type Server struct {
	URL string

	mu       sync.Mutex
	script   Script
	turns    int
	requests []Request
}

// Start serves a model until the test ends. A request that the script cannot be
// asked about, because it is not one to a model, is answered with 404.
func Start(t testing.TB, script Script) *Server {
	t.Helper()
	s := &Server{script: script}
	ended, end := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(ended, w, r) }))
	t.Cleanup(func() {
		end() // first: Close waits for answers that hang
		server.CloseClientConnections()
		server.Close()
	})
	s.URL = server.URL
	return s
}

// Requests lists the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Turns lists the requests that offered tools: those of the agent's own work.
func (s *Server) Turns() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Turn == 0 })
}

// wire is one of the formats: how a request is recognised and answered.
type wire struct {
	name   string
	path   string // part of the URL's path
	dialog string // the body's field with the messages
	write  func(w *events, r asked, a Answer)
}

// asked is what an answer repeats of its request.
type asked struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	number int
}

var wires = []wire{
	{"messages", "/v1/messages", "messages", writeMessages},
	{"responses", "/v1/responses", "input", writeResponses},
	{"generate", "enerateContent", "contents", writeGenerate},
	{"chat", "/chat/completions", "messages", writeChat},
}

func (s *Server) serve(ended context.Context, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the agent has exited
	}
	if path := strings.ToLower(r.URL.Path); strings.Contains(path, "count_tokens") || strings.Contains(path, "counttokens") {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"input_tokens":1000,"totalTokens":1000}`)
		return
	}
	at := slices.IndexFunc(wires, func(one wire) bool { return strings.Contains(r.URL.Path, one.path) })
	if at < 0 {
		http.NotFound(w, r)
		return
	}
	format := wires[at]
	var of asked
	if err := json.Unmarshal(body, &of); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if format.name == "generate" {
		of.Stream = strings.Contains(r.URL.Path, "stream")
	}
	a := s.ask(request(format, body), &of)
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	switch {
	case a.Hang:
		select {
		case <-r.Context().Done():
		case <-ended.Done():
		}
	case a.Status != 0 && a.Status != http.StatusOK:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		if a.Body != "" {
			io.WriteString(w, a.Body)
			return
		}
		json.NewEncoder(w).Encode(object{"type": "error", "error": object{"type": "api_error", "code": a.Status, "message": a.Text}})
	default:
		format.write(&events{w: w}, of, a)
	}
}

// ask runs the script and counts the turns.
func (s *Server) ask(r Request, of *asked) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(r.Tools) > 0 {
		s.turns++
		r.Turn = s.turns
	}
	s.requests = append(s.requests, r)
	of.number = len(s.requests)
	a := s.script(r)
	if a.Input == 0 {
		a.Input = 1000
	}
	if a.Output == 0 {
		a.Output = 10
	}
	return a
}

func request(format wire, body []byte) Request {
	var fields map[string]any
	json.Unmarshal(body, &fields) // decoded once already
	r := Request{Wire: format.name, Texts: texts(nil, fields), Body: string(body)}
	dialog, _ := fields[format.dialog].([]any)
	for len(dialog) > 1 && roleOf(dialog[len(dialog)-1]) == "system" { // of the host, after the user's
		dialog = dialog[:len(dialog)-1]
	}
	if len(dialog) > 0 {
		r.Last = strings.Join(texts(nil, dialog[len(dialog)-1]), "\n")
	}
	tools, _ := fields["tools"].([]any)
	for _, tool := range tools {
		r.Tools = append(r.Tools, names(tool)...)
	}
	return r
}

func roleOf(message any) string {
	fields, _ := message.(map[string]any)
	role, _ := fields["role"].(string)
	return role
}

// names are the names of a tool's definition: of the tool itself, of an OpenAI
// function, of Google's list of declarations, or of the tools of an OpenAI
// namespace, as NAMESPACE/NAME.
func names(tool any) []string {
	fields, _ := tool.(map[string]any)
	name, named := fields["name"].(string)
	if inner, ok := fields["tools"].([]any); ok && named {
		var all []string
		for _, one := range inner {
			for _, short := range names(one) {
				all = append(all, name+"/"+short)
			}
		}
		return all
	}
	if named {
		return []string{name}
	}
	if function, ok := fields["function"]; ok {
		return names(function)
	}
	var all []string
	declarations, _ := fields["functionDeclarations"].([]any)
	for _, one := range declarations {
		all = append(all, names(one)...)
	}
	return all
}

// texts appends every string of a JSON value; members in the order of their names.
func texts(to []string, value any) []string {
	switch v := value.(type) {
	case string:
		return append(to, v)
	case []any:
		for _, one := range v {
			to = texts(to, one)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			to = texts(to, v[key])
		}
	}
	return to
}
