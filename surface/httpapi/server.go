// Package httpapi serves a workspace over HTTP: to RIP's clients as RIP does,
// where RIP has a route, and to others beyond that.
//
// It knows how HTTP says things. What is done, the packages below do, through
// workspace. Errors are problem details (RFC 9457) that never hold a part of
// the request or of a document, but for what a tape was asked for in vain.
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

	"handoff/internal/web/listening"
	"handoff/internal/web/openapi"
	"handoff/thread"
	"handoff/thread/compile/render"
	"handoff/thread/runner"
	"handoff/workspace"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// Config is what a server is made of. Zero durations and numbers are the
// defaults.
type Config struct {
	// Open opens the workspace; it is asked for each request, so that a changed
	// configuration counts.
	Open    func() (*workspace.Workspace, error)
	Threads *threads.Threads         // open as long as the server; closed after it
	Tapes   *tapes.Tapes             // the workspace's own; likewise
	Command []string                 // does the runs of threads; none: they are acknowledged, as RIP does without a provider
	Runs    int                      // commands that run at once; DefaultRuns
	Form    render.Format            // of the context that Command is given; prompt if it has no name
	Budget  int                      // of that context, in tokens; 0 for none
	Refs    bool                     // references in that context, too
	Reason  func(rule string) string // why a rule is there, on one line
	Version string
	NewID   func() string // makes the ids of sessions; nil: thread.NewUUID
	Log     *slog.Logger

	Stopping func() // called when Serve takes in no more; nil: nobody is told

	Token string   // what a client must know; "" for nothing
	Hosts []string // names by which clients may call the server, beside those of loopback

	Connections int           // open at once; DefaultConnections
	Streams     int           // event streams at once; DefaultStreams, or half of the connections
	Body        int64         // bytes of a request's body, unless it is an artifact's; DefaultBody
	Bodies      int64         // bytes of bodies, but for artifacts, that are worked on at once; DefaultBodies
	Whole       int64         // bytes of entries that a request may have made into one answer, and all at once; DefaultWhole
	BodiesWait  time.Duration // that a request waits for the bodies of others, until it is told to come back; 10 s
	KeepAlive   time.Duration // between two signs of life of a stream; 15 s
	Header      time.Duration // in which a request's header must be here; 10 s
	Idle        time.Duration // without a request, until a connection is closed; 2 min
	Write       time.Duration // that one write may take; 30 s
	Drain       time.Duration // for requests to end when the server does; 10 s
	Reap        time.Duration // between two looks for runs whose process was killed; 5 s
}

// The limits of a server that was given no others. Each connection may hold a
// body in memory.
const (
	DefaultConnections = 512
	DefaultStreams     = 256
	DefaultBody        = openapi.DefaultBody
	DefaultRuns        = 8
)

// Server serves one workspace.
type Server struct {
	Config
	ops      []openapi.Operation
	api      []byte // the OpenAPI document
	handler  http.Handler
	counters counters
	streams  atomic.Int64
	later    later
	sessions sessions
	queue    *runner.Queue
	bodies   budget
	wholes   budget
	lints    chan struct{} // held by the one check that runs
	end      chan struct{} // closed when streams are to end
	ending   sync.Once
}

// New makes a server.
func New(c Config) *Server {
	fallback(&c.Connections, DefaultConnections)
	fallback(&c.Streams, min(DefaultStreams, max(1, c.Connections/2))) // others need connections, too
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
	s := &Server{Config: c, queue: runner.NewQueue(c.Runs), lints: make(chan struct{}, 1), end: make(chan struct{})}
	s.bodies.size, s.bodies.wait = c.Bodies, c.BodiesWait
	s.wholes.size, s.wholes.wait = c.Whole, c.BodiesWait
	s.later.ctx, s.later.cancel = context.WithCancel(context.Background())
	s.sessions.waiting, s.sessions.runs = map[string]chan struct{}{}, map[string]context.CancelFunc{}
	s.mount(s.operations())
	return s
}

func (s *Server) mount(ops []openapi.Operation) {
	for i := range ops {
		fallback(&ops[i].MaxBody, s.Body)
		ops[i].Admit = s.bodies.take
	}
	s.ops, s.api = ops, document(ops)
	s.handler = s.watched(s.guarded(openapi.Mux(ops, s.fail)))
}

func fallback[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// maxHeader is the most bytes of a request's header.
const maxHeader = 32 << 10

// Serve answers on l until ctx ends; then it takes in no more, tells streams
// to end, and lets the other requests and the runs finish. It closes l, and
// serves once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	limited := listening.Limit(l, s.Connections+reserve)
	s.counters.connections = limited.Connections
	srv := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: s.Header,
		WriteTimeout:      2 * s.Write, // of what net/http answers by itself: see response.Write
		IdleTimeout:       s.Idle,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	srv.RegisterOnShutdown(s.stopStreams) // it takes in no more then: who comes back at once must not find it
	s.background(s.reap)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(limited) }()
	select {
	case err := <-served:
		s.stopStreams()
		s.later.cancel()
		s.later.all.Wait()
		return errors.Join(err, srv.Close())
	case <-ctx.Done():
	}
	if s.Stopping != nil {
		s.Stopping()
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Drain)
	defer cancel()
	err := srv.Shutdown(grace)
	if err != nil {
		s.Log.Warn("requests did not end in time", "after", s.Drain)
		err = srv.Close()
	}
	<-served
	s.later.drain(grace)
	return err
}

// connKey is that of a request's connection, in its context.
type connKey struct{}

// reserve is how many connections there are beside those that do all the work:
// on these only public operations are served, so that whoever watches over the
// server can still ask how it is.
const reserve = 8

var tooManyRequests = &openapi.Refusal{Status: http.StatusServiceUnavailable, Text: "too many concurrent requests: retry later"}

// holding keeps a request's connection while it is served: see [listening.Limit].
func holding(r *http.Request) (done func()) {
	if c, ok := r.Context().Value(connKey{}).(*listening.Conn); ok {
		return c.Serve()
	}
	return func() {}
}

func (s *Server) stopStreams() { s.ending.Do(func() { close(s.end) }) }
