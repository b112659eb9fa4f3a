// Package host is the table of the programs that run `handoff hook`: which
// events each has, what it calls them in its settings, what a hook may print
// for each, and how long a text may be. It also reads what a host writes to the
// standard input of a hook.
//
// The table is generated from agents/table/*.yaml, because a hook runs at every turn of an
// agent and may not parse a file first. The package opens no file and starts nothing.
package host

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/nearest"
)

// Event is something that happens in a session, by the name of `handoff hook`.
type Event string

// The events.
const (
	SessionStart  Event = "session-start" // also after a compaction, at some hosts
	Prompt        Event = "prompt"        // a person sent a message
	ToolUse       Event = "tool-use"      // a tool call ended
	Batch         Event = "batch"         // all tool calls of a request ended; the next request follows
	Stop          Event = "stop"          // the agent ends its turn
	SubagentStart Event = "subagent-start"
	SubagentStop  Event = "subagent-stop"
	PreCompact    Event = "pre-compact"
	PostCompact   Event = "post-compact"
	StopFailure   Event = "stop-failure" // a turn ended with an error
	SessionEnd    Event = "session-end"
)

// Events are all events, in the order of a session.
var Events = []Event{SessionStart, Prompt, ToolUse, Batch, Stop, SubagentStart, SubagentStop, PreCompact, PostCompact, StopFailure, SessionEnd}

// Form is what a hook prints for a host: see [Hook.Envelope].
type Form string

// The forms. T is the text, N the host's name of the event.
const (
	Silent   Form = ""                   // nothing: the host ignores or refuses output
	Plain    Form = "plain"              // T
	Specific Form = "hookSpecificOutput" // {"hookSpecificOutput":{"hookEventName":N,"additionalContext":T}}
	Camel    Form = "additionalContext"  // {"additionalContext":T}
	Snake    Form = "additional_context" // {"additional_context":T}
	Context  Form = "context"            // {"context":T}
	Followup Form = "followup_message"   // {"followup_message":T}: the agent continues with T
	Block    Form = "block"              // {"decision":"block","reason":T}: the agent continues with T
	Deny     Form = "deny"               // {"decision":"deny","reason":T}: the agent continues with T
)

// Forms are all forms.
var Forms = []Form{Silent, Plain, Specific, Camel, Snake, Context, Followup, Block, Deny}

// Hook is one event of a host.
type Hook struct {
	Event   Event
	Native  string        // the host's name of it, in its settings
	Matcher string        // for its settings; "" for none
	Timeout time.Duration // for its settings; the hook itself ends earlier
	Form    Form          // what it may print
}

// Host is one entry.
type Host struct {
	Name  string // also of its agent in package agents, if it has one there
	Title string
	Limit Limit         // of each text
	Env   string        // variable in which its commands find the id of the session; "" for none
	Mark  string        // another variable that its commands have; "" for none
	Unit  time.Duration // in which its settings write a timeout; 0 without hooks
	// Shells are those that may run a hook, depending on the machine; none if that is not known.
	Shells []Shell
	// Unannounced is whether no hook of it reports a compaction: then only the transcript
	// shows whether one took place.
	Unannounced bool
	// Clears is whether a hook for [Stop] may end the turn and clear the context of the
	// session: see [Hook.Clearing].
	Clears bool
	Runs   []string // hosts whose hooks it runs, too, as it reads their settings
	Signs  Signs
	Hooks  []Hook // none if it runs no commands: its agents run `handoff current`
}

// Limit is how long a text may be before the host cuts it or stores it in a file.
type Limit struct {
	Max   int
	Bytes bool // Max counts bytes, else Unicode characters
}

// String is the limit in words.
func (l Limit) String() string {
	if l.Bytes {
		return fmt.Sprintf("%d bytes", l.Max)
	}
	return fmt.Sprintf("%d characters", l.Max)
}

// Session is a session of an agent, by the name of its host.
type Session struct{ Host, ID string }

