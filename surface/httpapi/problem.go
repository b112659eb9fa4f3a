package httpapi

import (
	"cmp"
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
	"handoff/receipt"
	"handoff/tape"
	"handoff/workspace/create"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/stores"
	"handoff/workspace/tapes"
)

// kinds are the answers to errors; the first match counts. The details are fixed
// texts: an error may repeat parts of the request.
var kinds = []struct {
	is     func(error) bool
	status int
	detail string
}{
	{like[*artifact.MismatchError], http.StatusUnprocessableEntity, "the bytes do not match the ID, which is their SHA-256"},
	{like[*artifact.TooLargeError], http.StatusRequestEntityTooLarge, "too large to store or read"},
	{like[*regular.TooLargeError], http.StatusRequestEntityTooLarge, "the document is too large: at most 1 MiB"},
	{like[*artifact.DamagedError], http.StatusInternalServerError, "the artifact is damaged: its bytes do not match its ID"},
	{is(artifact.ErrNotRegular), http.StatusInternalServerError, "not a regular file"},
	{is(artifact.ErrInvalidID), http.StatusBadRequest, "want an artifact ID: 64 lowercase hex digits"},
	{like[*receipt.HeldError], http.StatusConflict, "another claim holds the handoff: pass it as claim if it is yours, wait until its lease ends, or claim the handoff with force and why"},
	{like[*receipt.StaleError], http.StatusConflict, "stale claim: another claim has replaced it, or it was released; stop, or claim the handoff again"},
	{like[*receipt.FinishedError], http.StatusConflict, "the handoff is done or superseded: to reopen it, claim it with force and why"},
	{like[*receipt.UnknownClaimError], http.StatusNotFound, "unknown claim: it is not of this repository, or its receipts were deleted"},
	{like[*receipt.UnsureError], http.StatusServiceUnavailable, "it cannot be known now whether the claim is stale, because the store does not answer: nothing was written; retry later"},
	{like[*outbox.WaitsError], http.StatusServiceUnavailable, "earlier requests for the same thread, tape or handoff wait for the store: retry later"},
	{like[*handoff.ConflictError], http.StatusConflict, "the document has an unresolved merge conflict: keep one version, delete the marker lines, and check it with `handoff lint`"},
	{like[*receipts.MismatchError], http.StatusConflict, "first_action is not the next action of the document: read it, and repeat its first sentence or all of it"},
	{like[*create.FolderError], http.StatusConflict, "the task's folder: pass slug for a task that has none, leave slug out for one that has; a task with several folders gets no new handoff"},
	{is(handoff.ErrCrowded), http.StatusServiceUnavailable, "too many handoffs of the task are being written: retry later"},
	{is(stores.ErrNotTrusted), http.StatusForbidden, "the store of this repository is not used, because the user of the server has not trusted it: run `handoff trust` there"},
	{is(outbox.ErrFull), http.StatusInsufficientStorage, "the store cannot be reached, and the outbox is full"},
	{outbox.Away, http.StatusServiceUnavailable, "the store cannot be reached, and this request needs its answer: retry later"},
	{is(handoff.ErrKeyUsed), http.StatusConflict, keyUsed.Text},
	{is(handoff.ErrInvalid), http.StatusBadRequest, ""},
	{is(tapes.ErrUnconfirmed), http.StatusBadRequest, "this destroys the tape without an archive: confirm with the tape's name"},
	{is(tape.ErrMoved), http.StatusConflict, "the largest id of the tape is not the one in after"},
	{is(tape.ErrNotOwner), http.StatusConflict, "the tape was handed over: from is not its owner"},
	{is(tape.ErrReceived), http.StatusConflict, "another tape has already received the envelope"},
	{is(tape.ErrOutdated), http.StatusConflict, "the tape was handed over to someone else after the envelope was sent"},
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

var internalError = openapi.Problem{Status: http.StatusInternalServerError, Detail: "internal error: see the server's log"}

// problemOf is the answer to an error.
func problemOf(err error) openapi.Problem {
	var refusal *openapi.Refusal
	if errors.As(err, &refusal) {
		return openapi.Problem{Type: refusal.Type, Status: refusal.Status, Detail: refusal.Text}
	}
	var query *tape.Error
	if errors.As(err, &query) { // in Bub's words, with the name of an anchor
		status := http.StatusBadRequest
		if query.Kind == tape.NotFound {
			status = http.StatusNotFound
		}
		return openapi.Problem{Status: status, Detail: query.Error()}
	}
	var refused *unwritten
	if errors.As(err, &refused) {
		return openapi.Problem{Status: http.StatusUnprocessableEntity, Detail: refused.detail}
	}
	for _, k := range kinds {
		if k.is(err) {
			return openapi.Problem{Status: k.status, Detail: k.detail}
		}
	}
	return internalError
}

// fail answers with an error. If part of an answer was sent already, it breaks the
// connection off instead, so that no client mistakes the part for the whole.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	rejected := errors.As(err, new(*openapi.Refusal))
	if r.Context().Err() != nil && !rejected {
		return // the client disconnected
	}
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError && !(rejected && p.Status == http.StatusServiceUnavailable) { // a busy server does not log each time
		s.Log.Error("request failed", "method", r.Method, "route", r.Pattern, "error", err)
	}
	if begun(w) {
		panic(http.ErrAbortHandler)
	}
	writeProblem(w, p, err)
}

// writeProblem writes a problem, with the findings of a handoff that was not written.
func writeProblem(w http.ResponseWriter, p openapi.Problem, err error) {
	h := w.Header()
	for _, k := range []string{"ETag", "Last-Modified", "Content-Length", "Location"} {
		h.Del(k) // set for the answer that failed
	}
	h.Set("Content-Type", openapi.ProblemMedia)
	h.Set("Cache-Control", "no-store")
	if p.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(p.Status)
	p.Type, p.Title = cmp.Or(p.Type, "about:blank"), http.StatusText(p.Status)
	var body any = p
	if refused := (*unwritten)(nil); errors.As(err, &refused) {
		body = refusedHandoff{p, refused.findings}
	}
	if text, err := json.Marshal(body); err == nil {
		w.Write(text)
	}
}
