package problem

import "net/http"

// holding are the members about a claim.
const holding = "path, holder, since, until, token"

// The kinds of problems.
var (
	Held         = &Kind{"urn:handoff:held", "Another claim holds the handoff", http.StatusConflict, holding + ", retry_after"}
	Finished     = &Kind{"urn:handoff:finished", "The handoff is done or superseded", http.StatusConflict, "path, state, holder, since"}
	Stale        = &Kind{"urn:handoff:stale-claim", "The claim was replaced or released", http.StatusConflict, holding}
	UnknownClaim = &Kind{"urn:handoff:unknown-claim", "Unknown claim", http.StatusNotFound, ""}
	NothingWaits = &Kind{"urn:handoff:nothing-waits", "No handoff waits", http.StatusNotFound, ""}
	NotRead      = &Kind{"urn:handoff:not-read", "first_action is not the next action of the document", http.StatusConflict, "path"}
	Conflict     = &Kind{"urn:handoff:merge-conflict", "The document has an unresolved merge conflict", http.StatusConflict, ""}
	NotText      = &Kind{"urn:handoff:not-text", "The document is not UTF-8 text", http.StatusConflict, ""}
	TaskFolder   = &Kind{"urn:handoff:task-folder", "The task's folder cannot be chosen", http.StatusConflict, ""}
	Refused      = &Kind{"urn:handoff:refused", "The handoff is refused and not written", http.StatusUnprocessableEntity, "findings"}
	NoHandoff    = &Kind{"urn:handoff:no-such-handoff", "No such handoff", http.StatusNotFound, ""}
	NoTask       = &Kind{"urn:handoff:no-such-task", "No such task", http.StatusNotFound, ""}

	KeyReused = &Kind{"urn:handoff:key-reused", "The idempotency key was used for another request", http.StatusConflict, ""}
	Member    = &Kind{"urn:handoff:unknown-member", "The body has an unknown member", http.StatusUnprocessableEntity, "name, nearest"}
	Parameter = &Kind{"urn:handoff:unknown-parameter", "Unknown query parameter", http.StatusBadRequest, "name, nearest"}
	Body      = &Kind{"urn:handoff:invalid-body", "The body has another shape", http.StatusUnprocessableEntity, ""}
	Flag      = &Kind{"urn:handoff:unknown-flag", "Unknown flag", 0, "name, nearest"}
	Command   = &Kind{"urn:handoff:unknown-command", "Unknown command", 0, "name, nearest"}
	Exists    = &Kind{"urn:handoff:exists", "It already exists", http.StatusConflict, ""}

	NoThread    = &Kind{"urn:handoff:no-such-thread", "No such thread", http.StatusNotFound, ""}
	SessionUsed = &Kind{"urn:handoff:session-used", "The session already has its input", http.StatusConflict, ""}
	Incomplete  = &Kind{"urn:handoff:incomplete-context", "A part of the context is missing or damaged", http.StatusConflict, ""}
	FeedBegan   = &Kind{"urn:handoff:feed-began-again", "The events were numbered again", http.StatusConflict, ""}

	NoTape       = &Kind{"urn:handoff:no-such-tape", "No such tape", http.StatusNotFound, ""}
	Moved        = &Kind{"urn:handoff:tape-moved", "The tape has other entries by now", http.StatusConflict, ""}
	ForkEnded    = &Kind{"urn:handoff:fork-ended", "The fork was merged or discarded", http.StatusConflict, ""}
	NotOwner     = &Kind{"urn:handoff:not-owner", "The tape was handed over", http.StatusConflict, ""}
	Received     = &Kind{"urn:handoff:already-received", "Another tape has received the envelope", http.StatusConflict, ""}
	Outdated     = &Kind{"urn:handoff:outdated-envelope", "The tape was handed over to another one after the envelope was sent", http.StatusConflict, ""}
	NotAddressed = &Kind{"urn:handoff:not-addressed", "The envelope is for another one", http.StatusConflict, ""}

	OtherBytes  = &Kind{"urn:handoff:other-bytes", "The bytes do not match the ID", http.StatusUnprocessableEntity, ""}
	NotTrusted  = &Kind{"urn:handoff:not-trusted", "The user has not trusted the repository", http.StatusForbidden, ""}
	OtherOrigin = &Kind{"urn:handoff:other-origin", "The page has another origin", http.StatusForbidden, ""}
	OtherHost   = &Kind{"urn:handoff:other-host", "Unknown host name", http.StatusMisdirectedRequest, ""}
	StoreAway   = &Kind{"urn:handoff:store-away", "The store cannot be reached", http.StatusServiceUnavailable, "retry_after"}
	WrongStore  = &Kind{"urn:handoff:wrong-store", "The store is not the one of this workspace", http.StatusConflict, ""}
	Unsure      = &Kind{"urn:handoff:claim-unchecked", "The claim cannot be checked now", http.StatusServiceUnavailable, "retry_after"}
	Waits       = &Kind{"urn:handoff:earlier-waits", "An earlier request waits for the store", http.StatusServiceUnavailable, "retry_after"}
	OutboxFull  = &Kind{"urn:handoff:outbox-full", "The store cannot be reached, and the outbox is full", http.StatusInsufficientStorage, ""}
	Stopped     = &Kind{"urn:handoff:lock-held", "A stopped process holds the lock of the handoff", http.StatusServiceUnavailable, "retry_after"}
	Busy        = &Kind{"urn:handoff:busy", "Too much at once", http.StatusServiceUnavailable, "retry_after"}
)

// Kinds is the registry.
var Kinds = []*Kind{
	Held, Finished, Stale, UnknownClaim, NothingWaits, NotRead, Conflict, NotText, TaskFolder, Refused, NoHandoff, NoTask,
	KeyReused, Member, Parameter, Body, Flag, Command, Exists,
	NoThread, SessionUsed, Incomplete, FeedBegan,
	NoTape, Moved, ForkEnded, NotOwner, Received, Outdated, NotAddressed,
	OtherBytes, NotTrusted, OtherOrigin, OtherHost, StoreAway, WrongStore, Unsure, Waits, OutboxFull, Stopped, Busy,
}
