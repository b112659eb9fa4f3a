// Package draft turns what a session did (agents/transcript/facts) into a document that a
// successor can continue from, when the agent wrote none. Each line of it ends with a
// pointer into the transcript, session.jsonl:123. What a transcript does not contain,
// such as decisions and the next step, is left for a person.
package draft

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"handoff/agents/transcript/facts"
	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/text/secret"
	"handoff/templates"
)

// Origin is where the content of a draft comes from, and what it is about.
type Origin struct {
	Agent   string
	Source  string          // what the facts are from: the path of a transcript, or other words
	Name    string          // of Source in pointers; "" for session.jsonl
	Why     string          // how the agent ended; "" if that is not known
	Goal    string          // what the agent was to reach; "" for the user's last request
	Before  string          // path of the report that the agent continued; "" for none
	Changed bool            // files of the workspace are not as they were when the agent began
	Git     *gitindex.State // of the working tree now; nil if it has none
	Kept    bool            // what is not committed is kept with the draft
	Command string          // that prints everything
	All     bool            // print everything, whatever its length

	Task, Phase int
	Named       string // what the plan of another tool calls the task; "" for none
	Thread      string

	// Past is the document of Before. nil if there is none, or it cannot be read.
	Past *handoff.Document

	// Place returns the name of a file of the facts in the document, and whether it
	// exists. nil keeps the name in the facts.
	Place func(dir, path string) (shown string, exists bool)

	// Own reports whether a path is that of a file in which handoffs are kept. nil for no such file.
	Own func(path string) bool
}

// How much of each kind a document of one screen shows.
const (
	shownFiles    = 4
	shownCommands = 4
	shownFailures = 4
	shownTodos    = 4
	shownText     = 600 // bytes of a quoted text
	shownGoal     = 200 // and of the request that is the goal: the whole of it follows what was done last
	shownCommand  = 160 // bytes
	shownSummary  = 300 // bytes: much of it is over when the session goes on
)

// page is a draft while it is written.
type page struct {
	o    Origin
	f    *facts.Facts
	left []string     // a phrase for what is not shown
	told map[int]bool // lines of the commands that are among the last calls
}

// Values returns the content of the document. The caller that writes it sets the time.
func Values(o Origin, f *facts.Facts) templates.Values {
	p := &page{o: o, f: withoutItself(f), told: map[int]bool{}}
	v := templates.Values{Task: o.Task, Named: o.Named, Phase: max(o.Phase, 1), Thread: o.Thread, Source: secret.MaskLine(o.Source, shownText)}
	v.NextAction = p.next()
	v.State = templates.State{File: p.file(), Location: p.location(), Last: p.calls(), Goal: p.goal()}
	v.DeadEnds = p.failures()
	v.Bodies = map[handoff.Kind]string{
		handoff.CurrentState: p.said(),
		handoff.Decisions:    notDecided,
		handoff.DeadEnds:     noCandidates,
		handoff.Context:      noContext,
	}
	v.References = p.references()
	return v
}

// The text of a section without items. Each is a paragraph: as an item it would be pinned, and
// later handoffs would carry it over like a finding.
const (
	notDecided   = "Not recorded: a program made this draft, and a transcript does not say what was decided."
	noCandidates = "No candidates: nothing in the transcript failed twice without working later."
	noContext    = "Not recorded: a transcript does not say what a successor must know."
)

// withoutItself is without the command that makes this draft, which an agent that drafts
// its own session is still running.
func withoutItself(f *facts.Facts) *facts.Facts {
	n := len(f.Commands) - 1
	if n < 0 || f.Commands[n].State != facts.Unseen || !strings.Contains(f.Commands[n].Text, "handoff draft") {
		return f
	}
	less := *f
	less.Commands = f.Commands[:n]
	less.LastCalls = slices.DeleteFunc(slices.Clone(f.LastCalls), func(c facts.Call) bool { return c.Line == f.Commands[n].Line })
	return &less
}

