package reconcile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/json/jsonedit"
	"handoff/log/artifact"
)

const (
	editedDoc  = "specs/259_prove/handoffs/phase-2-handoff-20260212T143022Z.md"
	editedMeta = "specs/259_prove/.return-meta.json"
	editedFrom = "# Phase 2 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nApply `rcases` on `h_ih`.\n"
	editedTo   = "# Phase 2 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nApply `omega`.\n"
)

// edited is a workspace with one linked document.
type edited struct {
	*testing.T
	root  string
	store *artifact.Store
}

func newEdited(t *testing.T) *edited {
	t.Helper()
	e := &edited{T: t, root: t.TempDir()}
	e.put(editedDoc, editedFrom)
	e.put(editedMeta, "{\n  \"status\": \"partial\",\n  \"artifacts\": [{\"type\": \"plan\"}]\n}\n")
	var err error
	if e.store, err = artifact.Open(e.root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.store.Close() })
	sync(t, e.root, e.store)
	return e
}

func (e *edited) put(name, text string) { put(e.T, e.root, name, []byte(text)) }

// edit replaces text of the metadata, which must be there.
func (e *edited) edit(old, new string) {
	e.Helper()
	src, err := os.ReadFile(filepath.Join(e.root, editedMeta))
	if err != nil {
		e.Fatal(err)
	}
	if !strings.Contains(string(src), old) {
		e.Fatalf("no %q in\n%s", old, src)
	}
	e.put(editedMeta, strings.ReplaceAll(string(src), old, new))
}

func (e *edited) move(from, to string) {
	e.Helper()
	if err := os.Rename(filepath.Join(e.root, from), filepath.Join(e.root, to)); err != nil {
		e.Fatal(err)
	}
}

