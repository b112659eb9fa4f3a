// Package schematest compiles JSON Schemas, for tests that compare them with readers
// and writers.
package schematest

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/docs/schema"
)

// Compile compiles the schema that `handoff schema NAME` prints.
func Compile(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	src, err := schema.FS.ReadFile(name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, jsonschema.NewCompiler(), name, src)
}

// File compiles a third-party schema, and also checks the formats of texts.
func File(t testing.TB, path string) *jsonschema.Schema {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	return compile(t, c, path, src)
}

func compile(t testing.TB, c *jsonschema.Compiler, name string, src []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("urn:"+name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
