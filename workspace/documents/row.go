package documents

import (
	"strings"

	"handoff/document/evidence"
	"handoff/document/handoff"
)

// Row is a handoff in a list. Commands and servers print it as JSON.
type Row struct {
	Ref   string `json:"ref" doc:"short name for people, 259/3: the newest of its phase, which may be another document later, so programs keep path; empty if the path has no task or phase"`
	Path  string `json:"path" doc:"path relative to the workspace, with forward slashes"`
	Task  int    `json:"task" doc:"task number"`
	Slug  string `json:"slug" doc:"task slug"`
	Phase string `json:"phase" doc:"phase as written: 3, 3A"`
	// Time is a string in JSON.
	Time            *handoff.Moment `json:"time" doc:"when it was written, by the best evidence (time_from): RFC 3339, without time zone or time of day if it has none; null if nothing shows that"`
	TimeFrom        handoff.Source  `json:"time_from,omitempty" doc:"what shows the time: name, frontmatter, label, title, heading, folder, commit (the last one of the file), or file (when it was changed, or copied)"`
	Name            string          `json:"name" doc:"canonical, or what is wrong with the file name"`
	Archived        bool            `json:"archived,omitempty" doc:"true if it is in an archive or a vault"`
	NextAction      string          `json:"next_action" doc:"the next action on one line; without that section, the next step found elsewhere in the document"`
	NextFrom        string          `json:"next_from,omitempty" doc:"heading or label that next_action was taken from, if it is not the Next Action section"`
	Unproved        string          `json:"unproved,omitempty" doc:"what the marks of its claims say against them: a command failed when it was last run, or was not run after the last edit"`
	WaitingFor      []string        `json:"waiting_for,omitempty" doc:"persons that the work waits for and for what, as its author wrote it: Waiting For"`
	UnderstandFirst []string        `json:"understand_first,omitempty" doc:"what its author says must be understood before the work starts: Understand First"`
	LeftRunning     []string        `json:"left_running,omitempty" doc:"what its author left running, and where its log is: Running in the Background"`
	Problem         string          `json:"problem,omitempty" doc:"why the document could not be read, or must not be followed (an unresolved merge conflict); next_action is empty then"`
}

// MakeRow returns the row of an entry. doc is its document; err is the reason if the
// document could not be read.
func MakeRow(e Entry, doc *handoff.Document, err error) Row {
	if err != nil {
		r := named(e)
		r.Problem = strings.TrimPrefix(err.Error(), e.Path+": ")
		return r
	}
	s := shownBy(e, doc)
	return s.rowOf(e)
}

// say sets what a document says, unless it must not be followed.
func (r *Row) say(doc *handoff.Document, refused *handoff.UndeliverableError) {
	if refused != nil {
		r.Problem = refused.What()
		return
	}
	r.Unproved = strings.Join(evidence.Doubts(doc.Source), "; ")
	r.WaitingFor, r.UnderstandFirst, r.LeftRunning = doc.Said(handoff.WaitingFor), doc.Said(handoff.Understand), doc.Said(handoff.Background)
	if step, ok := doc.NextStep(); ok {
		r.NextAction = strings.Join(strings.Fields(step.Text), " ")
		if step.Kind != handoff.NextAction {
			r.NextFrom = step.From
		}
	}
}

// named is what the name of a document says.
func named(e Entry) Row {
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
		r.Time, r.TimeFrom = &m, handoff.ByName
	}
	return r
}

// written sets the time of a document whose name does not have all of it.
func (r *Row) written(e Entry, by handoff.Written) {
	when := e.When
	if when.By == "" {
		when = by.When()
	}
	if when.At.Known() {
		r.Time, r.TimeFrom = &when.At, when.By
	}
}
