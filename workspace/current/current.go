// Package current remembers which claims were made where, so that a command finds the claim
// of its caller: in another shell of the same agent, or in the next command of a person.
//
// Who calls is a [Caller]. The session of an agent comes first. Only a caller without a
// session is known by the working tree, the user and the terminal, which is weaker: two
// programs without a terminal look the same. A session never gets the claim of another
// session, nor one that was made outside of all sessions.
//
// The package does not decide whether a claim still counts: receipts do. What it remembers
// may be lost or out of date. Claims of sessions are in the folder beside the receipts, which
// all working trees share, those of terminals in the git folder of the working tree.
package current

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"handoff/log/receipt"
)

// Caller is who calls a command or a tool. The zero value is a caller about whom nothing is
// known: it has no claims.
type Caller struct {
	Claim    string            // a claim that it passes, which overrides all that follows; "" for none
	Sessions []receipt.Session // in which it runs: several in the shell of an agent that another one started
	User     string            // of which machine; "" if only sessions count
	Terminal string            // that controls it; "" for none
	Relay    string            // the relay that runs it; "" for none
}

// Known reports whether the caller can be recognized later.
func (c Caller) Known() bool { return len(c.Sessions) > 0 || c.User != "" }

// Alone reports whether the caller cannot be mistaken for another program of its user: one without a
// session and a terminal can.
func (c Caller) Alone() bool { return len(c.Sessions) > 0 || c.Terminal != "" }

// Session returns the session of the caller. ok is false if it has none, or several.
func (c Caller) Session() (s receipt.Session, ok bool) {
	if len(c.Sessions) != 1 {
		return s, false
	}
	return c.Sessions[0], true
}

// Entry is a claim that was made, or is about to be made.
type Entry struct {
	Handoff  string            `json:"handoff"` // its name in the receipts
	ID       string            `json:"id"`      // the last part of the claim's id
	By       string            `json:"by"`
	At       time.Time         `json:"at"`
	Sessions []receipt.Session `json:"sessions,omitempty"`
	User     string            `json:"user,omitempty"`
	Terminal string            `json:"terminal,omitempty"`
}

// Of returns the entry of a claim that a caller makes.
func (c Caller) Of(handoff, id, by string, at time.Time) Entry {
	e := Entry{Handoff: handoff, ID: id, By: by, At: at.UTC(), Sessions: c.Sessions}
	if len(c.Sessions) == 0 {
		e.User, e.Terminal = c.User, c.Terminal
	}
	return e
}

// Made reports whether the caller made a claim.
func (c Caller) Made(e Entry) bool {
	if len(c.Sessions) > 0 || len(e.Sessions) > 0 {
		return slices.Equal(c.Sessions, e.Sessions)
	}
	return c.User != "" && c.User == e.User && c.Terminal == e.Terminal
}

// Elsewhere returns in a few words where a claim was made that the caller did not make.
func (c Caller) Elsewhere(e Entry) string {
	switch {
	case len(e.Sessions) > 0 && len(c.Sessions) > 0:
		return "claimed in another session, " + names(e.Sessions)
	case len(e.Sessions) > 0:
		return "claimed in a session, " + names(e.Sessions)
	case len(c.Sessions) > 0:
		return "claimed outside of this session"
	case c.User != e.User:
		return "claimed by another user, or on another machine"
	}
	return "claimed in another terminal (run this there, or set HANDOFF_CLAIM)"
}

func names(sessions []receipt.Session) string {
	var list []string
	for _, s := range sessions {
		list = append(list, s.String())
	}
	return strings.Join(list, " in ")
}

// Claim reports whether the id of a claim is that of the entry.
func (e Entry) Claim(id string) bool { return strings.HasSuffix(id, "."+e.ID) }

// file is the name of the entry's file.
func (e Entry) file() string {
	sum := sha256.Sum256([]byte(e.Handoff + "\n" + e.ID))
	return hex.EncodeToString(sum[:8]) + extension
}
