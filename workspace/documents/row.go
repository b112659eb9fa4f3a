package documents

import (
	"strings"

	"handoff"
)

// Row is a handoff in a list. Commands and servers print it as JSON.
type Row struct {
	Ref   string `json:"ref" doc:"short name, 259/3; empty if the path has no task or phase"`
	Path  string `json:"path" doc:"path relative to the workspace, with forward slashes"`
	Task  int    `json:"task" doc:"task number"`
	Slug  string `json:"slug" doc:"task slug"`
	Phase string `json:"phase" doc:"phase as written: 3, 3A"`
	// Time is a string in JSON.
	Time       *handoff.Moment `json:"time" doc:"time in the file name, or the one that a document of another layout states: RFC 3339, without time zone or time of day if it has none; null if there is no time"`
	Name       string          `json:"name" doc:"canonical, or what is wrong with the file name"`
	Archived   bool            `json:"archived,omitempty" doc:"true if it is in an archive or a vault"`
	NextAction string          `json:"next_action" doc:"the next action on one line; without that section, the next step found elsewhere in the document"`
	NextFrom   string          `json:"next_from,omitempty" doc:"heading or label that next_action was taken from, if it is not the Next Action section"`
	Problem    string          `json:"problem,omitempty" doc:"why the document could not be read, or must not be followed (an unresolved merge conflict); next_action is empty then"`
}

// MakeRow returns the row of an entry. doc is its document; err is the reason if the
// document could not be read.
func MakeRow(e Entry, doc *handoff.Document, err error) Row {
	r := Row{Ref: e.Ref(), Path: e.Path, Task: e.Name.Task, Slug: e.Name.Slug, Phase: e.Name.PhaseText,
		Name: "canonical", Archived: e.Archived()}
	switch {
	case e.Name.Layout != "":
	case e.Name.Class != handoff.Canonical:
		r.Name = e.Name.Class.String()
	case !e.Name.Plain():
		r.Name = "a phase that is not a plain number"
	}
	if m, ok := e.Name.Moment(); ok {
		r.Time = &m
	}
	if err != nil {
		r.Problem = strings.TrimPrefix(err.Error(), e.Path+": ")
		return r
	}
	if at := written(e, doc); at.Known() {
		r.Time = &at
	}
	if conflict := doc.Undeliverable(e.Path); conflict != nil {
		r.Problem = conflict.What()
		return r
	}
	if step, ok := doc.NextStep(); ok {
		r.NextAction = strings.Join(strings.Fields(step.Text), " ")
		if step.Kind != handoff.NextAction {
			r.NextFrom = step.From
		}
	}
	return r
}

// written is the time that a document of a layout states: in its name, its frontmatter,
// its title or a label.
func written(e Entry, doc *handoff.Document) handoff.Moment {
	if e.Name.Layout == "" {
		return handoff.Moment{}
	}
	w := handoff.WrittenBy(e.Name, doc)
	if w.Named.Known() {
		return w.Clock()
	}
	return w.At
}
