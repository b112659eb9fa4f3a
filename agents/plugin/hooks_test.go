package plugin_test

import (
	"testing"

	"handoff/agents/host"
)

// command is what a host runs for an event.
func command(h host.Host, k host.Hook) string {
	return h.Command(k.Event)
}

// A hooks file has a list of entries for each event, by the host's name of it.
type hooksFile[Entry any] struct {
	Version int                `json:"version,omitempty"`
	Hooks   map[string][]Entry `json:"hooks"`
}

// group is an entry of Claude Code and of the hosts that took over its format.
type group struct {
	Matcher string    `json:"matcher,omitempty"`
	Hooks   []handler `json:"hooks"`
}

type handler struct {
	Name    string `json:"name,omitempty"` // Gemini CLI shows it
	Type    string `json:"type"`
	Command string `json:"command"`
	Windows string `json:"commandWindows,omitempty"` // Codex
	Timeout int    `json:"timeout"`                  // in the host's unit
}

type cursorEntry struct {
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

type copilotEntry struct {
	Type       string `json:"type"`
	Bash       string `json:"bash"`
	PowerShell string `json:"powershell"`
	Timeout    int    `json:"timeoutSec"`
}

func nested(h host.Host, k host.Hook) group {
	return group{k.Matcher, []handler{{"", "command", command(h, k), "", int(k.Timeout / h.Unit)}}}
}

func forCodex(h host.Host, k host.Hook) group {
	g := nested(h, k)
	g.Hooks[0].Windows = h.CommandIn(k.Event, host.Cmd)
	return g
}

func named(h host.Host, k host.Hook) group {
	g := nested(h, k)
	g.Hooks[0].Name = name
	return g
}

func forCursor(h host.Host, k host.Hook) cursorEntry {
	return cursorEntry{command(h, k), int(k.Timeout / h.Unit)}
}

func forCopilot(h host.Host, k host.Hook) copilotEntry {
	return copilotEntry{"command", h.CommandIn(k.Event, host.POSIX), h.CommandIn(k.Event, host.PowerShell), int(k.Timeout / h.Unit)}
}

// hooksOf is the hooks file of a host. version is that of its format, 0 if it has none.
func hooksOf[Entry any](t *testing.T, name string, version int, entry func(host.Host, host.Hook) Entry) hooksFile[Entry] {
	t.Helper()
	h, err := host.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	file := hooksFile[Entry]{version, map[string][]Entry{}}
	for _, k := range h.Hooks {
		file.Hooks[k.Native] = append(file.Hooks[k.Native], entry(h, k))
	}
	return file
}
