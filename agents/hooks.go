package agents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/agents/host"
	"handoff/internal/text/strictyaml"
)

// Hooks are the commands that a host runs when something happens in a session, and what these
// may print for it.
type Hooks struct {
	Limit       int         `yaml:"limit" json:"limit"`             // most characters of a text, before the host cuts it or stores it in a file; 0 for 10,000
	InBytes     bool        `yaml:"in_bytes" json:"in_bytes"`       // Limit counts bytes
	Unit        string      `yaml:"unit" json:"unit"`               // in which its settings write a timeout: s or ms; "" for s
	Unannounced bool        `yaml:"unannounced" json:"unannounced"` // see [host.Host]
	Clears      bool        `yaml:"clears" json:"clears"`           // see [host.Host]
	Runs        List        `yaml:"runs" json:"runs"`               // hosts whose hooks it runs, too
	Shells      List        `yaml:"shells" json:"shells"`           // that may run $COMMAND of a handler, depending on the machine: posix, powershell, cmd
	Events      []HookEvent `yaml:"events" json:"events"`           // none if it runs no commands
}

// HookEvent is one event of a host.
type HookEvent struct {
	Event    string `yaml:"event" json:"event"`       // the name of `handoff hook`
	Native   string `yaml:"native" json:"native"`     // the host's name, in its settings
	Matcher  string `yaml:"matcher" json:"matcher"`   // for its settings; "" for none
	Timeout  int    `yaml:"timeout" json:"timeout"`   // seconds, for its settings; 0 for what fits the event
	Envelope string `yaml:"envelope" json:"envelope"` // what the hook may print: see [host.Form]; "" for nothing
}

// Detect are the signs of a host. The fields are those of [host.Signs].
type Detect struct {
	Order      int    `yaml:"order" json:"order"`
	Mark       string `yaml:"mark" json:"mark"` // a variable that its commands have; "" for none
	Input      []List `yaml:"input" json:"input"`
	Native     string `yaml:"native" json:"native"`
	Transcript string `yaml:"transcript" json:"transcript"`
	Env        List   `yaml:"env" json:"env"`
	With       List   `yaml:"with" json:"with"`
	Pascal     bool   `yaml:"pascal" json:"pascal"`
}

const (
	defaultLimit   = 10_000
	defaultTimeout = 10
	endTimeout     = 3 // the most that Codex allows; hosts end while it runs, and `handoff hook` takes at most one second
)

// IsHost reports whether the entry is one of a host: a program that runs hooks, or that
// `handoff setup` knows.
func (a Agent) IsHost() bool { return len(a.Hooks.Events) > 0 || len(a.Setup.Files) > 0 }

// Host is the entry as package host needs it. It was checked when it was read.
func (a Agent) Host() host.Host {
	h := host.Host{
		Name: a.Name, Title: a.Title, Env: a.SessionEnv, Mark: a.Detect.Mark, Unannounced: a.Hooks.Unannounced, Clears: a.Hooks.Clears, Runs: a.Hooks.Runs,
		Limit: host.Limit{Max: cmp.Or(a.Hooks.Limit, defaultLimit), Bytes: a.Hooks.InBytes},
		Signs: host.Signs{Order: a.Detect.Order, Native: a.Detect.Native, Transcript: a.Detect.Transcript, Env: a.Detect.Env, With: a.Detect.With, Pascal: a.Detect.Pascal},
	}
	for _, fields := range a.Detect.Input {
		h.Signs.Input = append(h.Signs.Input, fields)
	}
	if len(a.Hooks.Events) > 0 {
		h.Unit = units[a.Hooks.Unit]
	}
	for _, shell := range a.Hooks.Shells {
		h.Shells = append(h.Shells, host.Shell(shell))
	}
	for _, e := range a.Hooks.Events {
		seconds := cmp.Or(e.Timeout, defaultTimeout)
		if host.Event(e.Event) == host.SessionEnd {
			seconds = cmp.Or(e.Timeout, endTimeout)
		}
		h.Hooks = append(h.Hooks, host.Hook{Event: host.Event(e.Event), Native: e.Native, Matcher: e.Matcher, Timeout: time.Duration(seconds) * time.Second, Form: host.Form(e.Envelope)})
	}
	return h
}

var units = map[string]time.Duration{"": time.Second, "s": time.Second, "ms": time.Millisecond}

// IsName reports whether a name may be that of a host: it becomes a word of the command lines
// that `handoff setup` writes.
func IsName(name string) bool {
	return name != "" && !strings.HasPrefix(name, "-") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

func (a *Agent) checkHooks(r *strictyaml.Reading) {
	if a.IsHost() && !IsName(a.Name) {
		r.Complain("/hooks", "%q is not a name for a host: call the file NAME.yaml, with a NAME of a-z, 0-9, - and _", a.Name)
	}
	if _, ok := units[a.Hooks.Unit]; !ok {
		r.Complain("/hooks/unit", "unknown unit %q (s, ms)", a.Hooks.Unit)
	}
	if a.Hooks.Limit < 0 {
		r.Complain("/hooks/limit", "want a number of characters, 0 for %d", defaultLimit)
	}
	for _, shell := range a.Hooks.Shells {
		if !slices.Contains(host.Shells, host.Shell(shell)) {
			r.Complain("/hooks/shells", "unknown shell %q (%s)", shell, joined(host.Shells))
		}
	}
	for _, fields := range a.Detect.Input {
		if len(fields) == 0 {
			r.Complain("/detect/input", "want the names of fields in each entry: without one, every input would fit")
		}
	}
	seen := map[string]bool{}
	for i, e := range a.Hooks.Events {
		at := fmt.Sprintf("/hooks/events/%d", i)
		switch {
		case !slices.Contains(host.Events, host.Event(e.Event)):
			r.Complain(at, "unknown event %q (%s)", e.Event, joined(host.Events))
		case seen[e.Event]:
			r.Complain(at, "the event %s is there twice", e.Event)
		case e.Native == "":
			r.Complain(at, "native is missing: what the host calls %s in its settings", e.Event)
		case e.Timeout < 0:
			r.Complain(at, "want a timeout in seconds")
		case !slices.Contains(host.Forms, host.Form(e.Envelope)):
			r.Complain(at, "unknown envelope %q (%s)", e.Envelope, joined(host.Forms[1:]))
		}
		seen[e.Event] = true
	}
}

// joined is a list for people.
func joined[T ~string](list []T) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}
