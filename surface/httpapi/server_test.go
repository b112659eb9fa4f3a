package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"handoff/internal/web/listening"
	"handoff/internal/web/openapi"
	"handoff/lint/rules"
	"handoff/surface/problem"
	"handoff/workspace"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// TestMain also checks that the tests have seen a right answer of each operation: all answers are compared with
// the OpenAPI document, so no row of it is untried.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		whole := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && !testing.Short()
		if missing := untried(); code == 0 && whole && len(missing) > 0 {
			fmt.Printf("no test gets a right answer of %s\n", strings.Join(missing, ", "))
			code = 1
		}
		os.Exit(code)
	}))
}

// answered are the operations of which a test has got an answer that is no error.
var answered sync.Map

func untried() (ids []string) {
	for _, op := range (&Server{Config: Config{Threads: new(threads.Threads)}}).operations() {
		if _, ok := answered.Load(op.ID); !ok {
			ids = append(ids, op.ID)
		}
	}
	return ids
}

const exampleDocument = "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"

// server is a server on a copy of the example, with its own listener.
type server struct {
	*Server
	t    *testing.T
	root string
	url  string
	log  *lockedBuffer

	client *http.Client
	stop   func() error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serve starts a server; change, if not nil, changes its configuration, and ops
// are additional operations.
func serve(t *testing.T, change func(*Config), ops ...openapi.Operation) *server {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../specs/example")); err != nil {
		t.Fatal(err)
	}
	return serveIn(t, root, change, ops...)
}

// serveIn starts a server on a folder.
func serveIn(t *testing.T, root string, change func(*Config), ops ...openapi.Operation) *server {
	t.Helper()
	s := &server{t: t, root: root, log: new(lockedBuffer)}
	o := workspace.Options{Rules: rules.All, Now: func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) }}
	c := Config{
		Open:    func() (*workspace.Workspace, error) { return workspace.Open(root, o) },
		Version: "1.2.3", Poll: 5 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(s.log, nil)),
	}
	ws, err := workspace.Open(root, o)
	if err != nil {
		t.Fatal(err)
	}
	threads, err := threads.In(t.Context(), ws, true)
	if err != nil {
		t.Fatal(err)
	}
	tapes, err := tapes.In(ws, "", true)
	if err != nil {
		t.Fatal(err)
	}
	c.Threads, c.Tapes = threads, tapes
	if change != nil {
		change(&c)
	}
	s.Server = New(c)
	if len(ops) > 0 {
		s.mount(append(s.operations(), ops...))
	}
	l, err := listening.Open("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	s.url = listening.Name(l)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	transport := &http.Transport{}
	s.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.stop = sync.OnceValue(func() error {
		cancel()
		err := <-ended
		transport.CloseIdleConnections()
		return errors.Join(err, threads.Close(), tapes.Close())
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("the server ended: %v", err)
		}
	})
	return s
}

// TestServeUntilItsListenerEnds ends the context and the listener at once, as `handoff
// serve` does: if the server notices the listener first, that is not an error either.
func TestServeUntilItsListenerEnds(t *testing.T) {
	config := serve(t, nil).Config
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		l := &endingListener{end: cancel, closed: make(chan struct{})}
		if err := New(config).Serve(lateContext{ctx, l.closed}, l); err != nil {
			t.Fatal(err)
		}
	}
}

// TestServeBeforeItsContextEnds: the listener is closed because a context above ends, and the server
// sees that before its own context ends.
func TestServeBeforeItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := &endingListener{end: func() { time.AfterFunc(20*time.Millisecond, cancel) }, closed: make(chan struct{})}
	if err := New(serve(t, nil).Config).Serve(ctx, l); err != nil {
		t.Fatal(err)
	}
}

// endingListener ends a context, and itself.
type endingListener struct {
	end    func()
	once   sync.Once
	closed chan struct{}
}

func (l *endingListener) Accept() (net.Conn, error) {
	l.end()
	return nil, net.ErrClosed
}

