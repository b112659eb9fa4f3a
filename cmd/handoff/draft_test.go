package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/agents/transcript/facts"
	"handoff/internal/testing/schematest"
)

// TestDraftJSON: what --json prints of the session of each agent follows the schema, which
// names all members.
func TestDraftJSON(t *testing.T) {
	t.Setenv("HANDOFF_CLAIM", "")
	bin := commandDir(t)
	dir := t.TempDir()
	writeFile(t, dir, "specs/README.md", "")
	compiled := schematest.Compile(t, "draft")
	schema, err := os.ReadFile("../../docs/schema/draft.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../agents/transcript/facts/testdata/*.json*")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		text := stdoutOf(t, bin, dir, "draft", "--transcript", path, "--json")
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(v); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
		for name := range members(v, map[string]bool{}) {
			if !strings.Contains(string(schema), `"`+name+`": {`) {
				t.Errorf("%s: the schema has no member %q", filepath.Base(file), name)
			}
		}
		var got struct {
			Document string
			Facts    facts.Facts
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || !strings.HasPrefix(got.Document, "---\ndraft: true\n") || len(got.Facts.Written) != 2 {
			t.Errorf("%s: %v, %+v", filepath.Base(file), err, got.Facts)
		}
	}
	for _, damaged := range []string{`{}`, `{"agent":"claude","transcript":"x","facts":{},"document":""}`} {
		if v, err := jsonschema.UnmarshalJSON(strings.NewReader(damaged)); err != nil || compiled.Validate(v) == nil {
			t.Errorf("the schema accepts %s (%v)", damaged, err)
		}
	}
}

// members are the names of all members of a value.
func members(v any, to map[string]bool) map[string]bool {
	switch v := v.(type) {
	case map[string]any:
		for name, one := range v {
			to[name] = true
			members(one, to)
		}
	case []any:
		for _, one := range v {
			members(one, to)
		}
	}
	return to
}
