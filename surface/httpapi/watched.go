package httpapi

import (
	"net/http"
	"runtime/debug"
	"time"
)

// response records the status of a response, and sets a deadline for each write.
type response struct {
	http.ResponseWriter
	rc    *http.ResponseController
	write time.Duration
	read  *readers
	code  int // 0: nothing was written yet
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(code int) {
	if w.code == 0 && code >= 200 {
		w.read.mark(w.Header())
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *response) Write(p []byte) (int, error) {
	if w.code == 0 {
		w.read.mark(w.Header())
		w.code = http.StatusOK
	}
	// A large response may take long in total, but the client must accept each part in time.
	w.rc.SetWriteDeadline(time.Now().Add(w.write))
	return w.ResponseWriter.Write(p)
}

// begun reports whether a part of the response was sent.
func begun(w http.ResponseWriter) bool {
	r, ok := w.(*response)
	return ok && r.code != 0
}

// watched counts requests, and answers when a handler panics.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		read, r := s.staleIn(r)
		w := &response{ResponseWriter: rw, rc: http.NewResponseController(rw), write: s.Write, read: read}
		start := time.Now()
		defer holding(r)()
		s.counters.begin()
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				s.Log.Error("panic", "method", r.Method, "route", r.Pattern, "value", p, "stack", string(debug.Stack()))
				if !begun(w) {
					writeProblem(w, internalError(), nil)
					p = nil
				}
			}
			s.counters.ended(r.Method, r.Pattern, w.code, time.Since(start))
			if p != nil {
				panic(http.ErrAbortHandler) // closes the connection
			}
		}()
		next.ServeHTTP(w, r)
	})
}
