package templates

import (
	"errors"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/parse"
)

// TestForms writes a document in each language: each heading names its section, each label is that of its value, and
// without values all is to be replaced.
func TestForms(t *testing.T) {
	for _, code := range words.Codes() {
		form, err := FormOf(code)
		if err != nil {
			t.Fatal(err)
		}
		v := Values{Phase: 1, Time: time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC), Headings: form.Headings, Form: form}
		blank, err := Render(v, "", true)
		if err != nil {
			t.Fatal(err)
		}
		if doc := parse.Document(blank); !doc.Unfilled() || strings.Count(string(blank), "{") < 8 {
			t.Errorf("%s: what is to be replaced:\n%s", code, blank)
		}
		v.State = State{File: "src/parse.go", Location: "12", Goal: "x"}
		v.NextAction, v.Decisions, v.Deviations, v.DeadEnds, v.Context, v.References = "a", []string{"b"}, []string{"c"}, []string{"d"}, []string{"e"}, []string{"f"}
		v.Understand, v.WaitingFor, v.Background = []string{"g"}, []string{"h"}, []string{"i"}
		src, err := Render(v, "", false)
		if err != nil {
			t.Fatal(err)
		}
		doc := parse.Document(src)
		for _, spec := range handoff.Sections {
			if doc.Section(spec.Kind) == nil {
				t.Errorf("%s: no section %s in\n%s", code, spec.Heading, src)
			}
		}
		files := 0
		for range doc.WorkFiles {
			files++
		}
		if files != 1 {
			t.Errorf("%s: %d files in\n%s", code, files, src)
		}
	}
	if _, err := FormOf("xx"); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("xx: %v", err)
	}
}