// TestEdited edits a document after it was linked. Derived text is updated;
// text by another writer in the same place stays.
func TestEdited(t *testing.T) {
	const (
		oldSummary, newSummary = "Handoff of phase 2: Apply `rcases` on `h_ih`.", "Handoff of phase 2: Apply `omega`."
		oldDetails, newDetails = "Apply `rcases` on `h_ih`.", "Apply `omega`."
		hand                   = "by hand"
	)
	edit := func(c *edited) { c.put(editedDoc, editedTo) }
	tests := map[string]struct {
		change           func(*edited)
		summary, details string
	}{
		"text": {edit, newSummary, newDetails},
		"summary by hand": {func(c *edited) {
			c.edit(`"summary": "`+oldSummary, `"summary": "`+hand)
			edit(c)
		}, hand, newDetails},
		"details by hand": {func(c *edited) {
			c.edit(`"details": "`+oldDetails, `"details": "`+hand)
			edit(c)
		}, newSummary, hand},
		"details by hand, then the document": {func(c *edited) {
			edit(c)
			sync(c.T, c.root, c.store)
			c.edit(`"details": "`+newDetails, `"details": "`+oldDetails) // what it was two texts ago is by hand
			c.put(editedDoc, editedFrom+"More.\n")
		}, oldSummary + " More.", oldDetails},
		"twice": {func(c *edited) {
			edit(c)
			sync(c.T, c.root, c.store)
			c.put(editedDoc, strings.Replace(editedTo, "omega", "simp", 1))
		}, strings.Replace(newSummary, "omega", "simp", 1), strings.Replace(newDetails, "omega", "simp", 1)},
		"summary taken away": {func(c *edited) {
			c.edit(`"summary": "`+oldSummary+`", `, "")
			edit(c)
		}, "", newDetails},
		"no bundle to tell by": {func(c *edited) {
			if err := os.RemoveAll(filepath.Join(c.root, artifact.Blobs)); err != nil {
				c.Fatal(err)
			}
			edit(c)
		}, oldSummary, oldDetails},
		"another section": {func(c *edited) {
			c.put(editedDoc, editedFrom+"\n## References (read only if stuck)\n- Plan: plan.md\n")
		}, oldSummary, oldDetails},
		"with frontmatter": {func(c *edited) {
			c.put(editedDoc, "---\nphase: 2\n---\n"+editedTo)
		}, newSummary, newDetails},
		"renamed": {func(c *edited) {
			c.move(editedDoc, strings.Replace(editedDoc, "phase-2", "phase-3", 1))
		}, strings.Replace(oldSummary, "phase 2", "phase 3", 1), oldDetails},
		"closed": {func(c *edited) { c.put(editedDoc, "# Phase 2 Report\n\nDone.\n") }, "Report of phase 2: Phase 2 Report", oldDetails},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := newEdited(t)
			c.edit(`"summary": "`+oldSummary, `"summary": "`+oldSummary) // they exist
			c.edit(`"details": "`+oldDetails, `"details": "`+oldDetails)
			tt.change(c)
			sync(t, c.root, c.store)
			if again := sync(t, c.root, c.store); !again.Empty() {
				t.Errorf("a second time: %v", again.Changes)
			}
			src, err := os.ReadFile(filepath.Join(c.root, editedMeta))
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

// TestGoneForNewer replaces the details of a document that is gone by those of the newer one
// that waits instead; details by hand stay.
func TestGoneForNewer(t *testing.T) {
	const newer = "specs/259_prove/handoffs/phase-2-handoff-20260212T153022Z.md"
	for _, details := range []string{"Apply `rcases` on `h_ih`.", "by hand"} {
		c := newEdited(t)
		c.edit(`"details": "Apply `+"`rcases` on `h_ih`", `"details": "`+strings.TrimSuffix(details, "."))
		if err := os.Remove(filepath.Join(c.root, editedDoc)); err != nil {
			t.Fatal(err)
		}
		c.put(newer, strings.Replace(editedTo, "143022", "153022", 1))
		sync(t, c.root, c.store)
		src, err := os.ReadFile(filepath.Join(c.root, editedMeta))
		if err != nil {
			t.Fatal(err)
		}
		want := `"details": "Apply ` + "`omega`" + `."`
		if details == "by hand" {
			want = `"details": "by hand."`
		}
		if !strings.Contains(string(src), want) || !strings.Contains(string(src), `"handoff_path": "`+newer) {
			t.Errorf("%s: want %s in\n%s", details, want, src)
		}
	}
}

// TestGoneOfTheSameSecond presents a document whose author wrote a later phase than that of its
// name, with the same time, in the metadata: there is no such file.
func TestGoneOfTheSameSecond(t *testing.T) {
	for time, want := range map[string]string{"143022": editedDoc, "143029": strings.Replace(editedDoc, "phase-2-handoff-20260212T143022", "phase-3-handoff-20260212T143029", 1)} {
		c := newEdited(t)
		c.edit(`"handoff_path": "`+editedDoc, `"handoff_path": "specs/259_prove/handoffs/phase-3-handoff-20260212T`+time+`Z.md`)
		sync(t, c.root, c.store)
		src, err := os.ReadFile(filepath.Join(c.root, editedMeta))
		if err != nil || !strings.Contains(string(src), `"handoff_path": "`+want+`"`) {
			t.Errorf("%v: want handoff_path %s in\n%s", err, want, src)
		}
	}
}

// TestRenamed renames the newest document: paths follow it by its text, with
// nothing for a person to do, also where the task is finished.
func TestRenamed(t *testing.T) {
	for _, status := range []string{"partial", "implemented"} {
		c := newEdited(t)
		c.edit(`"status": "partial"`, `"status": "`+status+`"`)
		to := strings.Replace(editedDoc, "143022", "143023", 1)
		c.move(editedDoc, to)
		if plan := sync(t, c.root, c.store); len(plan.Problems) > 0 {
			t.Errorf("%s: %+v", status, plan.Problems)
		}
		src, err := os.ReadFile(filepath.Join(c.root, editedMeta))
		if err != nil || strings.Count(string(src), to) != 2 || strings.Contains(string(src), editedDoc) {
			t.Errorf("%s, %v:\n%s", status, err, src)
		}
	}
}

// TestTakenBack deletes a document: its output goes with it if we wrote all of that. One that
// an agent wrote or extended stays and is reported, as does one that records more.
func TestTakenBack(t *testing.T) {
	const derived = `"summary": "Handoff of phase 2: Apply ` + "`rcases` on `h_ih`" + `."`
	next := strings.Replace(editedDoc, "phase-2-handoff-20260212T143022", "phase-3-handoff-20260212T153022", 1)
	tests := map[string]struct {
		change func(*edited)
		stays  bool
	}{
		"derived":         {func(*edited) {}, false},
		"summary by hand": {func(c *edited) { c.edit(derived, `"summary": "by hand"`) }, true},
		"another member":  {func(c *edited) { c.edit(derived, derived+`, "review": "by ann"`) }, true},
		"done":            {func(c *edited) { c.edit(derived, derived+`, "done_at": "2026-02-12T15:00:00Z"`) }, true},
		"another type": {func(c *edited) {
			c.edit(`{"type": "handoff", "path": "`+editedDoc, `{"type": "report", "path": "`+editedDoc)
		}, true},
		"still in its place":  {func(c *edited) { c.put(editedDoc, editedFrom) }, true},
		"named as the newest": {func(c *edited) { c.edit(`"handoff_path": "`+next, `"handoff_path": "`+editedDoc); c.remove(next) }, true},
		"no bundle to tell by": {func(c *edited) {
			if err := os.RemoveAll(filepath.Join(c.root, artifact.Blobs)); err != nil {
				c.Fatal(err)
			}
		}, true},
		"a file that cannot be read": {func(c *edited) {
			c.put(strings.Replace(editedDoc, "phase-2", "phase-1", 1), strings.Repeat("x", 2<<20))
		}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := newEdited(t)
			c.put(next, strings.NewReplacer("Phase 2", "Phase 3", "143022", "153022").Replace(editedTo))
			sync(t, c.root, c.store)
			c.edit(derived, derived) // it exists
			c.remove(editedDoc)
			tt.change(c)
			sync(t, c.root, c.store)
			src, err := os.ReadFile(filepath.Join(c.root, editedMeta))
			if err != nil {
				t.Fatal(err)
			}
			if file, err := jsonedit.Parse(src); err != nil || strings.Contains(file.String(), editedDoc) != tt.stays {
				t.Errorf("%v: the output stays: %t, want %t\n%s", err, !tt.stays, tt.stays, src)
			}
			if again := sync(t, c.root, c.store); !again.Empty() {
				t.Errorf("a second time: %v", again.Changes)
			}
		})
	}
}

func (e *edited) remove(name string) {
	e.Helper()
	if err := os.Remove(filepath.Join(e.root, name)); err != nil {
		e.Fatal(err)
	}
}
