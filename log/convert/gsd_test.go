package convert

import (
	"encoding/json"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/log/bundle"
	"handoff/parse"
)

const gsdText = `---
phase: 03-lexer
task: 2
total_tasks: 5
status: in_progress
last_updated: 2026-02-04T17:37:30Z
---

<current_state>
The scanner reads numbers.
</current_state>

<completed_work>

- Task 1: tokens - Done
</completed_work>

<remaining_work>

- Task 2: strings
</remaining_work>

<decisions_made>

- No backtracking: it is too slow
</decisions_made>

<context>
Escapes come last.
</context>

## Infrastructure State
- nothing runs

<next_action>
Write the test for ` + "`scanString`" + ` in lexer_test.go.
</next_action>
`

const gsdJSON = `{
  "version": "1.0",
  "timestamp": "2026-02-04T17:37:30Z",
  "phase": "3",
  "task": 2,
  "total_tasks": 5,
  "status": "paused",
  "completed_tasks": [{"id": 1, "name": "tokens", "status": "done"}],
  "remaining_tasks": [{"id": 2, "name": "strings", "status": "not_started"}],
  "decisions": [{"decision": "No backtracking", "rationale": "it is too slow"}],
  "uncommitted_files": ["lexer.go"],
  "next_action": "Write the test for scanString in lexer_test.go.",
  "context_notes": "Escapes come last."
}
`

// TestGSD: each form of GSD becomes a document and is one again, with all of its lines.
func TestGSD(t *testing.T) {
	for form, text := range map[Form]string{GSD: gsdText, GSDState: gsdJSON} {
		f, ok := FormOf(text)
		if !ok || f != form {
			t.Fatalf("%s is recognized as %q", form, f)
		}
		h := FromOther(f, text)
		if same, lost, err := h.Other(form, noon); err != nil || same != text || lost != nil {
			t.Errorf("%s is not what it was (%v, %v)", form, lost, err)
		}
		if h.Time.IsZero() {
			t.Errorf("%s: no time", form)
		}
		document := documentOf(t, &h)
		doc := parse.Document([]byte(document))
		next := doc.Section(handoff.NextAction)
		if next == nil || !strings.HasPrefix(doc.Text(next.Body), "Write the test for") || doc.Section(handoff.Context) == nil || doc.Section(handoff.Decisions) == nil {
			t.Errorf("%s: the sections are not ours:\n%s", form, document)
		}
		if strings.Contains(document, "<current_state>") {
			t.Errorf("%s: has tags:\n%s", form, document)
		}
		again := FromDocument(doc, handoff.Name{Task: 7, Phase: 1}, "", bundle.Handoff{SummaryMarkdown: Headed(doc)})
		back, _, err := again.Other(form, noon)
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := FormOf(back); !ok || f != form {
			t.Fatalf("%s: cannot be read again:\n%s", form, back)
		}
		twice := FromOther(form, back)
		if twice.Task != 7 || twice.Phase != 1 {
			t.Errorf("%s: task %d, phase %d:\n%s", form, twice.Task, twice.Phase, back)
		}
		if form == GSD {
			hasLines(t, "back", strings.NewReplacer("<completed_work>", "", "</completed_work>", "", "<remaining_work>", "", "</remaining_work>", "").Replace(text), back)
			continue
		}
		sameMembers(t, text, back)
		var state map[string]any
		if err := json.Unmarshal([]byte(back), &state); err != nil || state["next_action"] != "Write the test for scanString in lexer_test.go." {
			t.Errorf("%v: %v", err, state)
		}
	}
}

// sameMembers wants each member of a JSON object in another one.
func sameMembers(t *testing.T, want, got string) {
	t.Helper()
	var a, b map[string]json.RawMessage
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &b); err != nil {
		t.Fatalf("%v:\n%s", err, got)
	}
	for name, value := range a {
		if string(value) != string(b[name]) {
			t.Errorf("%s is %s, want %s", name, b[name], value)
		}
	}
}

// TestGSDFromOurs: a document of ours has its sections again after it was one of GSD, and a next action that somebody
// changed there counts.
func TestGSDFromOurs(t *testing.T) {
	src := "# Parse strings\n\n## Immediate Next Action\nPort `scan` in lexer.go.\n\n## Current State\n- **File**: lexer.go\n\n## Key Decisions Made\n1. No backtracking: it is slow\n\n## What NOT to Try\n1. A table: it is too large\n\n## Critical Context\n1. Tabs count as one.\n\n## References\n- plan.md\n"
	doc := parse.Document([]byte(src))
	for _, form := range []Form{GSD, GSDState} {
		h := FromDocument(doc, handoff.Name{Task: 3, Phase: 2}, "", bundle.Handoff{SummaryMarkdown: src})
		text, lost, err := h.Other(form, noon)
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := FormOf(text); !ok || f != form {
			t.Fatalf("%s is not recognized (%q):\n%s", form, f, text)
		}
		back := FromOther(form, text)
		got := parse.Document([]byte(documentOf(t, &back)))
		for _, k := range []handoff.Kind{handoff.NextAction, handoff.CurrentState, handoff.Decisions, handoff.DeadEnds, handoff.Context, handoff.References} {
			a, b := doc.Section(k), got.Section(k)
			if b == nil || doc.Text(a.Body) != got.Text(b.Body) {
				t.Errorf("%s: %s is lost (%v):\n%s", form, k, lost, text)
			}
		}
		if back.Task != 3 || back.Phase != 2 || back.Title != "Parse strings" {
			t.Errorf("%s: task %d, phase %d, title %q", form, back.Task, back.Phase, back.Title)
		}
		changed := FromOther(form, strings.Replace(text, "Port `scan` in lexer.go.", "Port `peek` in lexer.go.", 1))
		if v := parse.Document([]byte(documentOf(t, &changed))); !strings.Contains(actionOf(v), "peek") {
			t.Errorf("%s: the changed next action is %q", form, actionOf(v))
		}
	}
	if _, _, err := new(Handoff).Other(GSDState, noon); err == nil {
		t.Error("a HANDOFF.json without a next action")
	}
}
