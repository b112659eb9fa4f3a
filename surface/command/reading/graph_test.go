package reading

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/testing/schematest"
	"handoff/internal/text/tree"
	"handoff/workspace/overview"
)

// TestGraphSchema holds the published schema and the output together.
func TestGraphSchema(t *testing.T) {
	valid := func(v any) error {
		t.Helper()
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return schematest.Compile(t, "graph").Validate(value)
	}
	root := &tree.Node{ID: "specs/7_x", Kind: "held", Focus: true}
	for _, s := range overview.States {
		root.Children = append(root.Children, &tree.Node{ID: string(s), Title: new("t"), Edge: "e", Kind: string(s), Notes: []string{"n"}, Merged: true})
	}
	for _, d := range []drawn{{"Tasks", tree.Values(root)}, {"Tapes", tree.Values()}} {
		if err := valid(d); err != nil {
			t.Error(err)
		}
	}
	if err := valid(drawn{"Tasks", tree.Values(&tree.Node{Kind: "other"})}); err == nil || !strings.Contains(err.Error(), "kind") {
		t.Errorf("an unknown kind: %v", err)
	}
}
