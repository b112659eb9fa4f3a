// Package facts collects what the session of an agent did from its transcript: what the
// user asked, the files and commands, what failed, the open to-dos. Each fact has the
// line of the transcript that it comes from. Lines that cannot be read are only counted.
//
// The records come from package transcript, which hides the differences between formats.
// Texts are masked by internal/text/secret before they leave this package. It opens no
// file.
package facts

import (
	"strings"

	"handoff/agents/transcript"
)

// Facts are what a session did. Lines are counted from 1; 0 means no line.
type Facts struct {
	Format  string `json:"format"` // of the transcript: see package transcript
	Session string `json:"session"`
	Dir     string `json:"dir"` // in which the session began
	Version string `json:"version"`
	Model   string `json:"model"`

	First Quote `json:"first"` // the first request of the user
	Last  Quote `json:"last"`  // and the last one; the same if there was only one
	Said  Quote `json:"said"`  // the agent's last message; of a transcript of a subagent alone, its own

	Written   []File    `json:"written"`  // in the order of their last change
	Read      []File    `json:"read"`     // and not written, in the order in which they were last read
	Commands  []Command `json:"commands"` // the last ones, at most [Kept]
	Earlier   int       `json:"earlier"`  // commands before them
	Failures  []Failure `json:"failures"` // what failed and did not work afterwards, in the order of the last time
	Todos     []Todo    `json:"todos"`    // as the host recorded the list last
	LastCalls []Call    `json:"-"`        // the last calls of tools that name something, at most [callsKept]
	Agents    []Agent   `json:"-"`        // subagents that it started, the last ones, at most [agentsKept]

	Branch Quote `json:"branch"` // of git, as the host recorded it last
	Commit Quote `json:"commit"`

	Compactions int   `json:"compactions"`
	Compacted   int   `json:"compacted,omitempty"` // line of the last one
	Summary     Quote `json:"summary,omitzero"`    // what the host wrote at the last one, where it records that
	Ended       bool  `json:"ended"`               // the last run came to its end
	Failed      Quote `json:"failed"`              // why the run failed, as the host reports it

	Lines   int  `json:"lines"`   // of the transcript
	Skipped int  `json:"skipped"` // lines that cannot be read
	Cut     bool `json:"cut"`     // the last line is not whole
	Records int  `json:"-"`       // that were read
	Calls   int  `json:"calls"`   // of tools, whatever they did
	Called  int  `json:"-"`       // line of the last call
	Midway  bool `json:"-"`       // the agent's last message does not end its turn: it was at work
}

// Quote is a text of the transcript, with line breaks as there.
type Quote struct {
	Text string `json:"text"`
	Line int    `json:"line"`
	Cut  bool   `json:"cut,omitempty"` // there is more of it
	End  string `json:"end,omitempty"` // how a text of the agent, or a summary, ends that is cut
}

// File is a file that a tool wrote or read.
type File struct {
	Path   string `json:"path"` // as the agent named it; below the folder of the session without that
	Line   int    `json:"line"` // of the last call
	Times  int    `json:"times"`
	Parts  []Part `json:"parts,omitempty"`  // lines, as they were after each change, the last one at the end; none for all of it
	Unseen bool   `json:"unseen,omitempty"` // the result of the last call is not in the transcript
}

// Part is a part of a file: its first and its last line.
type Part struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// State is the state of a command.
type State string

// The states.
const (
	Unseen     State = "unseen"  // it was started, and its result is not in the transcript
	Succeeded  State = "ok"      // the host reported no error, and no exit status
	Exited     State = "exited"  // with the status that is recorded
	Failed     State = "failed"  // the host reported an error without an exit status
	Refused    State = "refused" // the user, or a rule of the host, did not allow it
	Background State = "background"
)

// Command is a shell command.
type Command struct {
	Text  string `json:"text"`
	Line  int    `json:"line"`           // of the call
	Seen  int    `json:"seen,omitempty"` // of the result
	State State  `json:"state"`
	Exit  int    `json:"exit"` // if Exited
	Dir   string `json:"-"`    // in which it ran, "" if that is not known
	Told  bool   `json:"-"`    // the host records whether a command failed: one that Succeeded did not

	totals []total // that its checks printed
}

// Agent is a subagent that reported back.
type Agent struct {
	Task  string // what it was to do, as the agent described it
	Seen  int    // line of its report
	Edits bool   // it is of a kind that may change files
	Calls int    // of tools, if Known
	Known bool
}

// Failure is a command, or a tool with its file, that failed and did not work later.
type Failure struct {
	Text    string `json:"text"`
	Command bool   `json:"command"` // Text is a command, not a tool and its file
	Times   int    `json:"times"`
	Call    int    `json:"call"`  // line of the last call
	Lines   []int  `json:"lines"` // of the last results, at most 5
	Exit    int    `json:"exit"`  // the last status, if Exited
	Exited  bool   `json:"exited"`
	Error   string `json:"error"` // the first line that was reported last
}

// Todo is an entry of the to-do list.
type Todo struct {
	Text   string `json:"text"`
	Status string `json:"status"`
	Line   int    `json:"line"`
	id     string
	call   string // that made the entry
}

// How much of a long session is kept.
const (
	Kept       = 1000 // commands, failures, files of each kind
	linesKept  = 5
	partsKept  = 20
	agentsKept = 100
	textKept   = 4 << 10 // bytes of a text while it is collected
	textShown  = 3 << 10 // and after secrets in it are masked: less, so that none is cut in two
	endKept    = 2 << 10 // bytes of the end of a longer text
	endShown   = 1536
)

// Repeated are the failures that happened at least n times.
func (f *Facts) Repeated(n int) (list []Failure) {
	for _, one := range f.Failures {
		if one.Times >= n {
			list = append(list, one)
		}
	}
	return list
}

// Open are the entries of the list that are not done.
func (f *Facts) Open() (list []Todo) {
	for _, t := range f.Todos {
		if !(transcript.Todo{Status: t.Status}).Done() {
			list = append(list, t)
		}
	}
	return list
}

// quoteBoth keeps the beginning and the end of a text.
func quoteBoth(text string, line int) Quote {
	q := quote(text, line)
	if text = strings.TrimSpace(text); len(text) > textShown {
		q.End = strings.Clone(text[max(0, len(text)-endKept):])
	}
	return q
}

// quote keeps the beginning of a text.
func quote(text string, line int) Quote {
	text = strings.TrimSpace(text)
	q := Quote{Line: line}
	if len(text) > textKept {
		q.Cut = true
		text = text[:textKept]
	}
	q.Text = strings.Clone(text)
	return q
}

// tool is what a failure of a call is known by.
func nameOf(t *transcript.Tool) (text string, command bool) {
	if t.Command != "" {
		return t.Command, true
	}
	if t.File != "" {
		return t.Name + " " + t.File, false
	}
	return t.Name, false
}
