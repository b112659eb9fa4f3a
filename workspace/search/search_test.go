package search

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/workspace"
)

// open makes a workspace with documents, by task and text. Task 1 is the oldest.
func open(t *testing.T, texts ...string) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	for i, text := range texts {
		dir := filepath.Join(root, fmt.Sprintf("specs/%d_x/handoffs", i+1))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("phase-1-handoff-20260212T1200%02dZ.md", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// TestRanking: all words must be in a document. What counts more is first, of equals the
// newest. The line that is quoted has the most of the words.
func TestRanking(t *testing.T) {
	ws := open(t,
		"# T\n\n## Immediate Next Action\nFix the parser.\n\n## Current State\nThe lexer works.\n",
		"# T\n\n## Current State\nNo parser.\n\nNo lexer, no parser.\n",
		"# T\n\n## Notes\nparser\nlexer\n",
		"# T\n\n## Notes\nlexer parser\n",
		"# T\n\n## Notes\nonly the parser\n")
	for query, want := range map[string][]string{
		"parser":             {"1/1:4 Fix the parser.", "2/1:4 No parser.", "5/1:4 only the parser", "4/1:4 lexer parser", "3/1:4 parser"},
		"PARSER lexer lexer": {"1/1:4 Fix the parser.", "2/1:6 No lexer, no parser.", "4/1:4 lexer parser", "3/1:4 parser"},
		"3_x":                {"3/1:0 "},
		"":                   {"5/1:0 ", "4/1:0 ", "3/1:0 ", "2/1:0 ", "1/1:0 Fix the parser."},
		"missing":            nil,
		"next action":        nil, // headings that all documents have
		"notes":              {"5/1:3 Notes", "4/1:3 Notes", "3/1:3 Notes"},
		"parser missing":     nil,
	} {
		r, err := Run(t.Context(), ws, Request{Query: query})
		var got []string
		for _, h := range r.Hits {
			got = append(got, fmt.Sprintf("%s:%d %s", h.Ref, h.Line, h.Text))
		}
		if err != nil || r.Total != len(want) || !slices.Equal(got, want) {
			t.Errorf("%q: %d, %q, %v; want %q", query, r.Total, got, err, want)
		}
	}
}

// A line is quoted without the mark of a list, and with all of its bold text.
func TestQuoted(t *testing.T) {
	for line, want := range map[string]string{"- **File**: a.go": "**File**: a.go", "* b": "b", "**c** d": "**c** d", "> - [ ] e": "[ ] e", "### f": "f"} {
		if got := quoted(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestFilters(t *testing.T) {
	ws := open(t, "a b", "a", "a")
	for _, c := range []struct {
		req  Request
		want int
	}{{Request{Query: "a", Task: new(2)}, 1}, {Request{Since: time.Date(2026, 2, 12, 12, 0, 1, 0, time.UTC)}, 2}, {Request{Limit: 2}, 2}} {
		if r, err := Run(t.Context(), ws, c.req); err != nil || len(r.Hits) != c.want {
			t.Errorf("%+v: %d hits, %v", c.req, len(r.Hits), err)
		}
	}
	if r, err := Run(t.Context(), ws, Request{Limit: 1}); err != nil || r.Total != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestUnreadable: a document that cannot be read is reported, and the others are found.
func TestUnreadable(t *testing.T) {
	ws := open(t, "found", "found")
	bad := filepath.Join(ws.Root, "specs/1_x/handoffs/phase-1-handoff-20260212T120000Z.md")
	if err := os.Remove(bad); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere.md", bad); err != nil {
		t.Skip(err)
	}
	if r, err := Run(t.Context(), ws, Request{Query: "found"}); err == nil || r.Total != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	empty, err := workspace.Open(t.TempDir(), workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), empty, Request{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a workspace: %v", err)
	}
}
