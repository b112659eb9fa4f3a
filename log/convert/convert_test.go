package convert

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/parse"
	"handoff/templates"
	"handoff/workspace/reconcile"
)

var at = time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC)

const path = "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"

func fromSource(src []byte, path string) Handoff {
	doc, name := parse.Document(src), handoff.ParseName(path)
	return FromDocument(doc, name, path, reconcile.Bundle(reconcile.Document{Path: path, Name: name, Doc: doc}))
}

// TestLost: what a form cannot represent is reported, each thing once.
func TestLost(t *testing.T) {
	b := bundle.Handoff{SummaryMarkdown: "# Mine\n\n## References\n- a.go\n", Extra: []bundle.Field{{Name: "x", Value: json.RawMessage("1")}}, Refs: bundle.Refs{
		Threads:   []bundle.ThreadRef{{ThreadID: "t", Seq: 1, MessageID: new("m"), Note: new(sourceCut)}, {ThreadID: "u", Seq: 2}},
		Artifacts: []bundle.ArtifactRef{{ID: artifact.Sum(nil)}}, Files: []bundle.FileRef{{Path: "a.go"}, {Path: "b.go"}}}}
	fromBundle := FromBundle(b)
	threaded := FromThread(thread.HandedOff{FromThreadID: "t", FromSeq: 1, ActorID: "user", Origin: "cli", SummaryMarkdown: new("else")}, "title", at, &b)
	anchored := FromAnchor(State{"n", json.RawMessage(`{"summary": "## Critical Context\n- a", "context_summary": "c", "tables": 5, "decisions": ["d: e"], "next_action": "n", "owner": "human"}`)})
	sent := FromEnvelope(tape.Envelope{From: "a", To: "b", Content: tape.EnvelopeContent{Summary: "s", Reason: "r", TapeRef: "tape:///m/entry/1"}})
	document := fromSource([]byte("---\nprofile: completion\nlint:\n  long-item: x\n---\n# Mine\n"), path)
	for name, c := range map[string]struct {
		got  []Lost
		want string
	}{
		"bundle document":   {second(fromBundle.Document()), "refs.threads: message_id; refs.threads[1]; refs.files[1]; refs.artifacts[0]; x"},
		"bundle envelope":   {second(fromBundle.Envelope(Sending{})), "refs.threads; refs.artifacts; refs.files; x"},
		"bundle anchor":     {second(fromBundle.Anchor()), ""},
		"thread bundle":     {second(threaded.Bundle()), "summary_markdown; actor_id, origin; title"},
		"thread anchor":     {second(threaded.Anchor()), "summary_markdown; actor_id, origin; time"},
		"thread thread":     {second(threaded.Thread()), "summary_markdown; time"},
		"anchor bundle":     {second(anchored.Bundle()), "to (tape_anchor); name (tape_anchor); tables (tape_anchor); next_action (tape_anchor); context_summary (tape_anchor)"},
		"anchor document":   {second(anchored.Document()), "name; tables; next_action; context_summary; to"},
		"envelope document": {second(sent.Document()), "from; to; reason; tape_ref"},
		"envelope bundle":   {second(sent.Bundle()), "from (context_handoff); to (context_handoff); reason (context_handoff); tape_ref (context_handoff)"},
		"document bundle":   {second(document.Bundle()), "lint: long-item; profile"},
		"document anchor":   {second(document.Anchor()), "lint: long-item"},
		"document held":     {second(document.Envelope(Sending{Held: true})), "lint: long-item; refs.files (the anchor that tape_ref names); profile (the anchor that tape_ref names)"},
	} {
		var got []string
		for _, l := range c.got {
			if l.Kept != "" {
				l.Field += " (" + l.Kept + ")"
			}
			if got = append(got, l.Field); l.Why == "" {
				t.Errorf("%s: %s: why?", name, l.Field)
			}
		}
		if list := strings.Join(got, "; "); list != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, list, c.want)
		}
	}
}

func second[T any](_ T, lost []Lost) []Lost { return lost }

// TestCutAt: the handoff is of the new cut, and knows the old one.
// TestUnzonedTime takes no time from a name without a zone, because times in
// other forms always have one.
func TestUnzonedTime(t *testing.T) {
	for base, want := range map[string]string{
		"phase-3-handoff-20260212T143022Z.md": "2026-02-12T14:30:22Z",
		"phase-3-handoff-20260212T143022.md":  "",
		"phase-3-handoff-20260212.md":         "",
	} {
		path := "specs/259_x/handoffs/" + base
		note := "handoff document"
		b := bundle.Handoff{SummaryMarkdown: "# x\n", Refs: bundle.Refs{Files: []bundle.FileRef{{Path: path, Note: &note}}}}
		for form, h := range map[string]Handoff{
			"bundle":   FromBundle(b),
			"document": FromDocument(parse.Document([]byte("# x\n")), handoff.ParseName(path), path, b),
		} {
			got := ""
			if !h.Time.IsZero() {
				got = h.Time.Format(time.RFC3339)
			}
			if got != want {
				t.Errorf("%s of a %s: time %q, want %q", base, form, got, want)
			}
		}
	}
}

func TestCutAt(t *testing.T) {
	h := FromBundle(bundle.Handoff{Refs: bundle.Refs{Threads: []bundle.ThreadRef{{ThreadID: "t", Seq: 1, Note: new(sourceCut)}}}})
	h.CutAt(bundle.ThreadRef{ThreadID: "t", Seq: 1})
	if len(h.Refs.Threads) != 1 {
		t.Error("the same cut is another one")
	}
	h.CutAt(bundle.ThreadRef{ThreadID: "t", Seq: 2})
	b, _ := h.Bundle()
	want := `"threads":[{"thread_id":"t","seq":2,"message_id":null,"note":"source cut"},{"thread_id":"t","seq":1,"message_id":null,"note":"earlier source cut"}]`
	if !strings.Contains(string(b.Bytes()), want) {
		t.Errorf("%s", b.Bytes())
	}
}

