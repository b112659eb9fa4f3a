// Package refusal turns errors of all packages into problems, for every surface: which
// [problem.Kind] they are, and the members of it, such as who holds a handoff.
//
// The details are fixed texts, because an error may repeat parts of a request or of a
// document. A surface whose user has typed the request may replace them by the error.
package refusal

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"syscall"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/regular"
	"handoff/log/artifact"
	"handoff/log/engine"
	"handoff/log/engine/replica"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/surface/problem"
	"handoff/workspace/create"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/stores"
	"handoff/workspace/tapes"
)

// answer is the problem for some errors: of a kind or, without one, of a status.
type answer struct {
	is     func(error) bool
	kind   *problem.Kind
	status int
	detail string
}

// answers are the problems for errors; the first match counts.
var answers = []answer{
	{is: like[*artifact.MismatchError], kind: problem.OtherBytes, detail: "the bytes do not match the ID, which is their SHA-256"},
	{is: like[*artifact.TooLargeError], status: http.StatusRequestEntityTooLarge, detail: "too large to store or read"},
	{is: like[*regular.TooLargeError], status: http.StatusRequestEntityTooLarge, detail: "the document is too large: at most 1 MiB"},
	{is: like[*artifact.DamagedError], status: http.StatusInternalServerError, detail: "the artifact is damaged: its bytes do not match its ID"},
	{is: is(artifact.ErrNotRegular), status: http.StatusInternalServerError, detail: "not a regular file"},
	{is: is(artifact.ErrInvalidID), status: http.StatusBadRequest, detail: "want an artifact ID: 64 lowercase hex digits"},
	{is: like[*receipt.HeldError], kind: problem.Held, detail: "another claim holds the handoff: pass it as claim if it is yours, wait until its lease ends, or claim the handoff with force and why"},
	{is: like[*receipt.StaleError], kind: problem.Stale, detail: "stale claim: another claim has replaced it, or it was released; stop, or claim the handoff again"},
	{is: like[*receipt.FinishedError], kind: problem.Finished, detail: "the handoff is done or superseded: to reopen it, claim it with force and why"},
	{is: like[*receipt.UnknownClaimError], kind: problem.UnknownClaim, detail: "unknown claim: it is not of this repository, or its receipts were deleted"},
	{is: like[*receipt.UnsureError], kind: problem.Unsure, detail: "it cannot be known now whether the claim is stale, because the store does not answer: nothing was written; retry later"},
	{is: like[*outbox.WaitsError], kind: problem.Waits, detail: "earlier requests for the same thread, tape or handoff wait for the store: retry later"},
	{is: notText, kind: problem.NotText, detail: "the document is not text, or UTF-16: save it as UTF-8, and check it with `handoff lint`; or it is a pointer of Git LFS: run `git lfs pull`"},
	{is: like[*handoff.UndeliverableError], kind: problem.Conflict, detail: "the document has an unresolved merge conflict: keep one version, delete the marker lines, and check it with `handoff lint`"},
	{is: like[*receipts.MismatchError], kind: problem.NotRead, detail: "first_action is not the next action of the document: read it, and repeat its first sentence or all of it"},
	{is: like[*create.FolderError], kind: problem.TaskFolder, detail: "the task's folder: pass slug for a task that has none, leave slug out for one that has; a task with several folders gets no new handoff"},
	{is: like[*create.RefusedError], kind: problem.Refused, detail: "the handoff has lint errors: fix them, or set draft"},
	{is: is(handoff.ErrCrowded), kind: problem.Busy, detail: "too many handoffs of the task are being written: retry later"},
	{is: is(stores.ErrNotTrusted), kind: problem.NotTrusted, detail: "the store of this repository is not used, because the user of the server has not trusted it: run `handoff trust` there"},
	{is: is(outbox.ErrFull), kind: problem.OutboxFull, detail: "the store cannot be reached, and the outbox is full"},
	{is: like[*engine.ProjectError], kind: problem.WrongStore, detail: "the store belongs to another project: the configuration must name another one, see the server's log"},
	{is: like[*engine.ForbiddenError], status: http.StatusForbidden, detail: "the store refuses what the user of the server writes: he needs the right to, or another store; see the server's log"},
	{is: like[*replica.NotCopyError], kind: problem.WrongStore, detail: "a file of the workspace has records that the store lacks: see the server's log"},
	{is: outbox.Away, kind: problem.StoreAway, detail: "the store cannot be reached, and this request needs its answer: retry later"},
	{is: is(handoff.ErrKeyUsed), kind: problem.KeyReused, detail: "the Idempotency-Key was used for another request"},
	{is: is(handoff.ErrInvalid), status: http.StatusBadRequest},
	{is: is(tapes.ErrUnconfirmed), status: http.StatusBadRequest, detail: "this destroys the tape without an archive: confirm with the tape's name"},
	{is: is(tape.ErrMoved), kind: problem.Moved, detail: "the largest id of the tape is not the one in after"},
	{is: is(tape.ErrNotOwner), kind: problem.NotOwner, detail: "the tape was handed over: from is not its owner"},
	{is: is(tape.ErrReceived), kind: problem.Received, detail: "another tape has already received the envelope"},
	{is: is(tape.ErrOutdated), kind: problem.Outdated, detail: "the tape was handed over to someone else after the envelope was sent"},
	{is: is(tapes.ErrNotAddressed), kind: problem.NotAddressed, detail: "the envelope is addressed to someone other than as"},
	{is: is(fs.ErrExist), kind: problem.Exists, detail: "it already exists"},
	{is: is(handoff.ErrNoHandoff), kind: problem.NoHandoff, detail: "no such handoff"},
	{is: is(handoff.ErrNoTask), kind: problem.NoTask, detail: "no such task"},
	{is: is(fs.ErrNotExist), status: http.StatusNotFound, detail: "not found"},
	{is: func(err error) bool { return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) }, status: http.StatusForbidden, detail: "the user who runs this may not read or write a file of the workspace, or its file system is read-only"},
	{is: is(syscall.ENOSPC), status: http.StatusInsufficientStorage, detail: "the disk is full"},
	{is: regular.Exhausted, kind: problem.Busy, detail: "the server has too many open files or too little memory: retry later"},
	{is: like[*lockfile.StoppedError], kind: problem.Stopped, detail: "a process that is stopped holds the lock of the handoff: see the server's log"},
	{is: like[*lockfile.NotSharedError], status: http.StatusInternalServerError, detail: "another process uses the folder without respecting file locks: see the server's log"},
	{is: is(context.DeadlineExceeded), kind: problem.Busy, detail: "timed out"},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func like[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

func notText(err error) bool {
	refused, ok := errors.AsType[*handoff.UndeliverableError](err)
	return ok && refused.NotText != ""
}

// Of is the problem of an error; ok is false for one that is none of a request.
func Of(err error) (p problem.Problem, ok bool) {
	var query *tape.Error
	if errors.As(err, &query) { // in Bub's words, with the name of an anchor
		status := http.StatusBadRequest
		if query.Kind == tape.NotFound {
			status = http.StatusNotFound
		}
		return problem.Of(status, query.Error()), true
	}
	if unknown, ok := errors.AsType[*problem.UnknownError](err); ok {
		p = unknown.Kind.New("")
		p.Name, p.Nearest = unknown.Name, unknown.Nearest
		return p, true
	}
	for _, a := range answers {
		if a.is(err) {
			if p = problem.Of(a.status, a.detail); a.kind != nil {
				p = a.kind.New(a.detail)
			}
			add(&p, err)
			return p, true
		}
	}
	return p, false
}

// Answer is a problem for a caller that may read the error itself, and that need not speak
// HTTP: it has no status if HTTP has no such error.
type Answer struct {
	problem.Problem
	Status int `json:"status,omitempty"`
}

// Said is the problem of an error, with text, if there is one, as its detail. otherwise is
// the title of an error that the registry does not have.
func Said(err error, text, otherwise string) Answer {
	p, known := Of(err)
	if !known {
		p = problem.Problem{Type: problem.Blank, Title: otherwise}
	}
	if text != "" {
		p.Detail = text
	}
	return Answer{p, p.Status}
}

// add adds what an error knows of the handoff and of its claim. Never its id: with that,
// any caller could act as its holder.
func add(p *problem.Problem, err error) {
	var held *receipt.HeldError
	var stale *receipt.StaleError
	var finished *receipt.FinishedError
	var mismatch *receipts.MismatchError
	switch {
	case errors.As(err, &held):
		p.Path = held.Path
		claimed(p, held.Holder)
		if left := held.Left(); left > 0 {
			p.RetryAfter = int64((left + time.Second - 1) / time.Second)
		}
	case errors.As(err, &stale):
		p.Path = stale.Path
		claimed(p, stale.Latest)
	case errors.As(err, &finished):
		p.Path, p.State, p.Holder, p.Since = finished.Path, string(finished.State), finished.Step.By, moment(finished.Step.At)
	case errors.As(err, &mismatch):
		p.Path = mismatch.Path
	}
	if p.Status == http.StatusServiceUnavailable {
		p.RetryAfter = 1
	}
}

func claimed(p *problem.Problem, c receipt.Claim) {
	p.Holder, p.Token, p.Since, p.Until = c.By, c.Token, moment(c.At), moment(c.Until)
}

// moment is a time as a member; nil if it is not known.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}
