package convert

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/bundle"
	"handoff/parse"
	"handoff/templates"
)

var noon = time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC)

const ceText = `---
artifact_contract: "ce-handoff/v1"
created_at: "2026-09-04T17:37:30Z"
title: "Retry in the client"
summary: "Half of it is written."
keywords: ["retry", "client"]
cwd: "C:\\work"
resume_focus: "Call ` + "`retry`" + ` in client.go."
branch: "feat/retry"
head: "0123456789"
---

# Where the retry stands

Two of four calls have it.

## Objective and user decisions

No new dependency.

## Current status

- client.go calls it
  - but not in Close

## What didn't work

1. A sleep: it hides the race

## Current status

A second one.

` + "```sh\n## not a heading\ngo test ./...\n```\n"

const t3Text = `Here it is.
<!-- t3-handoff:1 -->
# Handoff

## Outcome
Two of four calls retry.

## Next task
Call retry in Close, then run the tests.

## Risks
The server may be down.

## References
client.go
<!-- /t3-handoff -->
Anything else?
`

// Every line of another tool's form is in the document, and in the form again.
func TestOthersLoseNothing(t *testing.T) {
	for form, text := range map[Form]string{CE: ceText, T3: t3Text} {
		f, ok := FormOf(text)
		if !ok || f != form {
			t.Fatalf("%s is recognized as %q", form, f)
		}
		h := FromOther(f, text)
		if same, lost, err := h.Other(form, noon); err != nil || same != text || lost != nil {
			t.Errorf("%s is not what it was (%v, %v)", form, lost, err)
		}
		document := documentOf(t, &h)
		hasLines(t, string(form)+" as a document", text, document)
		doc := parse.Document([]byte(document))
		again := FromDocument(doc, handoff.Name{Task: 7, Phase: 1}, "", bundle.Handoff{SummaryMarkdown: Headed(doc)})
		back, _, err := again.Other(form, noon)
		if err != nil {
			t.Fatal(err)
		}
		hasLines(t, string(form)+" and back", text, back)
		if f, ok := FormOf(back); !ok || f != form {
			t.Errorf("%s: cannot be read again:\n%s", form, back)
		}
		twice := FromOther(form, back)
		if twice.Task != 7 || twice.Phase != 1 {
			t.Errorf("%s: task %d, phase %d", form, twice.Task, twice.Phase)
		}
	}
	h := FromOther(CE, ceText)
	if v, _ := h.Document(); v.Bodies[handoff.NextAction] != "Call `retry` in client.go." || v.Bodies[handoff.DeadEnds] == "" || !h.Time.Equal(time.Date(2026, 9, 4, 17, 37, 30, 0, time.UTC)) {
		t.Errorf("read %+v at %s", v, h.Time)
	}
	h = FromOther(T3, t3Text)
	if v, _ := h.Document(); v.Bodies[handoff.NextAction] != "Call retry in Close, then run the tests." || v.Bodies[handoff.CurrentState] != "Two of four calls retry." {
		t.Errorf("read %+v", v)
	}
}

// A document of ours has the same sections after it was in another form.
func TestOthersAndBack(t *testing.T) {
	for form := range map[Form]bool{CE: true, T3: true} {
		for seed := range uint64(60) {
			r := rand.New(rand.NewPCG(seed, 7))
			v := templates.Values{Task: 1 + r.IntN(9), Phase: 1 + r.IntN(3), Time: noon, NextAction: someText(r, 4), State: templates.State{File: "a.go", Goal: someText(r, 3)},
				Decisions: someItems(r, 4), Deviations: someItems(r, 2), DeadEnds: someItems(r, 4), Context: someItems(r, 5), References: someItems(r, 3)}
			if r.IntN(2) == 0 {
				v.Thread, v.Seq, v.Profile = "00000000-0000-4000-8000-000000000001", new(int64(r.IntN(9))), "handoff"
			}
			if r.IntN(2) == 0 {
				v.More = []templates.Section{{Heading: "Risks " + fmt.Sprint(seed), Body: someText(r, 5)}}
			}
			src, err := templates.Render(v, "", false)
			if err != nil {
				t.Fatal(err)
			}
			doc := parse.Document(src)
			h := FromDocument(doc, handoff.Name{Task: v.Task, Phase: v.Phase}, "", bundle.Handoff{SummaryMarkdown: Headed(doc)})
			if v.Thread != "" {
				h.CutAt(bundle.ThreadRef{ThreadID: v.Thread, Seq: uint64(*v.Seq)})
			}
			other, _, err := h.Other(form, noon)
			if err != nil {
				t.Fatalf("%s %d: %v\n%s", form, seed, err, src)
			}
			back := FromOther(form, other)
			back.Text, _, _ = cutKept(back.Text, keptFront)
			got, _ := back.Document()
			got.Time = noon
			written, err := templates.Render(got, "", false)
			if err != nil {
				t.Fatal(err)
			}
			want := parse.Document(src)
			if v.Profile == "handoff" { // the default, which is not kept
				want = parse.Document([]byte(strings.Replace(string(src), "profile: handoff\n", "", 1)))
			}
			if string(written) != want.Source {
				t.Fatalf("%s %d:\n%s\nbecame\n%s\nby way of\n%s", form, seed, want.Source, written, other)
			}
		}
	}
}