// TestContinueAt: a thread that started from an anchor has continued, so the anchor
// alone is no longer enough.
func TestContinueAt(t *testing.T) {
	a := FromAnchor(State{"phase-1", json.RawMessage(`{"summary": "Half is done", "tables": 5}`)})
	a.CutAt(bundle.ThreadRef{ThreadID: "p", Seq: 7})
	made, _ := a.Thread()
	h := FromThread(thread.HandedOff{FromThreadID: "p", FromSeq: 7}, "work", at, &made.Bundle)
	h.ContinueAt(bundle.ThreadRef{ThreadID: "c", Seq: 9}, "work", "All is done.")
	want := `{"name": "work", "state": {"summary": "Half is done\n\n## Critical Context (max 5 items)\n- tables: 5\n\n## Since then\nAll is done.", ` +
		`"refs": {"threads": [{"thread_id": "c", "seq": 9, "message_id": null, "note": "source cut"}, {"thread_id": "p", "seq": 7, "message_id": null, "note": "earlier source cut"}], "artifacts": [], "files": []}}}`
	if got, _ := h.Anchor(); string(got.JSON()) != want {
		t.Errorf("%s", got.JSON())
	}
	var none Handoff
	none.ContinueAt(bundle.ThreadRef{ThreadID: "c", Seq: 9}, "", "All is done.")
	if none.Text != "All is done." || none.Form != Thread {
		t.Errorf("%+v", none)
	}
}

// TestFacts: members of an anchor's state become sections of a document.
func TestFacts(t *testing.T) {
	h := FromAnchor(State{"phase-1", json.RawMessage(`{"summary": "Tests pass", "next_steps": "Deploy", "tables": 5, "decisions": ["A: b", "C:\nd"],
		"dead_ends": "None", "state": {"file": "a.go", "location": "Line 3", "goal": "g"}, "references": ["Plan: x"], "task": 7, "phase": 2}`)})
	v, lost := h.Document()
	v.Time = at
	src, err := templates.Render(v, "", false)
	want := `# Phase 2 Handoff - 20260212T143022Z

## Immediate Next Action
Deploy

## Current State
Tests pass

- **File**: a.go
- **Location**: Line 3
- **Goal state**: g

## Key Decisions Made
1. A: b
2. C:
   d

## What NOT to Try
None

## Critical Context (max 5 items)
- tables: 5

## References (read only if stuck)
- Plan: x
`
	if string(src) != want || err != nil || v.Task != 7 {
		t.Errorf("%v\n%s", err, src)
	}
	if len(lost) != 2 || lost[0].Field != "name" || lost[1].Field != "tables" || lost[1].Kept != "" {
		t.Errorf("lost: %+v", lost)
	}
}

// TestHeadings: the words of a title that is not the template's become the first
// of the state, those of a parenthetical stay in the heading.
func TestHeadings(t *testing.T) {
	for src, want := range map[string]string{
		"# Phase 3 Handoff: insert operator\n\n**Status**: half\n\n## Current State (as of noon)\nx\n\n## state (later)\ny\n\n## Critical Context (max 5 items)\n- a\n\n## References (Read only if stuck)\n- b\n": `# Phase 3 Handoff - 20260212T143022Z

## Immediate Next Action

## Current State (as of noon; later)
Phase 3 Handoff: insert operator

**Status**: half

x

y

## Key Decisions Made

## What NOT to Try

## Critical Context (max 5 items)
- a

## References (read only if stuck)
- b
`,
		"# Phase 3 Handoff - 20260101T000000Z\n\n## Immediate Next Action\nRun it.\n": `# Phase 3 Handoff - 20260212T143022Z

## Immediate Next Action
Run it.

## Current State

## Key Decisions Made

## What NOT to Try

## Critical Context (max 5 items)

## References (read only if stuck)
`} {
		h := fromSource([]byte(src), path)
		v, lost := h.Document()
		v.Time = at
		got, err := templates.Render(v, "", false)
		if err != nil || string(got) != want {
			t.Errorf("%v\n%s", err, got)
		}
		if len(lost) != 1 || lost[0].Field != "time" {
			t.Errorf("lost: %+v", lost)
		}
	}
}

// TestNothingExecuted: templates, frontmatter and headings in a handoff's texts
// stay text.
func TestNothingExecuted(t *testing.T) {
	h := FromAnchor(State{"x", json.RawMessage(`{"summary": "{{.Task}} {{printf \"%s\" .}}", "next_steps": "n", "profile": "a\nlint: [secret]", "refs": {"threads": [{"thread_id": "t\"\nlint: x", "seq": 1, "note": "source cut"}], "artifacts": [], "files": []}}`)})
	v, _ := h.Document()
	v.Task, v.Phase = 1, 1
	src, err := templates.Render(v, "", true)
	if err != nil {
		t.Fatal(err)
	}
	doc := parse.Document(src)
	if doc.Front == nil || len(doc.Front.Allow) > 0 || len(doc.Problems) > 0 || doc.Front.Thread != "t\"\nlint: x" || !strings.Contains(string(src), "{{.Task}}") {
		t.Errorf("%+v\n%s", doc.Front, src)
	}
}
