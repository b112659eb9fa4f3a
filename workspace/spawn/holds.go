package spawn

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"handoff/agents"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/kept"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/userstate"
	"handoff/internal/state"
	"handoff/internal/text/secret"
)

// Hold is an account that a used-up limit holds, so that no process of this user starts an
// agent that would be refused: neither the relay that saw the limit nor another one, nor
// `handoff spawn`, in whatever repository. An account is an agent with the folder in which it
// keeps its login, as far as a variable names one.
type Hold struct {
	Agent string    `json:"agent"`
	Home  string    `json:"home,omitempty"` // the folder of its login; "" for the usual one
	Until time.Time `json:"until"`
	Why   string    `json:"why,omitempty"` // the host's words
}

// The limits of the file.
const (
	maxHolds     = 100
	maxHoldsFile = 1 << 20
	maxWhy       = 200 // bytes
)

// heldAccounts is the file.
type heldAccounts struct {
	Holds []Hold `json:"holds"`
}

// HoldOf is what holds an agent's account now, and whether something does. A file that cannot be read
// holds nothing: the host refuses by itself.
func HoldOf(getenv func(string) string, a agents.Agent, now time.Time) (Hold, bool) {
	path := holdsFile(getenv)
	if path == "" {
		return Hold{}, false
	}
	b, _ := bookIn(path).Read()
	i := slices.IndexFunc(b.Holds, func(h Hold) bool { return h.is(a.Name, homeOf(getenv, a)) && h.Until.After(now) })
	if i < 0 {
		return Hold{}, false
	}
	return b.Holds[i], true
}

// KeepHold holds the account of an agent until a time. What is past is dropped. Without a place for it,
// it is forgotten.
func KeepHold(ctx context.Context, getenv func(string) string, a agents.Agent, until time.Time, why string, now time.Time) error {
	h := Hold{Agent: a.Name, Home: homeOf(getenv, a), Until: until.UTC().Truncate(time.Second), Why: secret.MaskLine(why, maxWhy)}
	return changeHolds(ctx, getenv, func(b *heldAccounts) bool {
		if slices.Contains(b.Holds, h) {
			return false
		}
		b.Holds = slices.DeleteFunc(b.Holds, func(o Hold) bool { return o.is(h.Agent, h.Home) || !o.Until.After(now) })
		b.Holds = append(b.Holds, h)
		b.Holds = b.Holds[max(0, len(b.Holds)-maxHolds):]
		return true
	})
}

// FreeHold ends the hold of an account that works again.
func FreeHold(ctx context.Context, getenv func(string) string, a agents.Agent) error {
	home := homeOf(getenv, a)
	return changeHolds(ctx, getenv, func(b *heldAccounts) bool {
		n := len(b.Holds)
		b.Holds = slices.DeleteFunc(b.Holds, func(o Hold) bool { return o.is(a.Name, home) })
		return len(b.Holds) < n
	})
}

func (h Hold) is(agent, home string) bool { return h.Agent == agent && h.Home == home }

// homeOf is the folder of an agent's login, as a variable names it.
func homeOf(getenv func(string) string, a agents.Agent) string {
	for _, name := range []string{a.Transcripts.Env, a.Transcripts.Home} {
		if name != "" && getenv(name) != "" {
			return getenv(name)
		}
	}
	return ""
}

// holdsFile is the path of the file; "" if the user has no place for it.
func holdsFile(getenv func(string) string) string {
	if getenv == nil {
		return ""
	}
	if dir := userstate.Dir(getenv); dir != "" {
		return filepath.Join(dir, state.Limits)
	}
	return ""
}

// bookIn is the file at a path. Its folder is trusted.
func bookIn(path string) kept.File[heldAccounts] {
	return kept.File[heldAccounts]{Root: nofollow.Root(filepath.Dir(path)), Path: path, Max: maxHoldsFile, Mode: 0o600, Fix: "delete the file to start again", Aside: true, Decode: decodeHolds}
}

// decodeHolds leaves out what names no agent.
func decodeHolds(src []byte) (b heldAccounts, err error) {
	err = json.Unmarshal(src, &b)
	b.Holds = slices.DeleteFunc(b.Holds, func(h Hold) bool { return h.Agent == "" })
	return b, err
}

func changeHolds(ctx context.Context, getenv func(string) string, change func(*heldAccounts) bool) error {
	path := holdsFile(getenv)
	if path == "" {
		return nil
	}
	if b, err := bookIn(path).Read(); err == nil && !change(&b) {
		return nil // as in most calls: no folder, no lock and no write
	}
	dir := filepath.Dir(path)
	if err := nofollow.Named.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := atomicfile.MkdirAll(nofollow.Root(filepath.Dir(dir)), dir, 0o700); err != nil {
		return err
	}
	_, err := bookIn(path).Change(ctx, change)
	return err
}
