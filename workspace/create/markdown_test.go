package create

import (
	"testing"

	"handoff/document/handoff"
	"handoff/parse"
)

func TestIsMarkdown(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"x.md", "task: 1\n", true},
		{"x.yaml", "# Phase 3 Handoff\n\nRun it.\n", false},
		{"<stdin>", "# Phase 3 Handoff\n\nRun it.\n", true},
		{"<stdin>", "\ufeff\n## Immediate Next Action\nRun it: now.\n", true},
		{"<stdin>", "---\ntask: 259\n---\n# Phase 3 Handoff\n", true},
		{"<stdin>", "# what the next agent needs\n\ntask: 259\n", false},
		{"<stdin>", "# a comment\n{\"task\": 259}\n", false},
		{"<stdin>", "---\ntask: 259\n", false},
		{"<stdin>", "# a comment\n---\ntask: 259\n", false},
		{"<stdin>", "{\"task\": 259}", false},
		{"<stdin>", "", false},
	} {
		if got := IsMarkdown(c.name, []byte(c.src)); got != c.want {
			t.Errorf("%s %q: %v", c.name, c.src, got)
		}
	}
}

// TestStamped: the title gets phase and time unless it has other text; every
// other byte stays.
func TestStamped(t *testing.T) {
	const stamp = "Phase 4 Handoff - 20260212T120000Z"
	for _, c := range []struct{ src, want string }{
		{"# Phase 3 Handoff - 20260101T000000Z\r\nx\r\n", "# " + stamp + "\r\nx\r\n"},
		{"# phase 03 handoff: 2026-01-01 10:00 UTC #\nx", "# " + stamp + " #\nx"},
		{"# Phase {P} Handoff - {TIMESTAMP, in UTC}", "# " + stamp},
		{"Phase 3 Handoff\n===\nx\n", stamp + "\n===\nx\n"},
		{"---\ntask: 1\n---\n# Phase 3 Handoff\nx\n", "---\ntask: 1\n---\n# " + stamp + "\nx\n"},
		{"# Phase 3 Handoff: insert operator\nx\n", "# Phase 3 Handoff: insert operator\nx\n"},
		{"# Handoff\nx\n", "# Handoff\nx\n"},
		{"---\ntask: 1\n---\n## Current State\nx\r\n", "---\ntask: 1\n---\n# " + stamp + "\r\n\r\n## Current State\nx\r\n"},
		{"---\nprofile: completion\n---\n## Done\nx\n", "---\nprofile: completion\n---\n## Done\nx\n"},
		{"\ufeff## Current State\nx\n", "\ufeff## Current State\nx\n"},
		{"## Current State\n# Late title\n", "## Current State\n# Late title\n"},
	} {
		if got := string(stamped([]byte(c.src), 4, noon)); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.src, got, c.want)
		}
	}
}

// TestMarkdownDraft: task and phase are those of the frontmatter, else of the
// title, else of the path.
func TestMarkdownDraft(t *testing.T) {
	for _, c := range []struct {
		name, src   string
		task, phase int
	}{
		{"x.md", "# Phase 3 Handoff", 0, 3},
		{"x.md", "---\ntask: 7\nphase: 2\n---\n# Phase 3 Handoff", 7, 2},
		{"x.md", "# Phase 3A Handoff", 0, 0},
		{"specs/259_x/handoffs/phase-5-handoff-20260212.md", "## Current State\n", 259, 5},
		{"x.md", "# Phases of the moon", 0, 0},
	} {
		d := MarkdownDraft(c.name, []byte(c.src))
		if d.Task != c.task || d.Phase != c.phase {
			t.Errorf("%s %q: %d/%d", c.name, c.src, d.Task, d.Phase)
		}
	}
	src := "---\ntask: 7\n---\n## Current State\nx\n"
	d, doc := MarkdownDraft("x.md", []byte(src)), parse.Document(stamped([]byte(src), 4, noon))
	for line, want := range map[int]string{0: "x.md", 2: "x.md:2", 6: "x.md:4", 7: "x.md:5"} {
		if got := d.Place(doc, handoff.Lines{First: line, Last: line}); got != want {
			t.Errorf("line %d: %s, want %s", line, got, want)
		}
	}
}
