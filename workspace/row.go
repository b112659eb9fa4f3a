package workspace

import (
	"strings"

	"handoff"
)

// Row is a handoff in a list; its keys are the JSON that all surfaces print.
type Row struct {
	Ref   string `json:"ref" doc:"short name, 259/3; empty when the path says too little for one"`
	Path  string `json:"path" doc:"below the workspace, forward slashes"`
	Task  int    `json:"task" doc:"number of the task"`
	Slug  string `json:"slug" doc:"slug of the task"`
	Phase string `json:"phase" doc:"phase as it is written: 3, 3A"`
	// Time is text in JSON.
	Time       *handoff.Moment `json:"time" doc:"when it was written, as its name says it: RFC 3339, without the zone or the time of day where the name has none; null when it has no time"`
	Name       string          `json:"name" doc:"canonical, or what is off with the file's name"`
	Archived   bool            `json:"archived,omitempty" doc:"it lies in an archive or a vault"`
	NextAction string          `json:"next_action" doc:"its next action on one line; where it has no such section, the next step it announces elsewhere"`
	NextFrom   string          `json:"next_from,omitempty" doc:"heading or label that next_action is from, where it is not the section of the next action"`
	Problem    string          `json:"problem,omitempty" doc:"why the document could not be read, and has no next action here"`
}

// MakeRow is the row of an entry. doc is its document; where that could not be
// read, err says why.
func MakeRow(e Entry, doc *handoff.Document, err error) Row {
	r := Row{Ref: e.Ref(), Path: e.Path, Task: e.Name.Task, Slug: e.Name.Slug, Phase: e.Name.PhaseText,
		Name: "canonical", Archived: e.Archived()}
	switch {
	case e.Name.Class != handoff.Canonical:
		r.Name = e.Name.Class.String()
	case !e.Name.Plain():
		r.Name = "a phase that is no plain number"
	}
	if m, ok := e.Name.Moment(); ok {
		r.Time = &m
	}
	if err != nil {
		r.Problem = strings.TrimPrefix(err.Error(), e.Path+": ")
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
