package openapi

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// Mux serves operations. fail answers if an operation returns an error, or if
// none matches. Afterwards the Pattern of the request is its path, if that
// exists.
func Mux(ops []Operation, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	paths := map[string]map[string]Operation{}
	for _, op := range ops {
		if paths[op.Path] == nil {
			paths[op.Path] = map[string]Operation{}
		}
		paths[op.Path][op.Method] = op
	}
	mux := http.NewServeMux()
	for pattern, methods := range paths {
		allow := allowed(methods)
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			op, ok := methods[r.Method]
			if !ok && r.Method == http.MethodHead {
				op, ok = methods[http.MethodGet]
			}
			if !ok {
				w.Header().Set("Allow", allow)
				fail(w, r, &Refusal{Status: http.StatusMethodNotAllowed, Text: "method not allowed for this path"})
				return
			}
			if err := op.run(w, r); err != nil {
				fail(w, r, err)
			}
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// ServeMux would redirect to a path without dots and double slashes.
		if p := r.URL.EscapedPath(); path.Clean(p) != p {
			fail(w, r, noSuchPath)
			return
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			if slashInName(mux, r) {
				fail(w, r, unescaped)
			} else {
				fail(w, r, noSuchPath)
			}
			return
		}
		mux.ServeHTTP(w, r)
	})
}

var noSuchPath = &Refusal{Status: http.StatusNotFound, Text: "no such path"}

var unescaped = &Refusal{Status: http.StatusNotFound, Text: "no such path; in a name write each slash as %2F: 259/3 as 259%2F3"}

// slashInName reports whether a path without a route would have one if slashes after its first
// part were in a name, as in /handoffs/259/3.
func slashInName(mux *http.ServeMux, r *http.Request) bool {
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	for end := 3; end <= min(len(parts), mostParts); end++ {
		raw := "/" + strings.Join(append([]string{parts[0], strings.Join(parts[1:end], "%2F")}, parts[end:]...), "/")
		u, err := url.Parse(raw)
		if err != nil {
			return false
		}
		if _, pattern := mux.Handler(&http.Request{Method: r.Method, Host: r.Host, URL: u}); pattern != "" {
			return true
		}
	}
	return false
}

// mostParts is how many parts of a path are joined: the folders of a document, or of a tape's name.
const mostParts = 12

func allowed(methods map[string]Operation) string {
	list := slices.Collect(maps.Keys(methods))
	if methods[http.MethodGet].ID != "" {
		list = append(list, http.MethodHead)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// run limits the body in size and time, and serves the request.
func (op *Operation) run(w http.ResponseWriter, r *http.Request) error {
	limit := op.MaxBody
	if limit == 0 {
		limit = DefaultBody
	}
	if r.ContentLength > limit {
		op.readOff(w, r)
		return tooLarge
	}
	if r.ContentLength != 0 {
		if op.Admit != nil && !op.RawBody {
			bytes := r.ContentLength
			if bytes < 0 {
				bytes = limit // unknown
			}
			done, err := op.Admit(r.Context(), bytes)
			if err != nil {
				return err
			}
			defer done()
		}
		rc := http.NewResponseController(w)
		rc.SetReadDeadline(time.Now().Add(op.bodyTime()))
		r.Body = &timedBody{http.MaxBytesReader(w, r.Body, limit), rc}
	}
	if op.Tagged {
		return op.tagged(w, r)
	}
	return op.serve(op.Lenient, w, r)
}

// readOff reads a body that is refused and not very large. A client that sends all of it
// before it reads would get a reset connection otherwise, and not the answer. One that asks
// first is not made to send it.
func (op *Operation) readOff(w http.ResponseWriter, r *http.Request) {
	const most = 64 << 20
	if r.ContentLength > most || r.Header.Get("Expect") != "" {
		return
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(op.bodyTime()))
	_, _ = io.Copy(io.Discard, r.Body)
}

var tooLarge = &Refusal{Status: http.StatusRequestEntityTooLarge, Text: "the body is too large"}

// bodyTime allows a large body to arrive at 0.5 Mbit/s.
func (op *Operation) bodyTime() time.Duration {
	return max(bodyTime, time.Duration(op.MaxBody>>16)*time.Second)
}
