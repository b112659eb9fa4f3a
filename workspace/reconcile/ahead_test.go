package reconcile_test

import (
	"encoding/json"
	"testing"
	"time"

	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// TestAhead: a document dated more than a day ahead is not the newest because
// of that date, and does not keep a pointer from documents that came after it.
// A date within a day is believed, and so are all dates if the current time is
// unknown.
func TestAhead(t *testing.T) {
	const task = "specs/259_prove"
	name := func(stamp string) string { return task + "/handoffs/phase-1-handoff-" + stamp + ".md" }
	const good, later, soon, never = "20261101T120000Z", "20261101T150000Z", "20261102T110000Z", "20990101T090000Z"
	now := time.Date(2026, 11, 1, 16, 0, 0, 0, time.UTC)
	for what, c := range map[string]struct {
		files    []string // in the order in which they were written
		pointer  string
		now      time.Time
		want     string
		recorded string // what sync makes of the pointer
	}{
		"dated ahead, and older":            {[]string{never, good}, "", now, good, good},
		"dated ahead, and recorded":         {[]string{never, good}, never, now, good, good},
		"dated ahead, against a record":     {[]string{good, never}, good, now, good, good},
		"a zone ahead":                      {[]string{soon, good}, "", now, soon, soon},
		"nobody knows the time":             {[]string{never, good}, "", time.Time{}, never, never},
		"two that are believed":             {[]string{never, later, good}, "", now, later, later},
		"dated ahead, and the newest there": {[]string{good, never}, "", now, never, never},
		"the only one":                      {[]string{never}, "", now, never, never},
	} {
		d := &dated{T: t, root: t.TempDir()}
		metadata := map[string]any{"status": "partial"}
		if c.pointer != "" {
			metadata["partial_progress"] = map[string]any{"stage": "implementation", "details": "d", "handoff_path": name(c.pointer)}
		}
		src, err := json.Marshal(metadata)
		if err != nil {
			t.Fatal(err)
		}
		put(t, d.root, task+"/.return-meta.json", src)
		if d.store, err = artifact.Open(d.root); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for i, stamp := range c.files {
			put(t, d.root, name(stamp), []byte("# Phase 1 Handoff - "+stamp+"\n\n## Immediate Next Action\nApply it.\n"))
			d.age(name(stamp), time.Duration(len(c.files)-i)*time.Hour)
			paths = append(paths, name(stamp))
		}
		d.age(task+"/.return-meta.json", 24*time.Hour)
		state, err := new(reconcile.Loader).Load(t.Context(), d.root, d.store, task)
		if err != nil {
			t.Fatal(err)
		}
		state.Now = c.now
		if got, doubt := state.Newest(paths); got != name(c.want) || doubt != "" {
			t.Errorf("%s: %s, want that of %s (%s)", what, got, c.want, doubt)
		}
		plan := reconcile.Make(state)
		if err := reconcile.Apply(d.root, d.store, plan); err != nil {
			t.Fatal(err)
		}
		var after struct {
			Progress struct {
				Path string `json:"handoff_path"`
			} `json:"partial_progress"`
		}
		if state, err = new(reconcile.Loader).Load(t.Context(), d.root, d.store, task); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(state.Metadata.Src, &after); err != nil || after.Progress.Path != name(c.recorded) {
			t.Errorf("%s: handoff_path is %q, want that of %s: %v", what, after.Progress.Path, c.recorded, plan.Problems)
		}
		d.store.Close()
	}
}
