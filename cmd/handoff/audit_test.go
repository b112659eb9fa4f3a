package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/testing/schematest"
)

// TestAuditJSON: what --json prints follows the schema, which names all members.
func TestAuditJSON(t *testing.T) {
	bin, dir := commandDir(t), t.TempDir()
	writeFile(t, dir, "specs/README.md", "")
	writeFile(t, dir, "specs/1_a/handoffs/phase-1-handoff-20260212T143022Z.md", "# Phase 1 Handoff\n\n## What NOT to Try\n- ring: wrong goal\n")
	writeFile(t, dir, "session.jsonl", `{"type":"user","uuid":"1","sessionId":"s","timestamp":"2026-02-12T14:01:00Z","message":{"role":"user","content":"Never push to origin. Use tabs everywhere."}}
{"type":"system","subtype":"compact_boundary","uuid":"2","sessionId":"s","timestamp":"2026-02-12T14:02:00Z"}
{"type":"user","uuid":"3","sessionId":"s","timestamp":"2026-02-12T14:03:00Z","isCompactSummary":true,"message":{"role":"user","content":"The parser fails on blanks, as the test of the scanner shows: it never pushes to origin."}}
{"type":"system","subtype":"compact_boundary","uuid":"4","sessionId":"s"}
`)
	schema, err := os.ReadFile("../../docs/schema/audit.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"--all"}, {"--handoff", "1", "--all"}} {
		cmd := programIn(t, bin, dir, append([]string{"audit", "--transcript", "session.jsonl", "--json"}, args...)...)
		stdout, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Fatalf("%q: exit status %d, %v", args, code, err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(stdout))
		if err != nil {
			t.Fatal(err)
		}
		if err := schematest.Compile(t, "audit").Validate(v); err != nil {
			t.Errorf("%q: %v", args, err)
		}
		for name := range members(v, map[string]bool{}) {
			if !strings.Contains(string(schema), `"`+name+`": {`) {
				t.Errorf("%q: the schema has no member %q", args, name)
			}
		}
	}
}
