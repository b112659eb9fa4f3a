// Package schematest compiles the published schemas, for tests that compare them
// with the readers.
package schematest

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/schema"
)

// Compile compiles the schema that `handoff schema NAME` prints.
func Compile(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	src, err := schema.FS.ReadFile(name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:"+name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
