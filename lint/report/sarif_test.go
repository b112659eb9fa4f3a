package report_test

import (
	"os"
	"strings"
	"testing"

	"handoff/lint/report"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIFIsValid(t *testing.T) {
	schema := sarifSchema(t)
	for name, text := range map[string]string{
		"awkward": write(t, "sarif", options(), awkward()),
		"empty":   write(t, "sarif", report.Options{}, nil),
		"devel":   write(t, "sarif", report.Options{Version: "(devel)"}, awkward()),
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := strings.Replace(write(t, "sarif", options(), awkward()), `"ruleId"`, `"rule"`, 1)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(doc) == nil {
		t.Error("the schema accepts a result with an unknown key: the test proves nothing")
	}
}
