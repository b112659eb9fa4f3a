package httpapi

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"handoff/internal/web/openapi"
	"handoff/workspace"
)

// staleHeader is in answers that were read from the copy of a store that does not answer. It
// is the time at which the copy had everything, "unknown" if that is not known.
const staleHeader = "Handoff-Stale"

// readers are the workspaces that a request has read.
type readers struct {
	mu  sync.Mutex
	all []*workspace.Workspace
}

// reading notes that a request reads a workspace.
func reading(ctx context.Context, ws *workspace.Workspace) {
	if r, ok := ctx.Value(readersKey{}).(*readers); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all = append(r.all, ws)
	}
}

type readersKey struct{}

// stale is the value of the header, "" if nothing is stale.
func (r *readers) stale() (value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ws := range r.all {
		at, behind := ws.Behind()
		switch {
		case !behind:
		case at.IsZero():
			return "unknown"
		default:
			value = at.Format(time.RFC3339)
		}
	}
	return value
}

// staleIn returns the workspaces that a request reads, with the threads and tapes if it is
// about those, and the request that notes the others.
func (s *Server) staleIn(r *http.Request) (*readers, *http.Request) {
	read := new(readers)
	if first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); s.Reads != nil && (first == "threads" || first == "tapes") {
		read.all = append(read.all, s.Reads)
	}
	return read, r.WithContext(context.WithValue(r.Context(), readersKey{}, read))
}

// mark sets staleHeader. Whether the store answers is known when the answer begins.
func (r *readers) mark(h http.Header) {
	if value := r.stale(); value != "" {
		h.Set(staleHeader, value)
	}
}

// otherStore refuses what would be written to a store that the configuration no longer
// names.
var otherStore = &openapi.Refusal{Status: http.StatusServiceUnavailable, Text: "the configuration names another store than the server has open, so nothing is written: retry later, and see the server's log if it stays so"}

// sameStore refuses requests that would write threads or tapes to a store that is not the
// one in the configuration: nobody would find them there. The server opens the other store
// soon, unless it cannot be used. Requests about handoffs open it themselves.
func (s *Server) sameStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if s.Reads != nil && r.Method != http.MethodGet && r.Method != http.MethodHead && first != "handoffs" && first != "specs" {
			now, err := s.Open()
			if err == nil && now.Address() != s.Reads.Address() {
				err = otherStore
			}
			if err != nil {
				s.fail(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
