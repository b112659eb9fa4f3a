package httpapi

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"handoff/internal/web/openapi"
)

// queuedHeader is the number of requests for the thread or the tape that wait for the
// store. The answer about a thread does not show them; that about a tape does, marked in meta.
const queuedHeader = "Handoff-Queued"

// sayQueued sets queuedHeader in answers about a thread or a tape.
func (s *Server) sayQueued(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && s.Threads != nil && s.Threads.Queues() {
			parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
			n := 0
			switch {
			case len(parts) < 2:
			case parts[0] == "threads":
				n = s.Threads.Waiting(parts[1])
			case parts[0] == "tapes":
				n = s.Tapes.Waiting(parts[1])
			}
			if n > 0 {
				w.Header().Set(queuedHeader, strconv.Itoa(n))
			}
		}
		next.ServeHTTP(w, r)
	})
}

// queued is the answer while the store is away.
func queued(result reflect.Type) openapi.Answer {
	return openapi.Answer{Code: http.StatusAccepted, What: "The store is away: the request waits in the outbox, and is sent when it answers", Type: result}
}
