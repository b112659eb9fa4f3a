package problem

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestKinds: each kind has a type and a title of its own, and members that a problem can
// have. findings are of the surfaces.
func TestKinds(t *testing.T) {
	var members []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Problem]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		members = append(members, name)
	}
	types, titles := map[Type]bool{}, map[string]bool{}
	for _, k := range Kinds {
		if types[k.Type] || titles[k.Title] || Find(k.Type) != k {
			t.Errorf("%s: another kind has its type or title", k.Type)
		}
		types[k.Type], titles[k.Title] = true, true
		if !regexp.MustCompile(`^urn:handoff:[a-z]+(-[a-z]+)*$`).MatchString(string(k.Type)) || strings.HasSuffix(k.Title, ".") || k.Status != 0 && k.Status < 400 {
			t.Errorf("%+v", k)
		}
		for _, name := range strings.FieldsFunc(k.Members, func(r rune) bool { return r == ',' || r == ' ' }) {
			if name != "findings" && !slices.Contains(members, name) {
				t.Errorf("%s: no member %s", k.Type, name)
			}
		}
	}
	if p := Held.New("x"); p.Type != Held.Type || p.Title != Held.Title || p.Status != 409 || p.Detail != "x" {
		t.Errorf("%+v", p)
	}
	if Find(Blank) != nil || Of(404, "").Title != "Not Found" {
		t.Error("a problem without a type has one")
	}
}

//go:generate go test -vet=off . -run TestPage$ -update

var update = flag.Bool("update", false, "write docs/problems.md")

// TestPage compares docs/problems.md with the registry.
func TestPage(t *testing.T) {
	const page = "../../docs/problems.md"
	var b strings.Builder
	b.WriteString(`# Problems that programs can tell apart

Errors of the server are RFC 9457 problem details, and so are those of commands with ` + "`--json`" + ` ([json.md](json.md#errors)) and of the tools of MCP ([mcp.md](mcp.md#tools)): ` + "`type`, `title`,\n`status` and `detail`" + `.
The type never changes; titles and details may. A type that is not in this table, of a newer version, is to be treated by its status. Where the
status says everything the type is ` + "`about:blank`" + `. Types without a status are of commands only. This page is generated from the registry (package ` + "`problem`" + `), as are the types of the clients.

| type | status | title | members |
|---|---|---|---|
`)
	for _, k := range Kinds {
		members, status := "", "–"
		if k.Members != "" {
			members = "`" + strings.ReplaceAll(k.Members, ", ", "`, `") + "`"
		}
		if k.Status != 0 {
			status = strconv.Itoa(k.Status)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Type, status, k.Title, members)
	}
	b.WriteString("\n| member | what it is |\n|---|---|\n")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Problem]())[4:] {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, f.Tag.Get("doc"))
	}
	b.WriteString("| `findings` | what to change, as a list: rule, severity, message and place |\n")
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("docs/problems.md is out of date: run `go generate ./surface/problem` (%v)", err)
	}
}
