package rules_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
	"handoff/workspace/reconcile/rules"
)

const (
	checkedTask = "specs/259_prove"
	checkedDoc  = checkedTask + "/handoffs/phase-2-handoff-20260212T143022Z.md"
	checkedMeta = checkedTask + "/.return-meta.json"
	checkedPlan = checkedTask + "/plans/implementation-001.md"
	checkedText = "# Phase 2 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nApply `rcases` on `h_ih`.\n"
)

// checked is a workspace with one task in which all agrees.
type checked struct {
	*testing.T
	root  string
	store *artifact.Store
	id    string // of the document's bundle
}

func newChecked(t *testing.T) *checked {
	c := &checked{T: t, root: t.TempDir()}
	c.put(checkedDoc, checkedText)
	c.put(checkedPlan, "# Plan\n\n## Phase 1: a [COMPLETED]\n\n## Phase 2: b\n")
	c.put(checkedTask+"/progress/phase-2-progress.json", "{\"phase\": 2}\n")
	c.put(checkedMeta, `{
  "status": "partial",
  "artifacts": [
    {"type": "plan", "path": "specs/259_prove/plans/implementation-001.md", "summary": "the plan"}
  ]
}
`)
	var err error
	if c.store, err = artifact.Open(c.root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.store.Close() })
	c.sync()
	for info, err := range c.store.List() {
		if err != nil {
			t.Fatal(err)
		}
		c.id = info.ID.String()
	}
	return c
}

func (c *checked) put(name, text string) {
	c.Helper()
	full := filepath.Join(c.root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		c.Fatal(err)
	}
}

func (c *checked) sync() {
	c.Helper()
	s, err := new(reconcile.Loader).Load(context.Background(), c.root, c.store, checkedTask)
	if err == nil {
		err = reconcile.Apply(c.root, c.store, reconcile.Make(s))
	}
	if err != nil {
		c.Fatal(err)
	}
}

// edit replaces text of the metadata that must be there.
func (c *checked) edit(old, new string) {
	c.Helper()
	src, err := os.ReadFile(filepath.Join(c.root, checkedMeta))
	if err != nil {
		c.Fatal(err)
	}
	if !strings.Contains(string(src), old) {
		c.Fatalf("no %q in\n%s", old, src)
	}
	c.put(checkedMeta, strings.ReplaceAll(string(src), old, new))
}

// link replaces a file with a symbolic link to a copy of it outside.
func (c *checked) link(name string) {
	c.Helper()
	full := filepath.Join(c.root, name)
	out := filepath.Join(c.TempDir(), "out")
	if err := os.Rename(full, out); err != nil {
		c.Fatal(err)
	}
	needs.Symlink(c, out, full)
}

func (c *checked) move(from, to string) {
	c.Helper()
	to = filepath.Join(c.root, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.Rename(filepath.Join(c.root, from), to); err != nil {
		c.Fatal(err)
	}
}

func (c *checked) check() []lint.Finding {
	c.Helper()
	s, err := new(reconcile.Loader).Load(context.Background(), c.root, c.store, checkedTask)
	if err != nil {
		c.Fatal(err)
	}
	return rules.Check(s, rules.DiskOf(c.root), new(lint.Settings))
}

// TestCheck breaks one thing at a time in a task where all agrees. A finding
// is wanted as "file:line severity rule", with "fix" where it is derivable.
func TestCheck(t *testing.T) {
	const second = "specs/259_prove/handoffs/phase-2-handoff-20260213T090000Z.md"
	seen := map[string]bool{}
	meta, doc := ".return-meta.json", "phase-2-handoff-20260212T143022Z.md"
	for _, test := range []struct {
		name  string
		spoil func(c *checked)
		want  []string
	}{
		{"agrees", func(c *checked) {}, nil},
		{"no metadata", func(c *checked) { os.Remove(filepath.Join(c.root, checkedMeta)) },
			[]string{meta + ":0 note unlinked-handoff"}},
		{"an empty task", func(c *checked) { os.RemoveAll(filepath.Join(c.root, checkedTask)); c.put(checkedPlan, "") }, nil},
		{"a newer handoff", func(c *checked) { c.put(second, checkedText) }, []string{
			meta + ":10 error missed-handoff fix",
			"phase-2-handoff-20260213T090000Z.md:0 warning unlinked-handoff fix",
			"phase-2-progress.json:1 note wrong-count fix"}},
		{"output without a bundle", func(c *checked) { c.edit(`"bundle_artifact_id"`, `"was"`) },
			[]string{doc + ":0 warning unlinked-handoff fix"}},
		{"edited after linking", func(c *checked) { c.put(checkedDoc, checkedText+"Then `exact`.\n") },
			[]string{meta + ":5 error stale-bundle fix"}},
		{"missing blob", func(c *checked) { os.RemoveAll(filepath.Join(c.root, ".rip")) },
			[]string{meta + ":5 note unstored-bundle fix"}},
		{"flipped byte", func(c *checked) {
			blob := artifact.Blobs + "/" + c.id
			src, err := os.ReadFile(filepath.Join(c.root, blob))
			if err != nil {
				c.Fatal(err)
			}
			src[40] ^= 1
			c.put(blob, string(src))
		}, []string{"BUNDLE:0 error damaged-blob fix"}},
		{"a handoff of unknown age", func(c *checked) {
			c.put(checkedTask+"/handoffs/phase-2-handoff-20260213.md", checkedText)
			c.put(checkedTask+"/handoffs/phase-2-handoff-20260213-003.md", checkedText)
			c.edit(`"handoff_path"`, `"was"`)
		}, []string{meta + ":7 warning unclear-handoff",
			"phase-2-handoff-20260213-003.md:0 warning unlinked-handoff fix",
			"phase-2-handoff-20260213.md:0 warning unlinked-handoff fix",
			"phase-2-progress.json:1 note wrong-count fix"}},
		{"missing artifact of a reference", func(c *checked) {
			c.put(checkedDoc, checkedText+"\n## References (read only if stuck)\n- "+strings.Repeat("ab", 32)+"\n")
		}, []string{meta + ":5 error stale-bundle fix", doc + ":7 error missing-blob"}},
		{"reference to the bundle of another document", func(c *checked) {
			c.put(second, checkedText+"\n## References (read only if stuck)\n- "+c.id+"\n")
			c.sync()
			os.RemoveAll(filepath.Join(c.root, ".rip"))
		}, []string{meta + ":5 note unstored-bundle fix"}},
		{"checkout with CRLF", func(c *checked) {
			for _, name := range []string{checkedDoc, checkedMeta, checkedPlan} {
				src, err := os.ReadFile(filepath.Join(c.root, name))
				if err != nil {
					c.Fatal(err)
				}
				c.put(name, strings.ReplaceAll(string(src), "\n", "\r\n"))
			}
		}, nil},
		{"plan without marks", func(c *checked) { c.put(checkedPlan, "# Plan\n\n## Phase 1: a\n\n## Phase 2: b\n") }, nil},
		{"path that begins with ./", func(c *checked) { c.edit(`"path": "`+checkedDoc, `"path": "./`+checkedDoc) }, nil},
		{"dangling path", func(c *checked) { c.edit("handoffs/phase-2", "handoffs/phase-9") }, []string{
			meta + ":5 error dangling-path fix", meta + ":10 error dangling-path fix",
			doc + ":0 warning unlinked-handoff fix"}},
		{"dangling path of a handoff that was renamed", func(c *checked) {
			c.move(checkedDoc, strings.Replace(second, "phase-2", "phase-3", 1))
		}, []string{meta + ":5 error dangling-path fix", meta + ":10 error dangling-path fix",
			"phase-3-handoff-20260213T090000Z.md:0 warning unlinked-handoff fix", "phase-2-progress.json:1 note wrong-count fix"}},
		{"dangling path of nobody's", func(c *checked) { c.edit(`"handoff_path": "`+checkedDoc, `"handoff_path": "specs/1_x/handoffs/a.md`) },
			[]string{meta + ":10 error dangling-path fix"}},
		{"dangling output of nobody's", func(c *checked) {
			c.edit(`{"type": "plan"`, `{"type": "handoff", "path": "specs/1_x/handoffs/a.md"}, {"type": "plan"`)
		}, []string{meta + ":4 warning handoff-first", meta + ":4 error dangling-path"}},
		{"dangling plan", func(c *checked) { c.edit("plans/implementation-001.md", "plans/implementation-002.md") },
			[]string{meta + ":4 warning dangling-path"}},
		{"path of a folder", func(c *checked) { c.edit("plans/implementation-001.md", "plans") }, nil},
		{"address for a path", func(c *checked) { c.edit(checkedPlan, "https://example.com/plan") }, nil},
		{"path with ..", func(c *checked) { c.edit(`"handoff_path": "specs/`, `"handoff_path": "../specs/`) },
			[]string{meta + ":10 error foreign-path fix"}},
		{"path with .. in the middle", func(c *checked) { c.edit(`"handoff_path": "specs/`, `"handoff_path": "specs/../../x/`) },
			[]string{meta + ":10 error foreign-path fix"}},
		{"absolute path of an output", func(c *checked) { c.edit(checkedPlan, "/etc/passwd") },
			[]string{meta + ":4 warning foreign-path"}},
		{"drive", func(c *checked) { c.edit(checkedPlan, `C:\\plan.md`) }, []string{meta + ":4 warning foreign-path"}},
		{"id with ..", func(c *checked) { c.edit(c.id, "../../../../etc/passwd") },
			[]string{meta + ":5 error foreign-path fix"}},
		{"id in capitals", func(c *checked) { c.edit(c.id, strings.ToUpper(c.id)) },
			[]string{meta + ":5 error foreign-path fix"}},
		{"content kept aside", func(c *checked) { c.put(checkedMeta+".handoff-saved-0123456789abcdef", "{}\n") }, []string{
			meta + ".handoff-saved-0123456789abcdef:0 error kept-aside"}},
		{"handoff linked outside", func(c *checked) { c.link(checkedDoc) }, []string{
			doc + ":0 error linked-outside"}},
		{"folder linked outside", func(c *checked) { c.link(checkedTask + "/handoffs") }, []string{
			"handoffs:0 error linked-outside"}},
		{"metadata linked outside", func(c *checked) { c.link(checkedMeta) }, []string{meta + ":0 error linked-outside"}},
		{"progress linked outside", func(c *checked) { c.link(checkedTask + "/progress/phase-2-progress.json") },
			[]string{"phase-2-progress.json:0 error linked-outside"}},
		{"blob linked outside", func(c *checked) { c.link(artifact.Blobs + "/" + c.id) },
			[]string{"BUNDLE:0 error linked-outside"}},
		{"link inside", func(c *checked) {
			c.move(checkedPlan, checkedTask+"/plans/plan.txt")
			needs.Symlink(c, "plan.txt", filepath.Join(c.root, checkedPlan))
		}, nil},
		{"case of a handoff", func(c *checked) {
			c.put(checkedTask+"/handoffs/Phase-2-handoff-20260212T143022Z.md", "# x\n")
			if len(c.names(checkedTask+"/handoffs")) < 2 {
				needs.Missing(c, "case", "this file system takes names for the same that differ in case only")
			}
			c.sync()
		}, []string{doc + ":0 error case-clash"}},
		{"case of a path", func(c *checked) {
			c.edit(`"handoff_path": "specs/259_prove/handoffs/phase`, `"handoff_path": "specs/259_prove/handoffs/Phase`)
		},
			[]string{meta + ":10 error case-clash fix"}},
		{"case of a folder in a path", func(c *checked) { c.edit(`"handoff_path": "specs/259_prove`, `"handoff_path": "specs/259_Prove`) },
			[]string{meta + ":10 error case-clash fix"}},
		{"case of a task", func(c *checked) {
			c.put("specs/259_PROVE/plans/x.md", "")
			if len(c.names("specs")) < 2 {
				needs.Missing(c, "case", "this file system takes names for the same that differ in case only")
			}
		}, []string{"259_prove:0 error case-clash"}},
		{"wrong stage", func(c *checked) { c.edit("context_exhaustion_handoff", "implementing") },
			[]string{meta + ":8 warning wrong-stage fix"}},
		{"stage of a task that is done", func(c *checked) {
			c.edit("context_exhaustion_handoff", "implementing")
			c.edit(`"status": "partial"`, `"status": "implemented"`)
		}, nil},
		{"stage of a report", func(c *checked) {
			c.put(checkedDoc, "# Phase 2 Handoff\n\nAll done.\n")
			c.sync()
		}, []string{meta + ":8 warning wrong-stage"}},
		{"stage without a handoff", func(c *checked) {
			os.Remove(filepath.Join(c.root, checkedDoc))
			c.put(checkedMeta, `{"status": "partial", "partial_progress": {"stage": "context_exhaustion_handoff"}}`)
		}, []string{meta + ":1 warning wrong-stage", "phase-2-progress.json:1 note wrong-count fix"}},
		{"misplaced at the top", func(c *checked) { c.edit(`"status": "partial",`, `"status": "partial", "handoff_path": "x",`) },
			[]string{meta + ":2 warning misplaced-handoff-path"}},
		{"misplaced in metadata", func(c *checked) {
			c.edit(`"status": "partial",`, `"status": "partial", "metadata": {"handoff_path": "x"},`)
		}, []string{meta + ":2 warning misplaced-handoff-path"}},
		{"null where a handoff waits", func(c *checked) { c.edit(`"handoff_path": "`+checkedDoc+`"`, `"handoff_path": null`) },
			[]string{meta + ":10 error missed-handoff fix"}},
		{"null where none waits", func(c *checked) {
			c.edit(`"handoff_path": "`+checkedDoc+`"`, `"handoff_path": null`)
			c.edit(`"status": "partial"`, `"status": "implemented"`)
		}, []string{meta + ":10 note null-handoff-path"}},
		{"a handoff that is done", func(c *checked) {
			c.edit(`"bundle_artifact_id": "`+c.id+`"`, `"bundle_artifact_id": "`+c.id+`", "done_at": "2026-02-12T15:00:00Z"`)
		}, []string{meta + ":10 warning unshared-end fix"}},
		{"no partial_progress", func(c *checked) { c.edit(`"partial_progress"`, `"was"`) },
			[]string{meta + ":0 error missed-handoff fix"}},
		{"a person is asked", func(c *checked) {
			c.edit(`"partial_progress"`, `"was"`)
			c.edit(`"status": "partial",`, `"status": "partial", "requires_user_review": true,`)
		}, nil},
		{"handoff first", func(c *checked) {
			c.put(checkedMeta, strings.ReplaceAll(fmt.Sprintf(`{"status": "implemented", "artifacts": [
{"type": "handoff", "path": %q, "summary": "s", "bundle_artifact_id": "ID"},
{"type": "plan", "path": %q, "summary": "s"}]}`, checkedDoc, checkedPlan), "ID", c.id))
		}, []string{meta + ":2 warning handoff-first"}},
		{"wrong count", func(c *checked) { c.put(checkedTask+"/progress/phase-2-progress.json", `{"handoff_count": 0}`) },
			[]string{"phase-2-progress.json:1 note wrong-count fix"}},
		{"plan goes on", func(c *checked) { c.put(checkedPlan, "## Phase 1 [COMPLETED]\n## Phase 2 [DONE]\n## Phase 3\n") },
			[]string{meta + ":11 warning phases-mismatch fix", meta + ":12 warning phases-mismatch fix"}},
		{"details that are a list", func(c *checked) { c.edit(`"details": "Apply `+"`rcases` on `h_ih`."+`"`, `"details": ["a", "b"]`) },
			[]string{meta + ":9 warning malformed-progress"}},
		{"phases_completed is a list", func(c *checked) { c.edit(`"phases_completed": 1`, `"phases_completed": ["1"]`) },
			[]string{meta + ":11 warning malformed-progress fix"}},
		{"phases_completed is no whole number", func(c *checked) { c.edit(`"phases_completed": 1`, `"phases_completed": 1.5`) },
			[]string{meta + ":11 warning malformed-progress"}},
		{"partial_progress is a text", func(c *checked) {
			c.put(checkedMeta, fmt.Sprintf(`{"status": "partial", "partial_progress": "stuck", "artifacts": [{"path": %q, "bundle_artifact_id": %q}]}`, checkedDoc, c.id))
		}, []string{meta + ":1 warning malformed-progress fix"}},
		{"metadata is no JSON", func(c *checked) { c.put(checkedMeta, "{\n  \"status\": partial\n}") },
			[]string{meta + ":2 error unparsable-file"}},
		{"metadata is empty", func(c *checked) { c.put(checkedMeta, "") }, []string{meta + ":1 error unparsable-file"}},
		{"an older handoff says more", func(c *checked) {
			c.put(checkedTask+"/handoffs/phase-1-handoff-20260101T100000Z.md", "# Phase 1 Handoff - 20260101T100000Z\n\n## What NOT to Try\n1. omega: too slow\n")
		}, []string{"phase-1-handoff-20260101T100000Z.md:0 warning unlinked-handoff fix", doc + ":0 note vanished-item"}},
		{"metadata is a list", func(c *checked) { c.put(checkedMeta, "[]") }, []string{meta + ":1 error unparsable-file"}},
		{"key twice", func(c *checked) { c.edit(`"status": "partial",`, `"status": "partial",`+"\n"+`"status": "partial",`) },
			[]string{meta + ":3 error unparsable-file"}},
		{"progress is no JSON", func(c *checked) { c.put(checkedTask+"/progress/phase-2-progress.json", "{,}") },
			[]string{"phase-2-progress.json:1 error unparsable-file"}},
		{"outputs are texts", func(c *checked) {
			c.edit(`{"type": "plan", "path": "specs/259_prove/plans/implementation-001.md", "summary": "the plan"}`, `"plans/x.md", {"type": "plan"}`)
		}, []string{meta + ":4 warning malformed-output"}},
		{"outputs are an object", func(c *checked) { c.put(checkedMeta, `{"status": "implemented", "artifacts": {"plan": "x"}}`) },
			[]string{meta + ":1 warning malformed-output"}},
		{"binary", func(c *checked) { c.put(checkedDoc, "\xff\xfe\x00") }, []string{doc + ":1 error unreadable-file"}},
		{"folder in the place of metadata", func(c *checked) {
			os.Remove(filepath.Join(c.root, checkedMeta))
			os.Mkdir(filepath.Join(c.root, checkedMeta), 0o755)
		}, []string{meta + ":0 error unreadable-file"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newChecked(t)
			test.spoil(c)
			var got []string
			for _, f := range c.check() {
				got = append(got, c.brief(f))
				seen[f.Rule] = true
			}
			if !slices.Equal(got, test.want) {
				src, _ := os.ReadFile(filepath.Join(c.root, checkedMeta))
				t.Errorf("got\n%s\nwant\n%s\n\n%v\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"), c.check(), src)
			}
			c.fixes()
		})
	}
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // some cases only
	}
	for _, r := range rules.All {
		if r.Check != nil && !seen[r.Name] && !t.Failed() {
			t.Errorf("no case finds %s", r.Name)
		}
	}
}

func (c *checked) names(dir string) []string { return rules.DiskOf(c.root).Names(dir) }

func (c *checked) brief(f lint.Finding) string {
	s := fmt.Sprintf("%s:%d %s %s", strings.Replace(filepath.Base(f.Path), c.id, "BUNDLE", 1), f.Lines.First, f.Severity, f.Rule)
	if f.Derivable {
		s += " fix"
	}
	return s
}

// fixes checks that applying the plan fixes the derivable findings, and only
// those.
func (c *checked) fixes() {
	want := 0
	for _, f := range c.check() {
		if !f.Derivable {
			want++
		}
	}
	s, err := new(reconcile.Loader).Load(context.Background(), c.root, c.store, checkedTask)
	if err != nil {
		c.Fatal(err)
	}
	if err := reconcile.Apply(c.root, c.store, reconcile.Make(s.Strict())); err != nil {
		if len(c.check()) == want { // nothing was promised
			return
		}
		c.Fatal(err)
	}
	left := c.check()
	if len(left) != want {
		c.Errorf("%d findings after fixing, want %d: %v", len(left), want, left)
	}
	for _, f := range left {
		if f.Derivable {
			c.Errorf("still derivable after fixing: %v", f)
		}
	}
}