// at points to lines of the transcript.
func (p *page) at(lines ...int) string {
	lines = slices.DeleteFunc(slices.Clone(lines), func(n int) bool { return n == 0 })
	if len(lines) == 0 {
		return ""
	}
	text := ""
	for i, n := range slices.Compact(lines) {
		if i == 0 {
			text = cmp.Or(p.o.Name, "session.jsonl") + ":" + strconv.Itoa(n)
		} else {
			text += ", " + strconv.Itoa(n)
		}
	}
	if slices.Max(lines) < p.f.Compacted {
		text += ", compacted"
	}
	return " (" + text + ")"
}

// code is a text as a code span, on one line: nothing in it is Markdown.
func code(text string, most int) string {
	text = secret.MaskLine(text, most)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if text == "" || text[0] == '`' || text[len(text)-1] == '`' {
		text = " " + text + " "
	}
	return fence + text + fence
}

// quoted is a text of the user or the agent.
func (p *page) quoted(q facts.Quote) string {
	text := code(q.Text, shownText)
	if q.Cut && !strings.Contains(text, "…") {
		text += " …"
	}
	return text + p.at(q.Line)
}

// last is the file that was written last and is still there, if possible not one in a
// temporary folder.
func (p *page) last() (one facts.File, ok bool) {
	for _, f := range slices.Backward(p.f.Written) {
		if _, exists := p.place(f.Path); !exists {
			continue
		}
		if !p.temporary(f.Path) {
			return f, true
		}
		if !ok {
			one, ok = f, true
		}
	}
	return one, ok
}

// lastRead is the file that was read last, if possible not one in a temporary folder.
func (p *page) lastRead() (one facts.File, ok bool) {
	for _, f := range slices.Backward(p.f.Read) {
		if !p.temporary(f.Path) {
			return f, true
		}
		if !ok {
			one, ok = f, true
		}
	}
	return one, ok
}

// temporary reports whether a file is outside of the workspace, in a folder for temporary
// files: it may be gone before the successor starts.
func (p *page) temporary(path string) bool {
	shown, _ := p.place(path)
	shown = strings.ReplaceAll(shown, `\`, "/")
	return slices.ContainsFunc(temporaryDirs(), func(dir string) bool { return strings.HasPrefix(shown, dir+"/") })
}

func temporaryDirs() []string {
	own := strings.TrimRight(strings.ReplaceAll(os.TempDir(), `\`, "/"), "/")
	return []string{cmp.Or(own, "/tmp"), "/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/private/var/folders"}
}

func (p *page) place(path string) (shown string, exists bool) {
	if p.o.Place == nil {
		return path, true
	}
	return p.o.Place(p.f.Dir, path)
}

// name is a file as a code span.
func (p *page) name(path string) string {
	path, _ = p.place(path)
	return code(path, shownText)
}

func (p *page) file() string {
	if f, ok := p.last(); ok {
		return p.name(f.Path)
	}
	return cmp.Or(p.label("File"), "not known: no file that was written is left")
}

func (p *page) location() string {
	f, ok := p.last()
	switch {
	case !ok:
		return cmp.Or(p.label("Location"), "not known")
	case len(f.Parts) == 0:
		return "lines not recorded, or a new file" + p.at(f.Line)
	}
	return lines(f.Parts[len(f.Parts)-1:]) + " as of its last change" + p.at(f.Line)
}

// lines are parts of a file in words: "lines 3-4, 20".
func lines(parts []facts.Part) string {
	var list []string
	for _, one := range parts {
		text := strconv.Itoa(one.First)
		if one.Last > one.First {
			text += "-" + strconv.Itoa(one.Last)
		}
		list = append(list, text)
	}
	if len(list) == 1 && parts[0].First == parts[0].Last {
		return "line " + list[0]
	}
	return "lines " + strings.Join(list, ", ")
}

func (p *page) goal() string {
	switch {
	case p.o.Goal != "":
		return secret.MaskLine(p.o.Goal, shownText)
	case p.f.Last.Line == 0 && p.o.Before != "":
		return cmp.Or(p.label("Goal state", "Goal"), "as in the report before: "+p.o.Before)
	case p.f.Last.Line == 0:
		return "not known: the transcript has no request of a user"
	}
	if p.longGoal() {
		return "the user's last request: " + code(p.f.Last.Text, shownGoal) + p.at(p.f.Last.Line)
	}
	return "the user's last request: " + p.quoted(p.f.Last)
}

// longGoal reports whether the request is shown twice: its beginning as the goal, and more of it below.
func (p *page) longGoal() bool {
	return p.o.Goal == "" && p.f.Last.Line > 0 && !p.o.All && len(secret.MaskLine(p.f.Last.Text, shownText)) > shownGoal
}

// firstRequest is what the user asked first, if that is not the goal.
func (p *page) firstRequest() string {
	if first := p.f.First; first.Line > 0 && (first.Line != p.f.Last.Line || p.o.Goal != "") {
		return p.quoted(first)
	}
	return ""
}

// said lists the other texts of the user and the agent, and what the agent did.
func (p *page) said() string {
	var list []string
	add := func(label, text string) {
		if !strings.HasPrefix(text, "\n") {
			text = " " + text
		}
		list = append(list, "- **"+label+"**:"+text)
	}
	if p.f.Said.Line > 0 && !p.saidWhole() {
		add("The agent said last, which may be wrong", p.saidLast())
	}
	if p.longGoal() {
		add("The request in full", p.quoted(p.f.Last))
	}
	if p.f.Summary.Line > 0 {
		add("The host's summary at the compaction, which may be wrong", p.summary())
	}
	if text := p.checked(); text != "" {
		add("Checked after the last change", text)
	}
	how := secret.MaskLine(p.o.Why, shownText)
	if p.f.Failed.Line > 0 {
		how = strings.TrimPrefix(how+"; ", "; ") + "the host reports " + p.quoted(p.f.Failed)
	}
	if how != "" {
		add("How it ended", cmp.Or(p.o.Agent, "the agent")+" left no handoff: "+how)
	}
	p.did(add)
	if p.o.All {
		return strings.Join(list, "\n") + p.whole()
	}
	return strings.Join(list, "\n")
}

// whole are the requests with their line breaks.
func (p *page) whole() string {
	text := ""
	for _, q := range []facts.Quote{p.f.First, p.f.Last} {
		if q.Line == 0 || q == p.f.Last && text != "" && p.f.First.Line == p.f.Last.Line {
			continue
		}
		fence := "```"
		for strings.Contains(q.Text, fence) {
			fence += "`"
		}
		text += fmt.Sprintf("\n\nRequest%s:\n\n%s\n%s\n%s", p.at(q.Line), fence, q.Text, fence)
	}
	return text
}

