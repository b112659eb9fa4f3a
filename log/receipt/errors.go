package receipt

import (
	"errors"
	"fmt"
	"time"
)

// ErrRefused is the kind of all errors by which a step is refused because of
// what happened before. Nothing was recorded.
var ErrRefused = errors.New("refused")

// HeldError refuses a step because another claim holds the handoff.
type HeldError struct {
	Path   string
	Holder Claim
	At     time.Time // when the step was refused; zero if that is not known
	By     string    // what the claim holds, if that is something else which excludes it; "" for the same
	Common string    // a path that both cover; "" if they are not paths
}

// Left is how long the lease still lasted then; 0 if that is not known.
func (e *HeldError) Left() time.Duration {
	if e.At.IsZero() {
		return 0
	}
	return max(0, e.Holder.Until.Sub(e.At))
}

func (e *HeldError) Error() string {
	text := fmt.Sprintf("%s is held by %s until %s", shown(e.Path), e.Holder.By, clock(e.Holder.Until))
	if e.By == "" {
		return text
	}
	text = fmt.Sprintf("%s: %s is held by %s until %s", shown(e.Path), shown(e.By), e.Holder.By, clock(e.Holder.Until))
	if e.Common != "" {
		text += fmt.Sprintf(" (both cover %s)", e.Common)
	}
	return text
}

func (e *HeldError) Is(target error) bool { return target == ErrRefused }

// StaleError refuses a step because its claim no longer holds the handoff.
type StaleError struct {
	Path   string
	Token  uint64 // of the stale claim
	Latest Claim  // the same claim if it was released
	By     string // who released it by force; "" for its holder
	Why    string // the reason for that
}

func (e *StaleError) Error() string {
	if e.By != "" {
		return fmt.Sprintf("stale claim: %s was taken from you by %s (token %d): %s: stop, another agent does this work", shown(e.Path), e.By, e.Token, e.Why)
	}
	if e.Latest.Token == e.Token {
		return fmt.Sprintf("stale claim: %s was released (token %d); claim it again before you continue", shown(e.Path), e.Token)
	}
	return fmt.Sprintf("stale claim: %s has token %d, claimed by %s at %s; yours is %d: stop, another agent continues this work",
		shown(e.Path), e.Latest.Token, e.Latest.By, clock(e.Latest.At), e.Token)
}

func (e *StaleError) Is(target error) bool { return target == ErrRefused }

// FinishedError refuses a step because the handoff is done or superseded.
type FinishedError struct {
	Path  string
	State State
	Step  Step // that finished it
}

func (e *FinishedError) Error() string {
	text := fmt.Sprintf("%s is %s", shown(e.Path), e.State)
	if e.Step.Next != "" {
		text += " by " + e.Step.Next
	}
	if e.Step.By != "" {
		text += fmt.Sprintf(" (%s, %s)", e.Step.By, clock(e.Step.At))
	}
	return text
}

func (e *FinishedError) Is(target error) bool { return target == ErrRefused }

// UnknownClaimError refuses a claim that was never recorded here.
type UnknownClaimError struct{ Claim string }

func (e *UnknownClaimError) Error() string {
	return fmt.Sprintf("unknown claim %q: it is not of this repository, or its receipts were deleted, also by restoring the store from a backup (`unset HANDOFF_CLAIM`, and claim again)", e.Claim)
}

func (e *UnknownClaimError) Is(target error) bool { return target == ErrRefused }

// UnsureError reports that a claim cannot be checked now, because the store
// does not answer. The claim may be valid, stale, or unknown.
type UnsureError struct {
	Claim string
	Why   error
}

func (e *UnsureError) Error() string {
	return fmt.Sprintf("cannot be known now whether the claim %q is stale, because only the store knows: %v", e.Claim, e.Why)
}

func (e *UnsureError) Unwrap() error { return e.Why }

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }
