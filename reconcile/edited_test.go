package reconcile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/artifact"
	"handoff/internal/json/jsonedit"
)

const editedTo = "# Phase 2 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nApply `omega`.\n"

// TestEdited edits a document after it was linked. What was derived from it
// follows; what somebody else wrote in the same place stays.
func TestEdited(t *testing.T) {
	const (
		oldSummary, newSummary = "Handoff of phase 2: Apply `rcases` on `h_ih`.", "Handoff of phase 2: Apply `omega`."
		oldDetails, newDetails = "Apply `rcases` on `h_ih`.", "Apply `omega`."
		hand                   = "by hand"
	)
	edit := func(c *checked) { c.put(checkedDoc, editedTo) }
	tests := map[string]struct {
		change           func(*checked)
		summary, details string
	}{
		"text": {edit, newSummary, newDetails},
		"summary by hand": {func(c *checked) {
			c.edit(`"summary": "`+oldSummary, `"summary": "`+hand)
			edit(c)
		}, hand, newDetails},
		"details by hand": {func(c *checked) {
			c.edit(`"details": "`+oldDetails, `"details": "`+hand)
			edit(c)
		}, newSummary, hand},
		"details by hand, then the document": {func(c *checked) {
			edit(c)
			sync(c.T, c.root, c.store)
			c.edit(`"details": "`+newDetails, `"details": "`+oldDetails) // what it was two texts ago is by hand
			c.put(checkedDoc, checkedText+"More.\n")
		}, oldSummary + " More.", oldDetails},
		"twice": {func(c *checked) {
			edit(c)
			sync(c.T, c.root, c.store)
			c.put(checkedDoc, strings.Replace(editedTo, "omega", "simp", 1))
		}, strings.Replace(newSummary, "omega", "simp", 1), strings.Replace(newDetails, "omega", "simp", 1)},
		"summary taken away": {func(c *checked) {
			c.edit(`"summary": "`+oldSummary+`", `, "")
			edit(c)
		}, "", newDetails},
		"no bundle to tell by": {func(c *checked) {
			if err := os.RemoveAll(filepath.Join(c.root, artifact.Blobs)); err != nil {
				c.Fatal(err)
			}
			edit(c)
		}, oldSummary, oldDetails},
		"another section": {func(c *checked) {
			c.put(checkedDoc, checkedText+"\n## References (read only if stuck)\n- Plan: plan.md\n")
		}, oldSummary, oldDetails},
		"with frontmatter": {func(c *checked) {
			c.put(checkedDoc, "---\nphase: 2\n---\n"+editedTo)
		}, newSummary, newDetails},
		"renamed": {func(c *checked) {
			c.move(checkedDoc, strings.Replace(checkedDoc, "phase-2", "phase-3", 1))
		}, strings.Replace(oldSummary, "phase 2", "phase 3", 1), oldDetails},
		"closed": {func(c *checked) { c.put(checkedDoc, "# Phase 2 Report\n\nDone.\n") }, "Report of phase 2: Phase 2 Report", oldDetails},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := newChecked(t)
			c.edit(`"summary": "`+oldSummary, `"summary": "`+oldSummary) // they are there
			c.edit(`"details": "`+oldDetails, `"details": "`+oldDetails)
			tt.change(c)
			sync(t, c.root, c.store)
			if again := sync(t, c.root, c.store); !again.Empty() {
				t.Errorf("a second time: %v", again.Changes)
			}
			src, err := os.ReadFile(filepath.Join(c.root, checkedMeta))
			if err != nil {
				t.Fatal(err)
			}
			file, err := jsonedit.Parse(src)
			if err != nil {
				t.Fatal(err)
			}
			text := func(at ...any) string {
				v, _ := file.Get(at...)
				s, _ := v.Text()
				return s
			}
			if got := text("artifacts", 1, "summary"); got != tt.summary {
				t.Errorf("summary %q, want %q", got, tt.summary)
			}
			if got := text("partial_progress", "details"); got != tt.details {
				t.Errorf("details %q, want %q", got, tt.details)
			}
		})
	}
}

// TestRenamed renames the newest document: paths follow it by its text, with
// nothing for a person to do, also where the task is finished.
func TestRenamed(t *testing.T) {
	for _, status := range []string{"partial", "implemented"} {
		c := newChecked(t)
		c.edit(`"status": "partial"`, `"status": "`+status+`"`)
		to := strings.Replace(checkedDoc, "143022", "143023", 1)
		c.move(checkedDoc, to)
		if plan := sync(t, c.root, c.store); len(plan.Problems) > 0 {
			t.Errorf("%s: %+v", status, plan.Problems)
		}
		src, err := os.ReadFile(filepath.Join(c.root, checkedMeta))
		if err != nil || strings.Count(string(src), to) != 2 || strings.Contains(string(src), checkedDoc) {
			t.Errorf("%s, %v:\n%s", status, err, src)
		}
	}
}
