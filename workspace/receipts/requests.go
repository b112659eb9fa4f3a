package receipts

import "time"

// The requests are also the bodies of HTTP requests, and the flags of commands: see package ops. They
// contain the claim, because a server has none of its own.

// ClaimRequest claims a handoff.
type ClaimRequest struct {
	As    string `json:"as" doc:"name of the one that claims it, for people: one line of at most 500 bytes" flag:"as=NAME" usage:"who claims it, shown to others"`
	TTL   *int64 `json:"ttl_seconds" min:"1" max:"2678400" doc:"how long the lease lasts, in seconds; default 7200" flag:"ttl=TIME" unit:"1s" preset:"2h" usage:"how long the lease lasts, 1s to 744h"`
	Force bool   `json:"force,omitempty" doc:"take it over from its holder, or reopen one that is done; needs why" flag:"force" usage:"take it over from its holder, or reopen one that is done; needs --why"`
	Why   string `json:"why,omitempty" doc:"reason of force" flag:"why=TEXT" usage:"reason, required by --force"`
	Claim string `json:"claim,omitempty" doc:"a claim that you hold, which does not exclude this one: of task:7 for a handoff of task 7, or of other paths"`
	Key   string `json:"-" header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect; stored for a week"`
}

// NextRequest claims the best handoff that waits.
type NextRequest struct {
	As    string `json:"as" doc:"name of the one that claims it, for people: one line of at most 500 bytes" flag:"as=NAME" usage:"who claims it, shown to others"`
	TTL   *int64 `json:"ttl_seconds" min:"1" max:"2678400" doc:"how long the lease lasts, in seconds; default 7200" flag:"ttl=TIME" unit:"1s" preset:"2h" usage:"how long the lease lasts, 1s to 744h"`
	Task  *int   `json:"task" min:"0" max:"999999999" doc:"only this task number"`
	Named string `json:"-"` // what the plan of another tool calls the task, instead of a number; for callers in the workspace
	Key   string `json:"-" header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect; stored for a week"`
}

// AckRequest acknowledges a handoff.
type AckRequest struct {
	FirstAction string `json:"first_action,omitempty" doc:"the next action as the document has it, or its first sentence: proof that it was read" flag:"first-action=TEXT" usage:"the next action, as the document has it"`
	As          string `json:"as,omitempty" doc:"name of the one that has read it, if it has no claim" flag:"as=NAME" usage:"who has read it, if it has no claim"`
	Claim       string `json:"claim,omitempty" doc:"claim of the one that has read it"`
}

// RenewRequest extends a lease.
type RenewRequest struct {
	Claim string `json:"claim" doc:"the claim"`
	TTL   *int64 `json:"ttl_seconds" min:"1" max:"2678400" doc:"how long the lease lasts from now, in seconds; default 7200" flag:"ttl=TIME" unit:"1s" preset:"2h" usage:"how long the lease lasts, 1s to 744h"`
}

// ReleaseRequest gives a handoff back.
type ReleaseRequest struct {
	Claim string `json:"claim" doc:"the claim"`
	Why   string `json:"why,omitempty" doc:"reason, for the next one: one line of at most 500 bytes" flag:"why=TEXT" usage:"the reason, for the next one"`
}

// DoneRequest finishes a handoff.
type DoneRequest struct {
	As    string `json:"as,omitempty" doc:"name of the one that finished it, if it is not claimed" flag:"as=NAME" usage:"who finished it, if it is not claimed"`
	Claim string `json:"claim,omitempty" doc:"the claim"`
	// NoTests runs no tests, so there is no evidence. Only a command can ask for it, because only commands run any.
	NoTests bool `json:"-" flag:"no-check" usage:"run no tests: record that there is no evidence"`
}

// DefaultLease is how long a lease lasts.
const DefaultLease = 2 * time.Hour

// Lease is the duration of a lease of so many seconds.
func Lease(seconds *int64) time.Duration {
	if seconds == nil {
		return DefaultLease
	}
	return time.Duration(*seconds) * time.Second
}
