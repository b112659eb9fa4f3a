package agents_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"handoff/agents"
	"handoff/agents/host"
)

// TestOneTable: package host has exactly the hosts of the files, with their values, and the
// names of what they refer to exist.
func TestOneTable(t *testing.T) {
	var names []string
	bases := map[string]agents.Base{}
	for _, name := range agents.Names() {
		a := builtin(t, name)
		if !a.IsHost() {
			continue
		}
		names = append(names, name)
		if len(a.Setup.Files) == 0 || a.Setup.Next == "" {
			t.Errorf("%s: setup does not know it", name)
		}
		for base, b := range a.Setup.Bases {
			if old, ok := bases[base]; ok && old != b {
				t.Errorf("%s: another host has another folder %s: %+v, %+v", name, base, b, old)
			}
			bases[base] = b
		}
		if h, err := host.Named(name); err != nil || !reflect.DeepEqual(plain(h), plain(a.Host())) {
			t.Errorf("%s: %+v, %v, want %+v", name, h, err, a.Host())
		}
		for _, other := range a.Hooks.Runs {
			if _, err := host.Named(other); err != nil {
				t.Errorf("%s runs the hooks of %s: %v", name, other, err)
			}
		}
	}
	if got := host.Names(); !slices.Equal(got, names) {
		t.Errorf("package host has %v, the files %v", got, names)
	}
}

// plain is a host as text, in which a missing list and an empty one are the same.
func plain(h host.Host) string { return fmt.Sprintf("%+v", h) }

// TestBadHosts: an entry with hooks that cannot run is refused with its line.
func TestBadHosts(t *testing.T) {
	for src, want := range map[string]string{
		"hooks: {events: [{event: stopp, native: x}]}":                          `unknown event "stopp"`,
		"hooks: {events: [{event: stop}]}":                                      "native is missing",
		"hooks: {events: [{event: stop, native: a}, {event: stop, native: b}]}": "twice",
		"hooks: {events: [{event: stop, native: a, envelope: text}]}":           `unknown envelope "text"`,
		"hooks: {events: [{event: stop, native: a, timeout: -1}]}":              "timeout in seconds",
		"hooks: {unit: h, events: [{event: stop, native: a}]}":                  `unknown unit "h"`,
		"hooks: {limit: -1}": "number of characters",
		"hooks: {events: [{event: stop, native: a}]}\ndetect: {order: 1, input: [[]]}": "names of fields",
	} {
		if _, err := agents.Read("x.yaml", []byte("title: X\n"+src), agents.Agent{}); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "x.yaml:") {
			t.Errorf("%s: %v, want %s", src, err, want)
		}
	}
	if _, err := agents.Read("a b; x.yaml", []byte("title: X\nhooks: {events: [{event: stop, native: a}]}"), agents.Agent{}); err == nil || !strings.Contains(err.Error(), "not a name for a host") {
		t.Errorf("%v: the name becomes a word of a command line", err)
	}
}

// TestOutside: an entry over another one names no file that this one does not, and no file of
// git or handoff at all.
func TestOutside(t *testing.T) {
	const part = "setup: {files: [{part: block, project: %s}]}"
	for src, want := range map[string]string{
		"context: {at: 5}":                         "",
		fmt.Sprintf(part, "AGENTS.md"):             "",
		fmt.Sprintf(part, `"home:AGENTS.md"`):      "home:AGENTS.md",
		"setup: {folders: [\"config:x\"]}":         "config:x",
		"setup: {next: x}":                         "",
		"setup: {bases: {claude: {folder: .ssh}}}": "bases:",
		"doctor: {settings: [\"home:x.json\"]}":    "home:x.json",
	} {
		built := builtin(t, "claude")
		a, err := agents.Read("claude.yaml", []byte(src), builtin(t, "claude"))
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		if got := a.Outside(built); got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
	for _, p := range []string{".git/hooks/x", "a/.GIT/config", ".git./x", "git~1/x", ".handoff/agents/x.yaml", "../x", "a/../../x", "/etc/x", `a\\x`, `"nobase:x"`, `"home:../x"`, `"home:/x"`} {
		if _, err := agents.Read("x.yaml", []byte("title: X\n"+fmt.Sprintf(part, p)), agents.Agent{}); err == nil {
			t.Errorf("%s is accepted", p)
		}
	}
}
