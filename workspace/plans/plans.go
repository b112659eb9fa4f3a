// Package plans reads the plans of other tools where they are: OpenSpec, Spec Kit, GSD, beads and
// Backlog.md. It counts their tasks and finds the first one that is not done, and writes nothing.
package plans

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/internal/text/visible"
	"handoff/workspace"
)

// Plan is a plan of another tool, which is read where it is: a list of tasks, some of them done.
type Plan struct {
	Tool  string
	Path  string // below the root
	Done  int
	Total int
	Next  string // the first task that is not done, on one line; "" if all are
}

// String says how far the plan is and what comes next.
func (p Plan) String() string {
	text := fmt.Sprintf("%s (%s): %d of %d tasks done", p.Path, p.Tool, p.Done, p.Total)
	if p.Next != "" {
		text += ", next: " + p.Next
	}
	return text
}

// planFiles are the plans of tools: globs below the root, and what counts the tasks of a file.
var planFiles = [...]struct {
	tool, glob string
	read       func(p *Plan, src []byte)
}{
	{"OpenSpec", "openspec/changes/*/tasks.md", checkboxes},
	{specKit, handoff.Root + "/*/tasks.md", checkboxes},
	{"GSD", ".planning/ROADMAP.md", checkboxes},
	{"beads", ".beads/issues.jsonl", issues},
	{"Backlog.md", "backlog/tasks/*.md", backlogTask},
}

// maxPlans is how many files are read, and maxNext how much of a task is shown.
const maxPlans, maxNext = 200, 120

// look returns the plans of other tools in the tree that are not finished, those that somebody has
// begun first, and the tools whose plans are all finished. Files that cannot be read are left out.
func look(w *workspace.Workspace) (list []Plan, finished []string) {
	for _, kind := range planFiles {
		paths, _ := filepath.Glob(filepath.Join(escapeGlob(w.Root), filepath.FromSlash(kind.glob)))
		for _, full := range paths[:min(len(paths), maxPlans)] {
			p := Plan{Tool: kind.tool, Path: w.Rel(full)}
			if kind.tool == specKit && !handoff.IsFeature(path.Base(path.Dir(p.Path))) {
				continue
			}
			src, err := read(w, p.Path)
			if err != nil {
				continue
			}
			kind.read(&p, src)
			if kind.tool == "GSD" && complete(w) {
				p.Done = p.Total
			}
			if p.Done < p.Total {
				list = append(list, p)
			} else if p.Total > 0 && !slices.Contains(finished, kind.tool) {
				finished = append(finished, kind.tool)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Plan) int { return cmp.Compare(min(b.Done, 1), min(a.Done, 1)) })
	return list, finished
}

var completeLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^\W*status\W+(?:v[\d.]+ )?(?:milestone )?complete`)
})

// complete reports whether GSD's state calls the work complete. Its roadmap often keeps open boxes then.
func complete(w *workspace.Workspace) bool {
	src, err := read(w, ".planning/STATE.md")
	return err == nil && completeLine().Match(src)
}

// read reads a file of a plan, by its path below the root.
func read(w *workspace.Workspace, p string) ([]byte, error) {
	most := int64(workspace.MaxSize)
	if path.Ext(p) == ".jsonl" {
		most = maxIssues
	}
	return w.Trusted().ReadFile(w.Full(p), most)
}

// escapeGlob makes a glob of a path that matches only that path.
func escapeGlob(p string) string {
	if os.PathSeparator == '\\' {
		return p // Windows has no signs to escape with, and no * or ? in names
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// Line describes the plans of other tools in the tree in a sentence; "" for none.
func Line(w *workspace.Workspace) string {
	list, finished := look(w)
	if len(list) == 0 {
		for _, l := range w.Config.Documents { // all that a change or an issue can be is archived or closed
			if l.Plan != nil && l.Plan.Needs && !slices.Contains(finished, l.Plan.Tool) && len(tasksOf[l.Plan.Tool](w)) == 0 {
				finished = append(finished, l.Plan.Tool)
			}
		}
		if len(finished) == 0 {
			return ""
		}
		return "the plan of " + strings.Join(finished, " and of ") + " here has no open task"
	}
	text := "the plan here is " + list[0].String()
	if more := len(list) - 1; more > 0 {
		text += fmt.Sprintf(" (and %s)", say.Count(more, "other unfinished plan"))
	}
	return text
}

// add counts a task.
func (p *Plan) add(done bool, text string) {
	p.Total++
	switch {
	case done:
		p.Done++
	case p.Next == "":
		p.name(text)
	}
}

// name says what comes next, on one line.
func (p *Plan) name(text string) {
	p.Next = visible.Line(strings.Join(strings.Fields(text), " "))
	if len(p.Next) > maxNext {
		p.Next = strings.ToValidUTF8(p.Next[:maxNext], "") + " …"
	}
}

// checkboxes counts the items of a list with a box each: "- [x] 1.1 Add the table".
func checkboxes(p *Plan, src []byte) {
	fenced := false
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || len(line) < 6 || !strings.Contains("-*+", line[:1]) || !strings.HasPrefix(strings.TrimLeft(line[1:], " "), "[") {
			continue
		}
		box, text, ok := strings.Cut(strings.TrimLeft(line[1:], " ")[1:], "]")
		switch {
		case ok && strings.EqualFold(box, "x"):
			p.add(true, text)
		case ok && strings.TrimSpace(box) == "":
			p.add(false, text)
		}
	}
}

// issue is a line of what beads exports.
type issue struct {
	ID, Title, Status string
	Priority          int
}

// issues counts the issues that beads exports, a line each. What is in progress comes next, else
// the open one with the least priority number.
func issues(p *Plan, src []byte) {
	best, next := 1<<10, ""
	for line := range bytes.Lines(src) {
		var one issue
		if json.Unmarshal(line, &one) != nil || one.ID == "" || one.Status == "tombstone" {
			continue
		}
		p.Total++
		rank := one.Priority + 100
		switch one.Status {
		case "closed":
			p.Done++
			continue
		case "in_progress":
			rank = one.Priority
		case "open":
		default:
			continue // blocked, deferred
		}
		if rank < best {
			best, next = rank, one.ID+" "+one.Title
		}
	}
	p.name(next)
}

// backlogTask reads a task of Backlog.md, a file each: its criteria, else its status.
func backlogTask(p *Plan, src []byte) {
	front, body, _ := strings.Cut(strings.TrimPrefix(string(src), "---\n"), "\n---")
	title, done := "", false
	for line := range strings.Lines(front) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `'"`)
		switch key {
		case "title":
			title = value
		case "status":
			done = strings.EqualFold(value, "done")
		}
	}
	if done {
		p.Total, p.Done = 1, 1
		return
	}
	if checkboxes(p, []byte(body)); p.Total == 0 || p.Done == p.Total {
		p.Total, p.Done = 1, 0
	}
	p.name(title)
}
