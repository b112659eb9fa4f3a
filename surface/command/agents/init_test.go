package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/testing/schematest"
	"handoff/workspace/githook"
	"handoff/workspace/scaffold"
)

// TestInitSchema holds the published schema and the output together.
func TestInitSchema(t *testing.T) {
	created := []scaffold.Step{{Verb: "created", Path: ".handoff.yaml"}, {Verb: "created", Path: "specs/"}}
	found := []scaffold.Step{{Verb: "created", Path: ".handoff.yaml", Why: "preset: single"}, {Verb: "kept", Path: "HANDOFF.md"}}
	kept := []scaffold.Step{{Verb: "kept", Path: ".handoff.yaml"}, {Verb: "kept", Path: "specs/"}}
	schema := schematest.Compile(t, "init")
	for name, c := range map[string]struct {
		options initOptions
		steps   []scaffold.Step
		here    handoffsHere
		err     error
		want    string // in the output
	}{
		"a new tree":          {steps: created, want: `"next":"handoff new `},
		"handoffs were there": {steps: found, want: `"next":"handoff ls"`},
		"specs of others":     {steps: kept, here: handoffsHere{tasks: true}, want: `"next":"handoff new `},
		"repeated":            {steps: kept, here: handoffsHere{number: 1, tasks: true}, want: `"file":"specs/"}]}`},
		"nothing to do":       {want: `{"files":[]}`},
		"removed":             {options: initOptions{remove: true}, steps: []scaffold.Step{{Verb: "removed", Path: "specs/"}, {Verb: "left", Path: ".handoff.yaml", Why: "changed"}}, want: `"why":"changed"`},
		"by hand":             {steps: created, err: &githook.ByHandError{Path: "lefthook.yml", Owner: "lefthook", Lines: "pre-commit:\n"}, want: `"by_hand":"pre-commit:\n"}`},
		"failed":              {steps: created, err: errors.New("disk full"), want: `specs/"}]}`},
	} {
		data, err := json.Marshal(initResultOf(&c.options, c.steps, c.here, c.err))
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil || !strings.Contains(string(data), c.want) {
			t.Errorf("%s: %v\n%s\nwant %s", name, err, data, c.want)
		}
	}
}
