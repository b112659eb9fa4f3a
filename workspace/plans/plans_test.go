package plans

import (
	"strings"
	"testing"

	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
)

func TestLine(t *testing.T) {
	const boxes = "# Tasks\n\n## 1. Backend\n- [x] 1.1 Add the table\n- [ ] 1.2 Write POST /login\n  * [X] done\n1. [ ] no item\n```\n- [ ] an example\n```\n- [ ] 1.3 Form\n- [link](x)\n"
	for _, c := range []struct{ path, text, want string }{
		{"openspec/changes/add-login/tasks.md", boxes, "openspec/changes/add-login/tasks.md (OpenSpec): 2 of 4 tasks done, next: 1.2 Write POST /login"},
		{"openspec/changes/archive/2026-01-01-old/tasks.md", boxes, ""},
		{"openspec/changes/add-login/tasks.md", "- [x] all\n", "the plan of OpenSpec here has no open task"},
		{"specs/001-login/tasks.md", boxes, "specs/001-login/tasks.md (Spec Kit): 2 of 4 tasks done, next: 1.2 Write POST /login"},
		{"specs/1_login/tasks.md", boxes, ""},
		{".planning/ROADMAP.md", "- [x] **Phase 6: Base**\n- [ ] **Phase 7: Auth**\n", ".planning/ROADMAP.md (GSD): 1 of 2 tasks done, next: **Phase 7: Auth**"},
		{".beads/issues.jsonl", `{"id":"bd-1","title":"Later","status":"open","priority":3}` + "\nnot JSON\n" + `{"id":"bd-2","title":"Form\u001b[31m","status":"open","priority":1}` + "\n" +
			`{"id":"bd-3","title":"Old","status":"closed"}` + "\n" + `{"id":"bd-4","title":"Gone","status":"tombstone"}`, ".beads/issues.jsonl (beads): 1 of 3 tasks done, next: bd-2 Form"},
		{"backlog/tasks/task-1 - Login.md", "---\nid: task-1\ntitle: 'Write POST /login'\nstatus: In Progress\n---\n\n## Acceptance Criteria\n- [x] #1 a\n- [ ] #2 b\n", "backlog/tasks/task-1 - Login.md (Backlog.md): 1 of 2 tasks done, next: Write POST /login"},
		{"backlog/tasks/task-2 - Form.md", "---\ntitle: Form\nstatus: Done\n---\n- [ ] #1 a\n", "the plan of Backlog.md here has no open task"},
		{"README.md", boxes, ""},
	} {
		dir := t.TempDir()
		treetest.Write(t, dir, c.path, c.text)
		got := strings.TrimPrefix(Line(workspace.New(dir, config.Default(), workspace.Options{})), "the plan here is ")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") || strings.ContainsRune(got, '\x1b') {
			t.Errorf("%s:\n got %q\nwant %q", c.path, got, c.want)
		}
	}
	dir := t.TempDir()
	treetest.Write(t, dir, ".planning/ROADMAP.md", "- [x] **Phase 6: Base**\n- [ ] **Phase 7: Auth**\n")
	treetest.Write(t, dir, ".planning/STATE.md", "# State\n\n**Status:** Milestone complete\n")
	if got, want := Line(workspace.New(dir, config.Default(), workspace.Options{})), "the plan of GSD here has no open task"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	dir = t.TempDir()
	treetest.Write(t, dir, "openspec/changes/a/tasks.md", "- [ ] not begun\n")
	treetest.Write(t, dir, "openspec/changes/b/tasks.md", "- [x] one\n- [ ] two\n")
	if got, want := Line(workspace.New(dir, config.Default(), workspace.Options{})), "the plan here is openspec/changes/b/tasks.md (OpenSpec): 1 of 2 tasks done, next: two (and 1 other unfinished plan)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
