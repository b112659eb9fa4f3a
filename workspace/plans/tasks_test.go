package plans

import (
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
)

// TestTasksStayInside: the folders of a plan that are behind a link out of the workspace are no tasks, so that
// their names reach neither a message nor a path. A link to a folder of the workspace is followed.
func TestTasksStayInside(t *testing.T) {
	for _, dir := range []string{"openspec/changes", ".planning/phases", "backlog/tasks"} {
		outer, root := t.TempDir(), t.TempDir()
		treetest.Write(t, outer, "07-secret/tasks.md", "- [ ] 1 Read it\n")
		treetest.Write(t, outer, "task-7 - Secret.md", "---\ntitle: Secret\n---\n")
		treetest.Write(t, root, filepath.ToSlash(filepath.Dir(dir))+"/config.yml", "x: 1\n")
		treetest.Write(t, root, ".planning/STATE.md", "# State\n")
		needs.Symlink(t, outer, filepath.Join(root, filepath.FromSlash(dir)))
		w := workspace.New(root, config.Default(), workspace.Options{})
		for _, list := range [][]Task{changes(w), phases(w), backlogTasks(w)} {
			if len(list) > 0 {
				t.Errorf("%s: %+v", dir, list)
			}
		}
	}
	root := t.TempDir()
	treetest.Write(t, root, "plans/add-login/tasks.md", "- [ ] 1 Write it\n")
	treetest.Write(t, root, "openspec/project.md", "# Project\n")
	needs.Symlink(t, filepath.Join("..", "plans"), filepath.Join(root, "openspec", "changes"))
	if list := changes(workspace.New(root, config.Default(), workspace.Options{})); len(list) != 1 || list[0].ID != "add-login" {
		t.Errorf("%+v", list)
	}
}
