package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"syscall"

	"handoff"
	"handoff/artifact"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/regular"
	"handoff/internal/web/openapi"
	"handoff/tape"
	"handoff/workspace/tapes"
)

// kinds says how errors are answered: the first that fits counts. The words
// are ours, as those of the error may hold parts of the request.
var kinds = []struct {
	is     func(error) bool
	status int
	detail string
}{
	{like[*artifact.MismatchError], http.StatusUnprocessableEntity, "the bytes do not match the ID, which is their SHA-256"},
	{like[*artifact.TooLargeError], http.StatusRequestEntityTooLarge, "too large to store or read"},
	{like[*artifact.DamagedError], http.StatusInternalServerError, "the artifact is damaged: its bytes do not match its ID"},
	{is(artifact.ErrNotRegular), http.StatusInternalServerError, "not a regular file"},
	{is(artifact.ErrInvalidID), http.StatusBadRequest, "want an artifact ID: 64 lowercase hex digits"},
	{is(handoff.ErrInvalid), http.StatusBadRequest, ""},
	{is(tapes.ErrUnconfirmed), http.StatusBadRequest, "this destroys the tape without an archive: confirm with the tape's name"},
	{is(tape.ErrMoved), http.StatusConflict, "the tape has newer entries than the request expects"},
	{is(tape.ErrNotOwner), http.StatusConflict, "the tape was handed over: from is not its owner"},
	{is(tape.ErrReceived), http.StatusConflict, "another tape has already received the envelope"},
	{is(tapes.ErrNotAddressed), http.StatusConflict, "the envelope is addressed to someone other than as"},
	{is(fs.ErrExist), http.StatusConflict, "it already exists"},
	{is(fs.ErrNotExist), http.StatusNotFound, "not found"},
	{is(syscall.ENOSPC), http.StatusInsufficientStorage, "the disk is full"},
	{regular.Exhausted, http.StatusServiceUnavailable, "the server has too many open files or too little memory: retry later"},
	{like[*lockfile.NotSharedError], http.StatusInternalServerError, "another process uses the folder without respecting file locks: see the server's log"},
	{is(context.DeadlineExceeded), http.StatusServiceUnavailable, "timed out"},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func like[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

// problemOf is the status and the words for an error.
func problemOf(err error) (status int, detail string) {
	var r *openapi.Refusal
	if errors.As(err, &r) {
		return r.Status, r.Text
	}
	var missed *tape.Error
	if errors.As(err, &missed) && missed.Kind == tape.NotFound {
		return http.StatusNotFound, missed.Error() // as Bub says it, with the name
	}
	if missed != nil {
		return http.StatusBadRequest, missed.Error()
	}
	for _, k := range kinds {
		if k.is(err) {
			return k.status, k.detail
		}
	}
	return http.StatusInternalServerError, "internal error: see the server's log"
}

// fail answers with an error. When part of an answer is out already the
// connection is broken off instead, so that nobody takes the part for all.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	refused := errors.As(err, new(*openapi.Refusal))
	if r.Context().Err() != nil && !refused {
		return // the client went away
	}
	status, detail := problemOf(err)
	if status >= http.StatusInternalServerError && !(refused && status == http.StatusServiceUnavailable) { // a busy server need not say so each time
		s.Log.Error("request failed", "method", r.Method, "route", r.Pattern, "error", err)
	}
	if begun(w) {
		panic(http.ErrAbortHandler)
	}
	writeProblem(w, status, detail)
}

func writeProblem(w http.ResponseWriter, status int, detail string) {
	h := w.Header()
	for _, k := range []string{"ETag", "Last-Modified", "Content-Length", "Location"} {
		h.Del(k) // of the answer that it would have been
	}
	h.Set("Content-Type", openapi.ProblemMedia)
	h.Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	text, err := json.Marshal(openapi.Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail})
	if err == nil {
		w.Write(text)
	}
}