func (l *endingListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (*endingListener) Addr() net.Addr { return &net.TCPAddr{} }

// lateContext is only examined after the listener was closed.
type lateContext struct {
	context.Context
	closed chan struct{}
}

func (c lateContext) Done() <-chan struct{} {
	<-c.closed
	for range 100 {
		runtime.Gosched()
	}
	return c.Context.Done()
}

type answer struct {
	*http.Response
	body string
}

// ask sends a request and checks the answer against the OpenAPI document.
func (s *server) ask(method, path, body string, header ...string) answer {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	return s.send(r, header...)
}

func (s *server) send(r *http.Request, header ...string) answer {
	s.t.Helper()
	for i := 0; i < len(header); i += 2 {
		if r.Header.Add(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{resp, string(text)}
	s.check(r, a)
	return a
}

// want is ask, and also compares the status.
func (s *server) want(code int, method, path, body string, header ...string) answer {
	s.t.Helper()
	a := s.ask(method, path, body, header...)
	if a.StatusCode != code {
		s.t.Errorf("%s %s: %d, want %d: %s", method, path, a.StatusCode, code, a.body)
	}
	return a
}

// check compares an answer with the OpenAPI document: its status, its media
// type, and its JSON.
func (s *server) check(r *http.Request, a answer) {
	s.t.Helper()
	where := r.Method + " " + r.URL.Path + ": "
	method, media := r.Method, ""
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, op := range s.ops {
		mux := http.NewServeMux()
		mux.HandleFunc(op.Path, func(http.ResponseWriter, *http.Request) {})
		if _, pattern := mux.Handler(r); pattern == "" || op.Method != method {
			continue
		}
		for _, ans := range op.Answers {
			if ans.Code == a.StatusCode && ans.Code >= 400 && ans.Type != nil && method == r.Method {
				s.validate(where, a.body, "/paths/"+escape(op.Path)+"/"+strings.ToLower(op.Method)+"/responses/"+strconv.Itoa(ans.Code)+"/content/application~1problem+json/schema")
				s.typed(where, a)
			}
			if ans.Code != a.StatusCode || ans.Code >= 400 {
				continue
			}
			answered.Store(op.ID, true)
			s.headers(where, a, op.HeadersOf(ans))
			if media = ans.Media; ans.Type != nil && media == "" {
				media = "application/json"
			}
			if ct := a.Header.Get("Content-Type"); media != "" && ct != media && !strings.HasPrefix(ct, "multipart/byteranges") {
				s.t.Errorf("%s%d is %s, not %s", where, a.StatusCode, ct, media)
			}
			if ans.Type != nil && r.Method != http.MethodHead {
				s.validate(where, a.body, "/paths/"+escape(op.Path)+"/"+strings.ToLower(op.Method)+"/responses/"+strconv.Itoa(ans.Code)+"/content/application~1json/schema")
			}
			return
		}
	}
	if a.StatusCode < 400 {
		s.t.Errorf("%s%d is not described", where, a.StatusCode)
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	s.headers(where, a, problemHeaders)
	if ct := a.Header.Get("Content-Type"); ct != openapi.ProblemMedia {
		s.t.Errorf("%s%d is %s: %s", where, a.StatusCode, ct, a.body)
	}
	s.validate(where, a.body, "/components/schemas/Problem")
	s.typed(where, a)
}

// typed checks that programs can tell a problem from others with its status. For some
// statuses there is nothing to tell apart.
func (s *server) typed(where string, a answer) {
	s.t.Helper()
	p := into[problem.Problem](a)
	k := problem.Find(p.Type)
	switch {
	case k != nil && (p.Title != k.Title || p.Status != a.StatusCode):
		s.t.Errorf("%s%d: %s", where, a.StatusCode, a.body)
	case k == nil && !slices.Contains([]int{400, 401, 404, 405, 408, 413, 415, 416, 500}, a.StatusCode):
		s.t.Errorf("%s%d has no type of its own: %s", where, a.StatusCode, a.body)
	}
	if seconds := a.Header.Get("Retry-After"); seconds != "" != (p.RetryAfter > 0) || seconds != "" && seconds != fmt.Sprint(p.RetryAfter) {
		s.t.Errorf("%sRetry-After is %q: %s", where, seconds, a.body)
	}
}

// everywhere are headers of HTTP itself, and those that need no words.
var everywhere = []string{"Content-Type", "Content-Length", "Transfer-Encoding", "Date", "Connection", "X-Content-Type-Options", "X-Accel-Buffering", "Vary"}

// headers checks that the headers of an answer are described.
func (s *server) headers(where string, a answer, described []string) {
	s.t.Helper()
	for name := range a.Header {
		if !slices.ContainsFunc(slices.Concat(everywhere, described), func(d string) bool { return strings.EqualFold(d, name) }) {
			s.t.Errorf("%s%d: the header %s: %s is not described", where, a.StatusCode, name, a.Header.Get(name))
		}
	}
}

func escape(path string) string { return strings.ReplaceAll(path, "/", "~1") }

// schemas are those of the documents that servers have published: most of the time of these
// tests was to compile the same ones for each answer.
var schemas = struct {
	sync.Mutex
	compiled map[[2]string]*jsonschema.Schema
}{compiled: map[[2]string]*jsonschema.Schema{}}

// schemaOf returns the schema that a document has at this pointer.
func schemaOf(document, pointer string) (*jsonschema.Schema, error) {
	schemas.Lock()
	defer schemas.Unlock()
	key := [2]string{document, pointer}
	if known := schemas.compiled[key]; known != nil {
		return known, nil
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("http://x/openapi.json", doc); err != nil {
		return nil, err
	}
	schema, err := c.Compile("http://x/openapi.json#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
	schemas.compiled[key] = schema
	return schema, err
}

func (s *server) validate(where, body, pointer string) {
	s.t.Helper()
	schema, err := schemaOf(string(s.api), pointer)
	if err != nil {
		s.t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		s.t.Errorf("%s%v: %.200s", where, err, body)
		return
	}
	if err := schema.Validate(v); err != nil {
		s.t.Errorf("%s%v: %.200s", where, err, body)
	}
}

// into decodes a JSON answer.
func into[T any](a answer) (v T) {
	json.Unmarshal([]byte(a.body), &v)
	return v
}

func (s *server) path(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

// dial opens a raw connection.
func (s *server) dial() net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}
