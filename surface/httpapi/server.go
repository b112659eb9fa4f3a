// Package httpapi serves a workspace over HTTP. Where RIP has a route, requests and
// answers are RIP's.
//
// The package translates between HTTP and the operations of the packages below.
// Errors are problem details (RFC 9457) that never repeat a part of the request or
// of a document, except for the name of an unknown member or parameter, the anchor, ID or
// date of a failed tape query and the findings of a handoff that is refused.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"handoff/internal/admission"
	"handoff/internal/web/listening"
	"handoff/internal/web/openapi"
	"handoff/log/thread"
	"handoff/log/thread/compile/render"
	"handoff/workspace"
	"handoff/workspace/feed"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// Config configures a server. Zero durations and numbers mean the defaults.
type Config struct {
	// Open opens the workspace. It is called for each request, so that changes to
	// the configuration take effect.
	Open    func() (*workspace.Workspace, error)
	Threads *threads.Threads     // closed by the caller after the server; nil: only tapes are served
	Tapes   *tapes.Tapes         // the workspace's own; likewise
	Reads   *workspace.Workspace // that of Threads and Tapes; nil if they are in no store
	Command []string             // runs threads; without it, messages are only acknowledged, as by RIP without a provider
	Runs    int                  // maximum number of concurrent commands; DefaultRuns
	Form    render.Format        // of the context passed to Command; prompt if it has no name
	Budget  int                  // of that context, in tokens; 0 for no limit
	Refs    bool                 // include references in that context
	// RefsText includes the texts of the files and artifacts in that context, and lets clients ask for those of files.
	RefsText bool
	Reason   func(rule string) string // one-line reason for a lint rule
	// Left is how many tokens a session has left: nil if that is never known.
	Left    func(host, session string) (tokens int, ok bool)
	Version string
	NewID   func() string // IDs of sessions; nil: thread.NewUUID
	Log     *slog.Logger

	// Pages makes the handler of pages for people, at / and below /view/; nil: there are none. The server
	// decides who may call it.
	Pages func(ForPages) http.Handler

	Stopping func() // called when Serve stops accepting connections; may be nil

	Token string   // required of clients; "" for none
	Hosts []string // host names that clients may use, besides those of loopback
	// Origins are those whose pages may call the server with the token: see [caller.ParseOrigin]. Without a token
	// none may.
	Origins []string

	Connections int           // maximum number open; DefaultConnections
	Streams     int           // maximum number of event streams; DefaultStreams, or half of the connections
	Body        int64         // maximum bytes of a request body, except an artifact's; DefaultBody
	Bodies      int64         // maximum bytes of bodies in progress, except artifacts; DefaultBodies
	Whole       int64         // maximum bytes of entries built into one answer, and in progress; DefaultWhole
	BodiesWait  time.Duration // how long a request waits for Bodies before it gets 503; 10 s
	KeepAlive   time.Duration // between two comments in an idle stream; 15 s
	Header      time.Duration // to receive a request's header; 10 s
	Idle        time.Duration // without a request until a connection is closed; 2 min
	Write       time.Duration // for one write; 30 s
	Drain       time.Duration // for requests to finish when the server stops; 10 s
	Poll        time.Duration // between two looks at receipts while clients follow /handoffs/events; 250 ms
	Reap        time.Duration // between two searches for runs whose process was killed; 5 s
}

// The default limits. Each connection may hold a body in memory.
const (
	DefaultConnections = 512
	DefaultStreams     = 256
	DefaultBody        = openapi.DefaultBody
	DefaultRuns        = 8
)

// Server serves one workspace.
type Server struct {
	Config
	ops        []openapi.Operation
	api        []byte // the OpenAPI document
	handler    http.Handler
	counters   counters
	streams    atomic.Int64
	background background
	sessions   sessions
	feed       *feed.Feed
	queue      *admission.Queue
	bodies     budget
	wholes     budget
	lints      chan struct{} // holds one value while a check runs
	end        chan struct{} // closed to end streams
	ending     sync.Once
}