// Sessions are those in which a command runs, by the environment, sorted by host: several in a
// shell of an agent that another one started.
func Sessions(getenv func(string) string) (list []Session) {
	for _, h := range All() {
		if h.Env != "" && getenv(h.Env) != "" {
			list = append(list, Session{h.Name, getenv(h.Env)})
		}
	}
	return list
}

// Agent is the title of the agent that runs a command, by the environment. ok is false for
// none that is known.
func Agent(getenv func(string) string) (title string, ok bool) {
	for _, h := range All() {
		if h.Env != "" && getenv(h.Env) != "" || h.Mark != "" && getenv(h.Mark) != "" {
			return h.Title, true
		}
	}
	return "", false
}

// Here is the session in which a command runs, by the environment. ok is false if there
// is none, or if several are named.
func Here(getenv func(string) string) (name, session string, ok bool) {
	list := Sessions(getenv)
	if len(list) != 1 {
		return "", "", false
	}
	return list[0].Host, list[0].ID, true
}

// All returns all built-in hosts, sorted by name. They must not be changed.
func All() []Host { return table }

// Names are those of all hosts, sorted.
func Names() []string {
	var names []string
	for _, h := range All() {
		names = append(names, h.Name)
	}
	return names
}

// Named is the host with a name. The error suggests one.
func Named(name string) (Host, error) {
	if i := slices.IndexFunc(All(), func(h Host) bool { return h.Name == name }); i >= 0 {
		return All()[i], nil
	}
	return Host{}, Unknown(name, Names())
}

// Unknown is the error for a name that is not among those of the hosts. It suggests one.
func Unknown(name string, names []string) error {
	return fmt.Errorf("%w: no agent %q%s", handoff.ErrInvalid, name, nearest.Hint(strings.ToLower(name), names))
}

// Hook is the host's hook for an event. ok is false if it has none.
func (h Host) Hook(e Event) (hook Hook, ok bool) {
	i := slices.IndexFunc(h.Hooks, func(k Hook) bool { return k.Event == e })
	if i < 0 {
		return Hook{}, false
	}
	return h.Hooks[i], true
}

// ReturnsTo reports whether a session that was compacted is shown what it lost at
// an event: at the start that its host reports after a compaction, or where it reports none, at
// the first event that adds text to the context.
func (h Host) ReturnsTo(e Event) bool {
	start, _ := h.Hook(SessionStart)
	after, _ := h.Hook(PostCompact)
	k, ok := h.Hook(e)
	switch {
	case strings.Contains(start.Matcher, Compact):
		return e == SessionStart
	case after.Form != Silent:
		return e == PostCompact
	}
	return ok && k.Form != Silent && (e == ToolUse || e == Prompt)
}

// CatchesUp reports whether a session that was compacted is shown what it lost at an event
// if the one of [Host.ReturnsTo] did not come: at the next prompt, or where the host accepts no
// text there, after the next call of a tool.
func (h Host) CatchesUp(e Event) bool {
	prompt, _ := h.Hook(Prompt)
	k, ok := h.Hook(e)
	return ok && k.Form != Silent && (e == Prompt || e == ToolUse && prompt.Form == Silent)
}

// Compact is the source of a session start after a compaction.
const Compact = "compact"

// ParseEvent returns the event with a name, which is that of `handoff hook` or
// of any host, in upper or lower case. The error suggests a valid name.
func ParseEvent(name string) (Event, error) {
	var known []string
	for _, e := range Events {
		if strings.EqualFold(name, string(e)) {
			return e, nil
		}
		known = append(known, string(e))
	}
	for _, h := range All() {
		for _, k := range h.Hooks {
			if strings.EqualFold(name, k.Native) {
				return k.Event, nil
			}
		}
	}
	return "", fmt.Errorf("%w: no event %q%s", handoff.ErrInvalid, name, nearest.Hint(strings.ToLower(name), known))
}
