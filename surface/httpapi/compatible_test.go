package httpapi

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"handoff/docs/schema"
)

// promises are what a program may rely on, one fact a line, as the OpenAPI document and the published schemas say
// it. "has" is something that the server or a command gives or takes; it must stay. "wants" is something that a caller
// must send, or a value that an answer may have; there may be no new ones for an operation that exists.
type promises struct {
	schemas map[string]any
	facts   map[string]bool
	walked  map[string]bool
}

// promisesOf are those of a document of OpenAPI, and of schemas by their names.
func promisesOf(t *testing.T, document []byte) map[string]bool {
	var doc struct {
		Paths      map[string]map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	p := &promises{doc.Components.Schemas, map[string]bool{}, map[string]bool{}}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			p.operation(strings.ToUpper(method)+" "+path, op)
		}
	}
	for _, name := range schema.Names() {
		text, err := fs.ReadFile(schema.FS, name+".schema.json")
		var published map[string]any
		if err == nil {
			err = json.Unmarshal(text, &published)
		}
		if err != nil {
			t.Fatal(err)
		}
		p.facts["has schema "+name] = true
		p.members("schema "+name, published, slices.Contains(writtenSchemas, name))
	}
	return p.facts
}

// writtenSchemas are those of files that people and agents write; all others are of what commands print.
var writtenSchemas = []string{"config", "new"}

func (p *promises) operation(where string, op map[string]any) {
	p.facts["has "+where] = true
	for _, v := range list(op["parameters"]) {
		param := v.(map[string]any)
		name := fmt.Sprintf("%s %s %s", where, param["in"], param["name"])
		p.facts["has "+name] = true
		if param["required"] == true {
			p.facts["wants "+name] = true
		}
		p.value(name, param["schema"], true)
	}
	if body, ok := op["requestBody"].(map[string]any); ok {
		p.content(where+" body", body, true)
	}
	for code, v := range op["responses"].(map[string]any) {
		if answer := v.(map[string]any); code < "400" {
			p.facts["has "+where+" "+code] = true
			p.content(where+" "+code, answer, false)
		}
	}
}

func (p *promises) content(where string, of map[string]any, input bool) {
	content, _ := of["content"].(map[string]any)
	for media, v := range content {
		p.facts["has "+where+" "+media] = true
		p.value(where, v.(map[string]any)["schema"], input)
	}
}

// value adds the facts of a schema, and of the component that it names.
func (p *promises) value(where string, v any, input bool) {
	o, ok := v.(map[string]any)
	if !ok {
		return
	}
	if ref, ok := o["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		p.facts["has "+where+" is "+name] = true
		if key := fmt.Sprint(name, input); !p.walked[key] && p.schemas[name] != nil {
			p.walked[key] = true
			p.value(map[bool]string{true: "takes ", false: "gives "}[input]+name, p.schemas[name], input)
		}
		return
	}
	p.members(where, o, input)
}

func (p *promises) members(where string, o map[string]any, input bool) {
	if kind := o["type"]; kind != nil {
		p.facts[fmt.Sprintf("has %s type %v", where, kind)] = true
	}
	for _, v := range list(o["enum"]) {
		p.facts[fmt.Sprintf("%s %s value %v", map[bool]string{true: "has", false: "wants"}[input], where, v)] = true
	}
	required := list(o["required"])
	properties, _ := o["properties"].(map[string]any)
	for name, v := range properties {
		member := where + "." + name
		p.facts["has "+member] = true
		if slices.Contains(required, any(name)) {
			p.facts[map[bool]string{true: "wants ", false: "has "}[input]+member+" always"] = true
		}
		p.value(member, v, input)
	}
	p.value(where+"[]", o["items"], input)
	for _, v := range append(list(o["anyOf"]), list(o["oneOf"])...) {
		p.value(where, v, input)
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// broken are the facts that a program relied on and that hold no more: removed, or wanted of it now.
func broken(before, now map[string]bool) (lines []string) {
	for fact := range before {
		if strings.HasPrefix(fact, "has ") && !now[fact] {
			lines = append(lines, "removed or narrowed: "+strings.TrimPrefix(fact, "has "))
		}
	}
	for fact := range now {
		rest, wants := strings.CutPrefix(fact, "wants ")
		known := false
		for of := rest; wants && !known; {
			cut := strings.LastIndexAny(of, " .")
			if cut < 0 {
				break
			}
			of = of[:cut]
			known = before["has "+of] || before["has "+of+" type object"] || before["has "+of+" type string"]
		}
		if known && !before[fact] {
			lines = append(lines, "new for programs that exist: "+rest)
		}
	}
	slices.Sort(lines)
	return lines
}

const baseline = "testdata/promises.txt"

// TestCompatible compares what the server and the schemas promise with the baseline. What is only added needs nothing;
// a promise that is taken back needs a line in the changelog, and HANDOFF_UPDATE_PROMISES=1 writes the baseline.
func TestCompatible(t *testing.T) {
	now := promisesOf(t, published())
	if os.Getenv("HANDOFF_UPDATE_PROMISES") != "" {
		if err := os.WriteFile(baseline, []byte(strings.Join(slices.Sorted(maps.Keys(now)), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(baseline)
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		before[strings.TrimSuffix(line, "\n")] = true
	}
	for _, line := range broken(before, now) {
		t.Error(line)
	}
}

// TestBroken changes the document in ways that break programs, and in ways that do not.
func TestBroken(t *testing.T) {
	before := promisesOf(t, published())
	for _, c := range []struct{ old, new, want string }{
		{`"/healthz"`, `"/health"`, "removed or narrowed: GET /healthz"},
		{`"name": "since"`, `"name": "sinc"`, "removed or narrowed: GET /handoffs query since"},
		{`"bundle_artifact_id"`, `"bundle"`, "removed or narrowed: gives HandoffDetail.bundle_artifact_id"},
		{`"asks",`, ``, "removed or narrowed: GET /handoffs query state value asks"},
		{`"superseded",`, `"superseded", "lost",`, "new for programs that exist: gives HandoffRecord.state value lost"},
		{`"in": "query",`, `"in": "query", "x": 1,`, ""},
		{"\"properties\": {\n", "\"properties\": {\n\"added\": {\"type\": \"string\"},", ""},
	} {
		text := strings.ReplaceAll(string(published()), c.old, c.new)
		if text == string(published()) {
			t.Errorf("%s is not in the document", c.old)
		}
		got := broken(before, promisesOf(t, []byte(text)))
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s -> %s: %.10q, want %q", c.old, c.new, got, c.want)
		}
	}
}

// TestOutputsAreOpen: a schema of what commands print allows new members, as docs/json.md promises.
func TestOutputsAreOpen(t *testing.T) {
	for _, name := range schema.Names() {
		text, err := fs.ReadFile(schema.FS, name+".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		if closed := strings.Contains(string(text), `"additionalProperties": false`); closed != slices.Contains(writtenSchemas, name) {
			t.Errorf("%s: closed is %t", name, closed)
		}
	}
}