// New creates a server.
func New(c Config) *Server {
	fallback(&c.Connections, DefaultConnections)
	fallback(&c.Streams, min(DefaultStreams, max(1, c.Connections/2))) // other requests need connections, too
	fallback(&c.Body, DefaultBody)
	fallback(&c.Runs, DefaultRuns)
	fallback(&c.Bodies, DefaultBodies)
	fallback(&c.Whole, DefaultWhole)
	fallback(&c.BodiesWait, 10*time.Second)
	fallback(&c.KeepAlive, 15*time.Second)
	fallback(&c.Header, 10*time.Second)
	fallback(&c.Idle, 2*time.Minute)
	fallback(&c.Write, 30*time.Second)
	fallback(&c.Drain, 10*time.Second)
	fallback(&c.Reap, 5*time.Second)
	if c.NewID == nil {
		c.NewID = thread.NewUUID
	}
	s := &Server{Config: c, queue: admission.New(int64(c.Runs)), lints: make(chan struct{}, 1), end: make(chan struct{})}
	s.bodies, s.wholes = budget{admission.New(c.Bodies), c.BodiesWait}, budget{admission.New(c.Whole), c.BodiesWait}
	s.background.ctx, s.background.cancel = context.WithCancel(context.Background())
	s.sessions.waiting, s.sessions.runs = map[string]chan struct{}{}, map[string]context.CancelFunc{}
	s.feed = feed.New(feed.Options{Open: c.Open, Poll: c.Poll, Say: func(text string) { s.Log.Warn("the feed of handoffs", "problem", text) }})
	s.mount(s.operations())
	return s
}

func (s *Server) mount(ops []openapi.Operation) {
	for i := range ops {
		fallback(&ops[i].MaxBody, s.Body)
		ops[i].Admit = s.bodies.take
	}
	s.ops, s.api = ops, document(ops)
	s.handler = s.watched(s.guarded(s.withPages(s.sayQueued(s.sameStore(openapi.Mux(ops, s.fail))))))
}

func fallback[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// maxHeader is the maximum size of a request's header, in bytes.
const maxHeader = 32 << 10

// Serve serves requests on l until ctx ends. Then it stops accepting connections,
// ends streams, and waits for other requests and runs to finish. It closes l. It
// can be called once.
func (s *Server) Serve(ctx context.Context, l net.Listener) (err error) {
	defer func() { err = errors.Join(err, s.feed.Close()) }()
	limited := listening.Limit(l, s.Connections+reserve)
	s.counters.connections = limited.Connections
	srv := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: s.Header,
		WriteTimeout:      2 * s.Write, // for answers of net/http itself: see response.Write
		IdleTimeout:       s.Idle,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	srv.RegisterOnShutdown(s.stopStreams) // after it stopped accepting: a client that reconnects at once must not reach it
	if s.Threads != nil {
		s.inBackground(s.reap)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(limited) }()
	select {
	case err := <-served:
		if errors.Is(err, net.ErrClosed) {
			ending(ctx)
		}
		if ctx.Err() == nil {
			s.stopStreams()
			s.background.cancel()
			s.background.all.Wait()
			return errors.Join(err, srv.Close())
		}
		served <- err // the owner of l closed it too: the requested shutdown
	case <-ctx.Done():
	}
	if s.Stopping != nil {
		s.Stopping()
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Drain)
	defer cancel()
	if err = srv.Shutdown(grace); err != nil {
		s.Log.Warn("requests did not end in time", "after", s.Drain)
		err = srv.Close()
	}
	<-served
	s.background.drain(grace)
	return err
}

// ending waits a moment for ctx to end. The owner of a listener closes it when a context above
// ends, and that may be seen before the end reaches ctx.
func ending(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// connKey is the context key of a request's connection.
type connKey struct{}

// reserve is the number of connections beyond Connections. On these only public
// operations are served, so that a health check still gets an answer.
const reserve = 8

var tooManyRequests = &openapi.Refusal{Status: http.StatusServiceUnavailable, Text: "too many concurrent requests: retry later"}

// holding keeps a request's connection open while it is served: see
// [listening.Limit].
func holding(r *http.Request) (done func()) {
	if c, ok := r.Context().Value(connKey{}).(*listening.Conn); ok {
		return c.Serve()
	}
	return func() {}
}

func (s *Server) stopStreams() { s.ending.Do(func() { close(s.end) }) }
