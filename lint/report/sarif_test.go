package report_test

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/testing/schematest"
	"handoff/lint/report"
)

func TestSARIFIsValid(t *testing.T) {
	schema := schematest.File(t, "testdata/sarif-schema-2.1.0.json")
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
