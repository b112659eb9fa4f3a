package httpapi

import (
	"net/http"
	"runtime/debug"
	"time"
)

// response notes what became of a request, and gives each write its time.
type response struct {
	http.ResponseWriter
	rc    *http.ResponseController
	write time.Duration
	code  int // 0: nothing is written
}

// Unwrap lets a response controller through.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(code int) {
	if w.code == 0 && code >= 200 {
		w.code = code
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *response) Write(p []byte) (int, error) {
	if w.code == 0 {
		w.code = http.StatusOK
	}
	// A large answer may take long in all, but each part of it must be taken.
	w.rc.SetWriteDeadline(time.Now().Add(w.write))
	return w.ResponseWriter.Write(p)
}

// begun reports whether an answer is on its way.
func begun(w http.ResponseWriter) bool {
	r, ok := w.(*response)
	return ok && r.code != 0
}

// watched counts requests, and answers for a handler that panics.
func (s *Server) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w := &response{ResponseWriter: rw, rc: http.NewResponseController(rw), write: s.Write}
		start := time.Now()
		defer holding(r)()
		s.counters.begin()
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler {
				s.Log.Error("panic", "method", r.Method, "route", r.Pattern, "value", p, "stack", string(debug.Stack()))
				if !begun(w) {
					writeProblem(w, internalError)
					p = nil
				}
			}
			s.counters.ended(r.Method, r.Pattern, w.code, time.Since(start))
			if p != nil {
				panic(http.ErrAbortHandler) // breaks the connection off
			}
		}()
		next.ServeHTTP(w, r)
	})
}
