package create

import (
	"errors"
	"reflect"
	"testing"

	"handoff/document/handoff"
	"handoff/parse"
	"handoff/templates"
)

// What and why may be one text, a pair without quotes, or two keys.
func TestParseDraft(t *testing.T) {
	src := `
next_action: Apply rcases
state: "⊢ goal"
decisions:
- "quoted: why"
- unquoted: why
- {what: apart, why: because}
- what: alone
`
	got, err := ParseDraft("x", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := templates.Values{NextAction: "Apply rcases", State: templates.State{Goal: "⊢ goal"},
		Decisions: []string{"quoted: why", "unquoted: why", "apart: because", "what: alone"}}
	if !reflect.DeepEqual(got.Values, want) {
		t.Errorf("got %+v, want %+v", got.Values, want)
	}
}

func TestParseDraftProblems(t *testing.T) {
	src := "task: 0\nnext_action: 5\ndecisions:\n- {a: b, c: d}\n- {}\nprofile: auto\n"
	want := `x:1:7: want a number from 1 to 999999999
x:2:14: want keys with values or text, got the number 5
x:4:3: want text: put quotes around it
x:5:3: want text: put quotes around it
x:6:10: unknown profile "auto" (handoff, completion)`
	_, err := ParseDraft("x", []byte(src))
	if err == nil || err.Error() != want || !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func FuzzParseDraft(f *testing.F) {
	f.Add("task: 1\nnext_action: a: b\ndecisions: [x: y, z]\nstate: {goal: |\n  g}\n")
	f.Add(`{"seq": 3, "dead_ends": [{"a": "b"}], "references": ["None"]}`)
	f.Fuzz(func(t *testing.T, src string) {
		d, err := ParseDraft("d", []byte(src))
		if (d == nil) != (err != nil) && err == nil {
			t.Errorf("%q: %v, %v", src, d, err)
		}
	})
}

// TestPointer finds the value that a line of the document was written from.
func TestPointer(t *testing.T) {
	d, err := ParseDraft("x", []byte(`{"next_action": "Run it", "decisions": ["a: b", "c: d"], "dead_ends": []}`))
	if err != nil {
		t.Fatal(err)
	}
	doc := parse.Document([]byte("# T\n\n## Immediate Next Action\nRun it\n\n## Key Decisions Made\n1. a: b\n2. c: d\n\n## Critical Context\nNone\n"))
	for line, want := range map[int]string{1: "", 4: "/next_action", 6: "/decisions", 7: "/decisions/0", 8: "/decisions/1", 11: "/context"} {
		if got := d.Pointer(doc, line); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}