// saidLast is what the agent said last: of a long text the beginning and the end, where it says how
// things are.
func (p *page) saidLast() string {
	q := p.f.Said
	text := secret.MaskLine(q.Text, len(q.Text)+1)
	if !q.Cut && len(text) <= shownText {
		return p.quoted(q)
	}
	const end = 200
	begin := text[:min(len(text), shownText-end)]
	if q.End != "" {
		text = secret.MaskLine(q.End, len(q.End)+1)
	}
	rest := text[max(0, len(text)-end):]
	if _, words, ok := strings.Cut(rest, " "); ok {
		rest = words
	}
	return code(strings.ToValidUTF8(begin, "")+" … "+strings.ToValidUTF8(rest, ""), shownText+len(" … ")) + p.at(q.Line)
}

// summary is what the host's summary names as the next step, else how it ends.
func (p *page) summary() string {
	q := p.f.Summary
	if step := p.summaryStep(); step != "" {
		return "the next step was " + code(step, shownSummary) + p.at(q.Line)
	}
	text := cmp.Or(q.End, q.Text)
	text = secret.MaskLine(text, len(text)+1)
	return code(strings.ToValidUTF8(text[max(0, len(text)-shownSummary):], ""), shownSummary) + p.at(q.Line)
}

// summaryStep is what the host's summary names as the next step, "" if it has no part of that name.
func (p *page) summaryStep() string {
	q := p.f.Summary
	text := cmp.Or(q.End, q.Text)
	at := strings.LastIndex(strings.ToLower(text), "next step")
	if at < 0 {
		return ""
	}
	_, text, _ = strings.Cut(text[at:], "\n")
	text, _, _ = strings.Cut(text, "\n\nIf you need specific details from before compaction") // Claude Code's own words
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, "\n\n")
	return strings.TrimSpace(first)
}