func TestNoOther(t *testing.T) {
	for _, text := range []string{"", "---\n", "---\nartifact_contract: x\n---\n", "---\nartifact_contract: [\n---\n", "<!-- t3-handoff:1 -->\n# Handoff\n", "# Handoff\n<!-- /t3-handoff -->"} {
		if f, ok := FormOf(text); ok {
			t.Errorf("%q is a %s", text, f)
		}
	}
	h := Handoff{Text: "# X\n\n## Current State\nhalf\n"}
	if _, _, err := h.Other(T3, noon); err == nil || !strings.Contains(err.Error(), "needs a next task") {
		t.Errorf("a packet without a next task: %v", err)
	}
	h = Handoff{Text: "## Immediate Next Action\nWrite " + closeT3 + "\n"}
	if _, _, err := h.Other(T3, noon); err == nil || !strings.Contains(err.Error(), "contains the mark") {
		t.Errorf("a packet with its mark: %v", err)
	}
	h = Handoff{Task: 2, Phase: 3, Text: "## Immediate Next Action\nSay \"x\\y\"\n"}
	text, _, err := h.Other(CE, noon)
	if f, ok := FormOf(text); err != nil || !ok || f != CE || !strings.Contains(text, `created_at: "2026-02-12T12:00:00Z"`) || !strings.Contains(text, `resume_focus: "Say \"x\\y\""`) {
		t.Errorf("%s (%v)", text, err)
	}
}

func FuzzFromOther(f *testing.F) {
	f.Add(ceText)
	f.Add(t3Text)
	f.Fuzz(func(t *testing.T, text string) {
		form, ok := FormOf(text)
		if !ok {
			t.Skip()
		}
		h := FromOther(form, text)
		h.Document()
		h.original = ""
		if out, _, err := h.Other(form, noon); err == nil {
			if again, ok := FormOf(out); form == T3 && (!ok || again != T3) {
				t.Errorf("%q became %q", text, out)
			}
		}
	})
}

func documentOf(t *testing.T, h *Handoff) string {
	t.Helper()
	v, _ := h.Document()
	v.Task, v.Phase, v.Time = 7, 1, noon
	src, err := templates.Render(v, "", false)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// hasLines checks that each line of a text is in another one. Marks and the words of
// headings that have a section may differ.
func hasLines(t *testing.T, what, text, in string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#"))
		switch line {
		case "", "---", openT3, closeT3, "Handoff", "Outcome", "Next task", "Current status", "What didn't work", "References":
			continue
		}
		if !strings.Contains(in, line) {
			t.Errorf("%s: lacks %q:\n%s", what, line, in)
		}
	}
}

func someText(r *rand.Rand, n int) string {
	all := []string{"next", "`a.go`", "steps", "what", "failed", "κλειδί", "(see)", "12", "x"}
	list := []string{"Take"}
	for range n {
		list = append(list, all[r.IntN(len(all))])
	}
	return strings.Join(list, " ")
}

func someItems(r *rand.Rand, most int) (list []string) {
	for range 1 + r.IntN(most) {
		list = append(list, someText(r, 2)+": "+someText(r, 3))
	}
	return list
}
