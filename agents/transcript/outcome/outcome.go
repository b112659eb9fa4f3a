// Package outcome reads from the last records of a transcript how a session ended: it came to its
// end, its account or its context was used up, its host failed, a person stopped it, or nothing was
// recorded any more, as of a process that was killed.
//
// It gets records and opens no file. What the messages of a host mean is not known here: a caller
// passes a function that has its words.
package outcome

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"handoff/agents/transcript"
)

// End is what the records that were read add up to. The zero value is a session without records.
type End struct {
	Session, Parent, Dir, DirHash, Branch string

	Sub     bool      // of a subagent; Parent is the session that started it, if that is known
	At      time.Time // of the last record; zero if it has no time
	Asked   string    // the last request of a person
	Said    string    // the last text of the agent
	Written []string  // files that it changed, as it named them, the last one at the end
	Calls   int       // of tools
	Saved   bool      // it saved a handoff
	After   int       // changes of other files after that

	Failed, FailedAs string // its last call of the model failed, and was not repeated with success

	state state
	marks bool // the host records the end of a turn or of a reply, so a text alone ends nothing
	open  map[string]*transcript.Tool
	saved map[string]bool // calls that saved a handoff

	limited, stopped, closed, silent bool
}

// state is what the last record that counts was.
type state int

const (
	nothing state = iota
	asking        // a prompt or a result, or the host's note that it asks the model
	calling       // a call of a tool
	said          // a text of the agent
	over          // the host's note that the turn is over
)

// How much of a session is kept.
const (
	maxWritten = 50
	maxText    = 2 << 10 // bytes of a text
)

// Add adds the next record. The caller leaves out those of subagents in the transcript of a session.
func (e *End) Add(r *transcript.Record) {
	e.Session, e.Parent = cmp.Or(r.Session, e.Session), cmp.Or(r.Parent, e.Parent)
	e.Dir, e.DirHash, e.Branch = cmp.Or(r.Dir, e.Dir), cmp.Or(r.DirHash, e.DirHash), cmp.Or(r.Branch, e.Branch)
	e.Sub = e.Sub || r.Sub
	e.limited = e.limited && r.Call == "" || r.Limited
	e.prompt(r)
	if r.Text != "" || len(r.Tools) > 0 {
		e.replied(r)
	}
	for i := range r.Results {
		e.result(&r.Results[i])
	}
	if r.Begin {
		e.state, e.marks = asking, true
	}
	e.end(r)
}

// prompt adds a request. What the host itself writes as one is answered by the agent, or is a note.
func (e *End) prompt(r *transcript.Record) {
	if r.Prompt == "" || r.Aside {
		return
	}
	e.Asked = clip(r.Prompt)
	e.goesOn()
	e.state, e.silent = asking, true
}

// replied adds what the model answered.
func (e *End) replied(r *transcript.Record) {
	e.goesOn()
	e.marks = e.marks || r.Reply != ""
	if r.Text != "" {
		e.state, e.silent = said, false
		if e.Said = clip(r.Text); r.EndsTurn() {
			e.state = over
		}
	}
	for i := range r.Tools {
		e.call(&r.Tools[i])
	}
}

// goesOn forgets how an earlier turn ended.
func (e *End) goesOn() { e.Failed, e.FailedAs, e.stopped, e.closed = "", "", false, false }

func (e *End) call(t *transcript.Tool) {
	e.state, e.silent = calling, false
	e.Calls++
	if e.open == nil {
		e.open, e.saved = map[string]*transcript.Tool{}, map[string]bool{}
	}
	e.open[t.ID] = t
	if t.Saves() && !t.Failed {
		e.Saved, e.saved[t.ID], e.After = true, true, 0
	}
}

func (e *End) result(r *transcript.Result) {
	t := e.open[r.ID]
	delete(e.open, r.ID)
	if e.saved[r.ID] && r.Failed {
		e.Saved = false
	}
	if !r.Failed {
		if t != nil && t.Writes {
			e.wrote(t.File)
		}
		for _, s := range r.Changed {
			e.wrote(s.File)
		}
	}
	if len(e.open) == 0 && (e.state == calling || e.state == asking) {
		e.state = asking
	}
}

// wrote keeps a file as the last one that was changed.
func (e *End) wrote(file string) {
	if file == "" {
		return
	}
	if e.Saved && !isRecord(file) {
		e.After++
	}
	e.Written = append(slices.DeleteFunc(e.Written, func(f string) bool { return f == file }), strings.Clone(file))
	e.Written = e.Written[max(0, len(e.Written)-maxWritten):]
}

// isRecord reports whether a file belongs to the handoffs of a task, such as its metadata, which an
// agent brings up to date after it has saved a handoff.
func isRecord(file string) bool {
	dir, name := path.Split(strings.ReplaceAll(file, `\`, "/"))
	return name == ".return-meta.json" || strings.HasSuffix(dir, "/handoffs/") || strings.HasSuffix(dir, "/progress/")
}

// Files are the files that it changed, with those that a tool was changing when it ended.
func (e *End) Files() []string {
	files := slices.Clone(e.Written)
	for _, t := range e.open {
		if t.Writes && t.File != "" && !slices.Contains(files, t.File) {
			files = append(files, t.File)
		}
	}
	return files
}

// end adds what the host notes about the end of a turn.
func (e *End) end(r *transcript.Record) {
	if r.Failed != "" {
		e.Failed, e.FailedAs = clip(r.Failed), r.FailedAs
	}
	if r.Stopped {
		e.stopped = true
	}
	if r.Closed && e.state != nothing {
		e.stopped = e.stopped || e.Failed == "" && e.middle() // a person quit while it worked
		e.closed = true
	}
	if r.End {
		e.marks = true
		if e.Failed == "" {
			e.state = over
		}
	}
}

// middle reports whether the agent was at work at the last record.
func (e *End) middle() bool {
	return e.state == asking || e.state == calling || e.state == said && e.marks && !e.closed
}

// Calling are the tools whose results were not recorded, the commands first.
func (e *End) Calling() (list []string) {
	for _, t := range e.open {
		list = append(list, cmp.Or(t.Command, strings.TrimSpace(t.Name+" "+t.File)))
	}
	slices.Sort(list)
	return list
}

// Recorded reports whether anything was read that a session does.
func (e *End) Recorded() bool { return e.state != nothing || e.Failed != "" }

func clip(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return strings.Clone(text)
}

// Begins adds what the beginning of a transcript shows, where the end shows nothing.
func (e *End) Begins(first *End) {
	e.Session, e.Parent = cmp.Or(e.Session, first.Session), cmp.Or(e.Parent, first.Parent)
	e.Dir, e.DirHash, e.Branch = cmp.Or(e.Dir, first.Dir), cmp.Or(e.DirHash, first.DirHash), cmp.Or(e.Branch, first.Branch)
	e.Asked = cmp.Or(e.Asked, first.Asked)
	e.Sub = e.Sub || first.Sub
}
