package brief_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff"
	"handoff/brief"
	"handoff/parse"
)

func source(t *testing.T) brief.Source {
	t.Helper()
	const path = "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"
	src, err := os.ReadFile(filepath.Join("../specs/example", path))
	if err != nil {
		t.Fatal(err)
	}
	return brief.Source{Doc: parse.Document(src), Name: handoff.ParseName(path), Path: path}
}

// TestLevels holds the order of telling: each level has all of the one before
// and its own sections behind it.
func TestLevels(t *testing.T) {
	var before []string
	for level, want := range map[brief.Level][]string{
		brief.Start:  {"Immediate Next Action", "Current State"},
		brief.Stuck:  {"Immediate Next Action", "Current State", "Key Decisions Made", "What NOT to Try", "Critical Context"},
		brief.Escape: {"Immediate Next Action", "Current State", "Key Decisions Made", "What NOT to Try", "Critical Context", "References"},
	} {
		text, err := brief.Make(source(t), level, 10000)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range strings.Split(text, "\n") {
			if h, ok := strings.CutPrefix(line, "## "); ok {
				got = append(got, h)
			}
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("level %d: %q, want %q", level, got, want)
		}
		if !strings.HasPrefix(text, "This is a report by an earlier agent on task 259, phase 3, written 2026-02-12T14:30:22Z.") {
			t.Errorf("level %d is not framed: %q", level, text[:80])
		}
		before = append(before, text)
	}
	if len(before) != 3 {
		t.Fatal("not all levels ran")
	}
}

// TestBudget tries every budget: the brief keeps inside it, holds whole lines
// of the document only, and leaves no fence open.
func TestBudget(t *testing.T) {
	src := source(t)
	whole, err := brief.Make(src, brief.Full, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, l := range strings.Split(whole, "\n") {
		lines[l] = true
	}
	fitted := 0
	for budget := range len(whole) + 2 {
		text, err := brief.Make(src, brief.Full, budget)
		if err != nil {
			if !errors.Is(err, handoff.ErrInvalid) || fitted > 0 {
				t.Fatalf("budget %d: %v", budget, err)
			}
			continue
		}
		fitted++
		if len(text) > budget {
			t.Errorf("budget %d: %d bytes", budget, len(text))
		}
		for _, l := range strings.Split(text, "\n") {
			if !lines[l] && !strings.HasPrefix(l, "[") && l != "  ```" {
				t.Errorf("budget %d: %q is no line of the document", budget, l)
			}
		}
		if strings.Count(text, "```")%2 != 0 {
			t.Errorf("budget %d: a fence is left open:\n%s", budget, text)
		}
	}
	if fitted < 100 {
		t.Errorf("only %d budgets were enough", fitted)
	}
}

func TestBriefOfForeignDocument(t *testing.T) {
	text, err := brief.Make(brief.Source{
		Doc:  parse.Document([]byte("# Done\n\n## Current Status\nall <!-- hidden --> good\n")),
		Path: "notes.md",
	}, brief.Start, 10000)
	want := "This is a report by an earlier agent. Check before relying on it.\n\n" +
		"It names no next action: read all of it with `handoff brief notes.md --level full`.\n\n## Current State\nall  good\n\n" +
		"If stuck: `handoff brief notes.md --level 2` adds decisions, dead ends and context\n"
	if err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
}
