package mcp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/internal/web/caller"
	"handoff/internal/web/listening"
)

// Path is where the server answers over HTTP.
const Path = "/mcp"

// The limits of the server over HTTP.
const (
	maxConnections = 256
	maxBody        = 2 << 20 // bytes; a document has at most 1 MiB
	headerTime     = 10 * time.Second
	idleTime       = 2 * time.Minute
	answerTime     = time.Minute // to read a request, do it and answer
	stopTime       = 5 * time.Second
)

// Access controls who may use the server over HTTP.
type Access struct {
	Token string   // required of clients; "" for none
	Hosts []string // host names that clients may use, besides those of loopback
}

// Serve serves clients over HTTP on l until ctx ends. It closes l. It keeps no sessions:
// clients of either era can send each request to another process.
func (s *Server) Serve(ctx context.Context, l net.Listener, access Access) error {
	log := slog.NewLogLogger(s.config.Log.Handler(), slog.LevelDebug)
	srv := &http.Server{Handler: s.Handler(access), ReadHeaderTimeout: headerTime, ReadTimeout: answerTime, WriteTimeout: answerTime,
		IdleTimeout: idleTime, MaxHeaderBytes: 32 << 10, ErrorLog: log, ConnContext: withConn}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listening.Limit(l, maxConnections)) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err := srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-served
	return err
}

// connKey is the context key of a request's connection.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// Handler answers requests that the user sent: a web page can make a browser send others.
func (s *Server) Handler(access Access) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(Path, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.sdk }, &sdk.StreamableHTTPOptions{
		Stateless:                    true, // needed by 2026-07-28; earlier clients work without a session, too
		JSONResponse:                 true, // the server sends nothing but answers
		Logger:                       s.config.Log,
		MaxRequestBodyBytes:          maxBody,
		PropagateRequestCancellation: true,
		DisableLocalhostProtection:   true, // checked below, with the names of Access
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*listening.Conn); ok {
			defer c.Serve()()
		}
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		switch {
		case !caller.KnownHost(r, access.Hosts):
			http.Error(w, "unknown host name: allow it with `handoff mcp --host`", http.StatusMisdirectedRequest)
		case !caller.SameOrigin(r):
			http.Error(w, "the request comes from a page with another origin", http.StatusForbidden)
		case !caller.HasToken(r, access.Token):
			h.Set("WWW-Authenticate", `Bearer realm="handoff"`)
			http.Error(w, "want the header Authorization: Bearer with the server's token", http.StatusUnauthorized)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}
