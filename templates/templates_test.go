package templates_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/parse"
	"handoff/templates"
)

var at = time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC)

func full() templates.Values {
	seq := int64(41)
	return templates.Values{
		Task: 259, Phase: 3, Time: at,
		NextAction: "Apply `rcases` on `h_ih`.",
		State:      templates.State{File: "a/b.lean", Location: "Line 3", Goal: "one\n```\ntwo"},
		Decisions:  []string{"One: because", "Two: because\nof this"},
		Deviations: []string{"Skipped step 2"},
		DeadEnds:   []string{"None"},
		Context:    []string{"A fact"},
		References: []string{"Plan: plans/x.md"},
		Understand: []string{"The store has two truths"},
		WaitingFor: []string{"Anna: approve the schema"},
		Background: []string{"`make watch`: since noon"},
		Thread:     "t-1", Seq: &seq, Profile: "handoff",
	}
}

// TestRenderParses parses the rendered text: it has the sections of the table,
// in its order, with the values.
func TestRenderParses(t *testing.T) {
	src, err := templates.Render(full(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	doc := parse.Document(src)
	if len(doc.Problems) > 0 {
		t.Errorf("problems: %v\n%s", doc.Problems, src)
	}
	if len(doc.Sections) != len(handoff.Sections) {
		t.Fatalf("%d sections of %d\n%s", len(doc.Sections), len(handoff.Sections), src)
	}
	for i, spec := range handoff.Sections {
		s := doc.Sections[i]
		if s.Kind != spec.Kind || s.Spelling != handoff.Exact {
			t.Errorf("section %d is %q, want %q", i, s.Heading.Text, spec.Heading)
		}
	}
	if f := doc.Front; f == nil || f.Thread != "t-1" || f.Seq == nil || *f.Seq != 41 || f.Profile != "handoff" {
		t.Errorf("frontmatter: %+v", f)
	}
	state := doc.Section(handoff.CurrentState)
	if len(state.Labels) != 3 || len(state.Fences) != 1 || !state.Fences[0].Closed {
		t.Errorf("state: %+v", state)
	}
	if doc.Title.Text != "Phase 3 Handoff - 20260212T143022Z" {
		t.Errorf("title %q", doc.Title.Text)
	}
	var decisions []string
	for it := range doc.Section(handoff.Decisions).Top {
		decisions = append(decisions, it.Text)
	}
	if len(decisions) != 2 || decisions[1] != "Two: because\n   of this" {
		t.Errorf("decisions: %q", decisions)
	}
	if again, _ := templates.Render(full(), "", false); string(again) != string(src) {
		t.Error("the same values gave other bytes")
	}
}

// TestBlank compares the blank document with the template that the handoff
// schema shows.
func TestBlank(t *testing.T) {
	got, err := templates.Render(templates.Values{Phase: 3, Time: at}, "", true)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/blank.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRenderLeavesOutWhatIsMissing(t *testing.T) {
	got, err := templates.Render(templates.Values{Phase: 1, Time: at, NextAction: "Run `x`"}, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(got), "{}") || strings.HasPrefix(string(got), "---") {
		t.Errorf("placeholders or empty frontmatter in\n%s", got)
	}
	for _, s := range parse.Document(got).Sections {
		if !handoff.SpecOf(s.Kind).Required {
			t.Errorf("optional section %s in\n%s", s.Kind, got)
		}
	}
}

func TestUserTemplate(t *testing.T) {
	got, err := templates.Render(full(), "# {{.Phase}} {{.Stamp}}\n{{range .Context}}* {{.}}\n{{end}}\n\n", false)
	if err != nil || string(got) != "# 3 20260212T143022Z\n* A fact\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"{{.Nothing}}", "{{", "{{template \"x\"}}"} {
		if _, err := templates.Render(full(), bad, false); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestRenderBodies: Markdown is written unchanged, if the values are empty, and
// after the labels of the state; a template in it is plain text.
func TestRenderBodies(t *testing.T) {
	v := templates.Values{Phase: 3, Time: at, Decisions: []string{"One: because"}, State: templates.State{File: "a.go"},
		Bodies: map[handoff.Kind]string{handoff.NextAction: "Run {{.Task}}.", handoff.CurrentState: "All is well.", handoff.Decisions: "unsaid", handoff.Deviations: "| a |\n|---|"},
		More:   []templates.Section{{Heading: "Files", Body: "- b.go"}, {Heading: "In C #", Body: "x"}}}
	src, err := templates.Render(v, "", false)
	want := `# Phase 3 Handoff - 20260212T143022Z

## Immediate Next Action
Run {{.Task}}.

## Current State
- **File**: a.go

All is well.

## Key Decisions Made
1. One: because

## Deviations from Plan
| a |
|---|

## What NOT to Try

## Critical Context (max 5 items)

## References (read only if stuck)

## Files
- b.go

## In C # #
x
`
	if err != nil || string(src) != want {
		t.Errorf("%v\n%s", err, src)
	}
}

// TestRenderOrder: the sections of a layout come in its order, the others after them.
func TestRenderOrder(t *testing.T) {
	v := full()
	v.Order = []handoff.Kind{handoff.CurrentState, handoff.NextAction}
	src, err := templates.Render(v, "", false)
	if err != nil {
		t.Fatal(err)
	}
	var got []handoff.Kind
	for _, s := range parse.Document(src).Sections {
		got = append(got, s.Kind)
	}
	want := []handoff.Kind{handoff.CurrentState, handoff.NextAction, handoff.Understand, handoff.WaitingFor, handoff.Background, handoff.Decisions, handoff.Deviations, handoff.DeadEnds, handoff.Context, handoff.References}
	if !slices.Equal(got, want) {
		t.Errorf("sections %v, want %v", got, want)
	}
}
