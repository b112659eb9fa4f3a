package plans

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"handoff/document/task"
	"handoff/internal/text/visible"
	"handoff/workspace"
)

// Task is a task of a plan: a change, a feature, a phase or an issue.
type Task struct {
	Plan
	Layout *task.Layout // of the handoffs beside it; nil for those of a task folder
	Dir    string       // its task folder; "" for those with a layout
	ID     string       // what the tool calls it: add-login, 001-login, 07-auth, bd-12
	Title  string       // on one line; "" if the plan has none
	Number int          // 0 for none
	preset string
	Phase  int // of the plan, in which the next item is; 0 for none
}

// Called is the task in a sentence.
func (t Task) Called() string { return t.ID + " of " + t.Tool }

// Reference is the file that a handoff of the task names as its plan; "" for a file that is for
// programs.
func (t Task) Reference() string {
	if path.Ext(t.Path) != ".md" {
		return ""
	}
	return t.Path
}

// maxID is the longest name of a task that is used in a path, and maxIssues the most bytes of
// exported issues that are read.
const maxID, maxIssues = 100, 64 << 20

// isID reports whether a name can be a part of a path that we write, and of a line that we print.
func isID(s string) bool {
	return s != "" && len(s) <= maxID && s[0] != '.' && s[0] != '-' && visible.Line(s) == s && !strings.ContainsAny(s, "/\\\"'`{}*?[]<>|:")
}

// Read counts the items of a task and finds the first that is not done.
func (t *Task) Read(w *workspace.Workspace) {
	switch t.Tool {
	case specKit:
		t.items(w, t.Dir, "tasks.md", "plan.md", "spec.md")
	case "OpenSpec":
		t.items(w, "openspec/changes/"+t.ID, "tasks.md", "design.md", "proposal.md")
	case "GSD":
		t.plansOf(w)
	case "Backlog.md":
		src, _ := read(w, t.Path)
		title := t.Title
		backlogTask(&t.Plan, src)
		t.Title = cmp.Or(t.Next, title)
		if _, body, ok := strings.Cut(string(src), "\n---"); ok {
			var items Plan
			if checkboxes(&items, []byte(body)); items.Next != "" {
				t.Next = strings.TrimSpace(strings.TrimLeft(items.Next, "#0123456789"))
			}
		}
	}
}

// items reads the list of a folder, the first of some files that it has.
func (t *Task) items(w *workspace.Workspace, dir string, names ...string) {
	for _, name := range names {
		p := dir + "/" + name
		src, err := read(w, p)
		if err != nil {
			continue
		}
		if t.Path = p; name == names[0] {
			checkboxes(&t.Plan, src)
			t.Phase = phaseOf(src)
		}
		break
	}
	for _, name := range []string{"proposal.md", "spec.md"} {
		if src, err := read(w, dir+"/"+name); err == nil {
			t.Title = titleOf(src)
			return
		}
	}
}

var phaseHeading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#{1,4} Phase (\d{1,4})\b`) })

// phaseOf is the phase of a list in which its first open item is; 0 if it has no phases.
func phaseOf(src []byte) (phase int) {
	for line := range strings.Lines(string(src)) {
		if m := phaseHeading().FindStringSubmatch(line); m != nil {
			phase, _ = strconv.Atoi(m[1])
		}
		var one Plan
		if checkboxes(&one, []byte(line)); one.Next != "" {
			break
		}
	}
	return phase
}

// titleOf is the title of a document without what kind of document it is: "Add login" of "# Change: Add login".
func titleOf(src []byte) string {
	for line := range strings.Lines(string(src)) {
		text, ok := strings.CutPrefix(line, "# ")
		if !ok {
			continue
		}
		if kind, rest, ok := strings.Cut(text, ": "); ok && strings.Trim(strings.ToLower(kind), "abcdefghijklmnopqrstuvwxyz ") == "" {
			text = rest
		}
		if text = oneLine(text); strings.EqualFold(text, "proposal") {
			return ""
		}
		return text
	}
	return ""
}

// entriesOf lists a folder of the tree; none if it cannot be read, or is behind a link out of the workspace,
// whose names are no tasks.
func entriesOf(w *workspace.Workspace, dir string) []os.DirEntry {
	real, err := w.Trusted().Inside(w.Full(dir))
	if err != nil {
		return nil
	}
	entries, _ := os.ReadDir(real)
	return entries
}

// folders are the names of the folders in a folder of the tree, sorted.
func folders(w *workspace.Workspace, dir string) (names []string) {
	for _, e := range entriesOf(w, dir) {
		if e.IsDir() && e.Name() != "archive" {
			names = append(names, e.Name())
		}
	}
	return names
}

// changes are the changes of OpenSpec that are not archived.
func changes(w *workspace.Workspace) (list []Task) {
	for _, name := range folders(w, "openspec/changes") {
		list = append(list, Task{ID: name})
	}
	return list
}

// phases are the phases of GSD that have a folder.
func phases(w *workspace.Workspace) (list []Task) {
	for _, name := range folders(w, ".planning/phases") {
		list = append(list, Task{ID: name})
	}
	return list
}

// plansOf counts the plans of a phase; each that was carried out has a summary beside it.
func (t *Task) plansOf(w *workspace.Workspace) {
	dir := ".planning/phases/" + t.ID
	entries := entriesOf(w, dir)
	has := map[string]bool{}
	for _, e := range entries {
		has[e.Name()] = true
	}
	t.Path = ".planning/ROADMAP.md"
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), "PLAN.md")
		if !ok || !isID(e.Name()) {
			continue
		}
		if t.add(has[stem+"SUMMARY.md"], "Carry out the plan "+e.Name()); t.Next != "" && t.Path == ".planning/ROADMAP.md" {
			t.Path = dir + "/" + e.Name()
		}
	}
	if src, err := read(w, ".planning/ROADMAP.md"); err == nil && t.Number > 0 {
		if m := regexp.MustCompile(`(?m)^\W*Phase 0*` + strconv.Itoa(t.Number) + `: ([^\n*]+)`).FindSubmatch(src); m != nil {
			t.Title = oneLine(string(m[1]))
		}
	}
}

// openIssues are the issues of beads that are not closed.
func openIssues(w *workspace.Workspace) (list []Task) {
	const file = ".beads/issues.jsonl"
	src, err := read(w, file)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(src) {
		var one issue
		if json.Unmarshal(line, &one) != nil || one.Status == "closed" || one.Status == "tombstone" {
			continue
		}
		t := Task{ID: one.ID, Title: oneLine(one.Title)}
		t.Path, t.Total, t.Next = file, 1, t.Title
		list = append(list, t)
	}
	return list
}

// backlogTasks are the tasks of Backlog.md: "task-12 - Write-the-form.md".
func backlogTasks(w *workspace.Workspace) (list []Task) {
	for _, e := range entriesOf(w, "backlog/tasks") {
		stem, ok := strings.CutSuffix(e.Name(), ".md")
		id, title, named := strings.Cut(stem, " - ")
		if !ok || !named || e.IsDir() {
			continue
		}
		t := Task{ID: strings.ToLower(id), Title: oneLine(strings.ReplaceAll(title, "-", " "))}
		t.Path = "backlog/tasks/" + e.Name()
		list = append(list, t)
	}
	return list
}

func oneLine(text string) string { return visible.Line(strings.Join(strings.Fields(text), " ")) }
