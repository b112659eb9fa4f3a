package task

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"handoff/document/handoff"
)

// Plan is the plan of another tool, beside which the documents of a layout are. Which tasks it
// has is in its own files: see [handoff/workspace/plans].
type Plan struct {
	Tool   string
	Signs  []string // files and folders below the root: one that exists shows that the tool is in use
	Beside string   // form of a document of a task; its {task} is what the tool calls it
	// Needs reports that a document is written about a task that the plan has. Only a draft, whose
	// author cannot be asked, may be of none: it has the first name of the layout.
	Needs bool

	numbered place
}

// place is where the name of a task has its number.
type place uint8

const (
	nowhere  place = iota // add-2fa
	leading               // 07-auth
	trailing              // bd-12, task-12
)

// Number is the number of a task in what the tool calls it; width is 0 if that has none.
func (p *Plan) Number(id string) (number, width int) {
	digits := ""
	switch p.numbered {
	case leading:
		digits, _, _ = strings.Cut(id, "-")
		if rest, ok := strings.CutPrefix(id, "phase-"); ok {
			digits, _, _ = strings.Cut(rest, "-")
		}
	case trailing:
		digits = id[strings.LastIndexByte(id, '-')+1:]
	}
	if n, err := strconv.Atoi(digits); err == nil && strings.Trim(digits, "0123456789") == "" && n <= handoff.MaxTask {
		return n, len(digits)
	}
	return 0, 0
}

// shown is the first sign of the tool that a tree has; "" for none.
func (p *Plan) shown(root string) string {
	for _, sign := range p.Signs {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(sign))); err == nil {
			return sign
		}
	}
	return ""
}

// openspec is the folder of a change of OpenSpec. An archived change takes its handoffs with it,
// to a folder further down, where they are not read.
func openspec() *Layout {
	const dir = "openspec/changes/"
	l := beside("openspec", &Plan{Tool: "OpenSpec", Signs: []string{"openspec/changes", "openspec/project.md", "openspec/specs"}, Beside: dir + "{task}/handoff-{time}.md", Needs: true})
	l.Files = []string{dir + "*/*handoff*.md", dir + "*/HANDOFF*.md", dir + "*/handoffs/*.md", "openspec/handoffs/*.md"}
	l.Names = append(l.Names, "openspec/handoffs/{time}.md", l.Plan.Beside, dir+"{task}/*handoff-{time}*.md", dir+"{task}/*handoff*.md", dir+"{task}/handoffs/{time}*.md", dir+"{task}/handoffs/*{time}.md", dir+"{task}/handoffs/*.md")
	return l
}

// beads is a folder beside the exported issues, a file for each handoff of an issue.
func beads() *Layout {
	return flat("beads", ".beads/handoffs/", &Plan{Tool: "beads", Signs: []string{".beads/issues.jsonl", ".beads/metadata.json"}})
}

// backlog is a folder beside the tasks of Backlog.md, which reads none but its own folders.
func backlog() *Layout {
	return flat("backlog", "backlog/handoffs/", &Plan{Tool: "Backlog.md", Signs: []string{"backlog/config.yml", "backlog/config.yaml"}})
}

// flat is a folder beside a plan that has ids for its tasks, a file for each handoff of a task.
func flat(name, dir string, p *Plan) *Layout {
	p.Beside, p.Needs, p.numbered = dir+"{task}_{time}.md", true, trailing
	l := beside(name, p)
	l.Files = []string{dir + "*.md"}
	l.Names = append(l.Names, dir+"{time}.md", p.Beside, dir+"{task}_{time}*.md", dir+"{task}_*.md", dir+"{task}.md")
	return l
}

// beside is a layout beside a plan, before it gets its files.
func beside(name string, p *Plan) *Layout {
	l := Custom()
	l.Name, l.Plan = name, p
	last := len(l.Headings) - 1
	l.Headings = slices.Concat(l.Headings[last:], l.Headings[:last]) // the next action comes first
	l.Front = []string{"date: {date}"}
	return l
}
