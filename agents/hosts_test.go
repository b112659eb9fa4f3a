package agents_test

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/agents"
	"handoff/agents/host"
)

var update = flag.Bool("update", false, "write the generated file")

//go:generate go test . -run TestHostTable -update

// TestHostTable: the table of package host is that of the files in table/.
func TestHostTable(t *testing.T) {
	const file = "host/table.go"
	var b strings.Builder
	b.WriteString("// Code generated from agents/table by agents/hosts_test.go. DO NOT EDIT.\n\npackage host\n\nimport \"time\"\n\nvar table = []Host{\n")
	for _, name := range agents.Names() {
		if a := builtin(t, name); a.IsHost() {
			b.WriteString(literal(reflect.ValueOf(a.Host())) + ",\n")
		}
	}
	b.WriteString("}\n")
	want, err := format.Source([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != string(want) {
		t.Errorf("%s is out of date: run `go generate ./agents` (%v)", file, err)
	}
}

// literal is a value as Go writes it in package host, without the fields that are zero.
func literal(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		if x%time.Second == 0 {
			return fmt.Sprintf("%d * time.Second", x/time.Second)
		}
		return fmt.Sprintf("%d * time.Millisecond", x/time.Millisecond)
	}
	var b strings.Builder
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				fmt.Fprintf(&b, "%s: %s, ", v.Type().Field(i).Name, literal(v.Field(i)))
			}
		}
		if t := v.Type().Name(); t != "Host" && t != "Hook" {
			return t + "{" + strings.TrimSuffix(b.String(), ", ") + "}"
		}
		return "{" + strings.TrimSuffix(b.String(), ", ") + "}"
	case reflect.Slice:
		end := ""
		for i := range v.Len() {
			if v.Index(i).Kind() == reflect.Struct {
				b.WriteString("\n")
				end = "\n"
			}
			b.WriteString(literal(v.Index(i)) + ", ")
		}
		kind := strings.ReplaceAll(v.Type().String(), "host.", "")
		if v.Type().Elem().Kind() == reflect.Slice {
			b2 := strings.ReplaceAll(b.String(), "[]string{", "{")
			b.Reset()
			b.WriteString(b2)
		}
		return kind + "{" + strings.TrimSuffix(b.String(), map[string]string{"": ", "}[end]) + end + "}"
	}
	return fmt.Sprintf("%#v", v.Interface())
}

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
