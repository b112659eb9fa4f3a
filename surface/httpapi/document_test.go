package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/workspace/threads"
)

// published is the document of all servers.
var published = sync.OnceValue(publish)

func publish() []byte {
	s := &Server{Config: Config{Threads: new(threads.Threads)}}
	return document(s.operations())
}

//go:generate go test -vet=off . -run TestDocument$ -update

var update = flag.Bool("update", false, "write docs/openapi.json")

const golden = "../../docs/openapi.json"

// TestDocument compares docs/openapi.json with the document that the operations
// produce.
func TestDocument(t *testing.T) {
	got := published()
	if !bytes.Equal(got, publish()) {
		t.Error("two documents differ")
	}
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/openapi.json is out of date: run `go generate ./surface/httpapi`")
	}
}

// TestDocumentIsOpenAPI validates the document against a schema in testdata for
// the part of OpenAPI 3.1 that it uses, and checks rules that no schema can
// express.
func TestDocumentIsOpenAPI(t *testing.T) {
	c := jsonschema.NewCompiler()
	schema, err := c.Compile("testdata/openapi.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(published()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%#v", err)
	}
	var doc struct {
		Tags  []struct{ Name string }
		Paths map[string]map[string]struct {
			OperationID string
			Tags        []string
			Parameters  []struct {
				Name, In string
				Required bool
			}
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(published(), &doc); err != nil {
		t.Fatal(err)
	}
	ids, inPath := map[string]string{}, regexp.MustCompile(`\{(\w+)\}`)
	for path, methods := range doc.Paths {
		for method, op := range methods {
			where := method + " " + path
			if other, taken := ids[op.OperationID]; taken {
				t.Errorf("%s and %s are both %s", where, other, op.OperationID)
			}
			ids[op.OperationID] = where
			var want, got []string
			for _, m := range inPath.FindAllStringSubmatch(path, -1) {
				want = append(want, m[1])
			}
			for _, p := range op.Parameters {
				if p.In == "path" {
					got = append(got, p.Name)
				}
			}
			if !slices.Equal(want, got) {
				t.Errorf("%s: parameters %q", where, got)
			}
			for _, tag := range op.Tags {
				if !slices.ContainsFunc(doc.Tags, func(known struct{ Name string }) bool { return known.Name == tag }) {
					t.Errorf("%s: unknown tag %q", where, tag)
				}
			}
		}
	}
	if err := c.AddResource("http://x/openapi.json", value); err != nil {
		t.Fatal(err)
	}
	for name := range doc.Components.Schemas {
		if _, err := c.Compile("http://x/openapi.json#/components/schemas/" + name); err != nil {
			t.Error(err)
		}
		if n := strings.Count(string(published()), `"#/components/schemas/`+name+`"`); n == 0 {
			t.Errorf("nothing refers to %s", name)
		}
	}
}
