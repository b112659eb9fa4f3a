package facts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"handoff/agents/transcript"
)

// Collector adds records up to facts. The zero value is ready for use.
type Collector struct {
	facts    Facts
	calls    map[string]*call
	commands []Command // the last ones, at most 2·Kept
	written  map[string]*File
	read     map[string]*File
	failures map[string]*Failure
	todos    []Todo
	last     []*Call
	dir      string // of the session now

	side    struct{ first, last, said Quote } // of a subagent, which a transcript may be about
	partial bool                              // the beginning was not read
	marks   bool                              // the host records the end of a turn or of a reply
	more    bool                              // the last text of the agent may continue
}

// call is a call of a tool. What is no longer needed is dropped when its result arrives.
type call struct {
	line    int
	tool    *transcript.Tool // nil after the result
	command int              // number of its command, from 1; 0 for none
	before  []Todo           // the list as it was
	last    *Call            // nil if it is not kept
}

// Skip counts lines before those that are read next. Then the first prompts are
// unknown, but pointers to later lines are right.
func (c *Collector) Skip(lines int) {
	c.facts.Lines += lines
	c.partial = c.partial || lines > 0
}

// Add adds the record that is on a line.
func (c *Collector) Add(line int, r *transcript.Record) {
	f := &c.facts
	f.Records++
	f.Session, f.Dir = cmp.Or(r.Session, f.Session), cmp.Or(f.Dir, r.Dir)
	f.Version, f.Model = cmp.Or(r.Version, f.Version), cmp.Or(r.Model, f.Model)
	c.dir = cmp.Or(r.Dir, c.dir)
	c.git(line, r)
	c.heard(line, r)
	c.compacted(line, r)
	for i := range r.Tools {
		c.tool(line, i, &r.Tools[i])
	}
	for i := range r.Results {
		c.result(line, &r.Results[i])
	}
	c.turn(r)
	if r.End {
		f.Ended = true
	}
	if r.Failed != "" {
		f.Failed = quote(r.Failed, line)
	}
}

// compacted adds a compaction, and what the host wrote then. Claude Code writes that on the next line.
func (c *Collector) compacted(line int, r *transcript.Record) {
	if r.Side {
		return
	}
	if r.Compacted {
		c.facts.Compactions++
		c.facts.Compacted, c.facts.Summary = line, Quote{}
	}
	if strings.TrimSpace(r.Summary) != "" {
		c.facts.Compacted, c.facts.Summary = line, quoteBoth(r.Summary, line)
	}
}

func (c *Collector) git(line int, r *transcript.Record) {
	if r.Branch != "" && r.Branch != c.facts.Branch.Text {
		c.facts.Branch = quote(r.Branch, line)
	}
	if r.Commit != "" && r.Commit != c.facts.Commit.Text {
		c.facts.Commit = quote(r.Commit, line)
	}
}

// heard adds the texts of the user and the agent.
func (c *Collector) heard(line int, r *transcript.Record) {
	f := &c.facts
	if text := strings.TrimSpace(r.Prompt); text != "" && !r.Aside {
		first, last := &f.First, &f.Last
		if r.Side {
			first, last = &c.side.first, &c.side.last
		}
		if first.Line == 0 {
			*first = quote(text, line)
		}
		if q := quote(text, line); q.Text != last.Text || q.Cut != last.Cut { // a host may write a prompt twice
			*last = q
		}
		f.Ended, f.Failed = false, Quote{}
	}
	switch {
	case r.Text == "":
		c.more = false
	case r.Side:
		c.more, c.side.said = false, quoteBoth(r.Text, line)
	case c.more && r.More:
		f.Said.append(r.Text)
	default:
		f.Said = quoteBoth(r.Text, line)
		if c.more = r.More; r.More { // the next part may begin with a blank that this one ends with
			f.Said.Text = strings.Clone(strings.TrimLeft(r.Text[:min(len(r.Text), textKept)], " \t\r\n"))
		}
	}
}

// append adds a text to one that came before it.
func (q *Quote) append(text string) {
	all := q.Text + text
	if q.End != "" {
		q.End += text
	} else if len(all) > textShown {
		q.End = all
	}
	q.End = q.End[max(0, len(q.End)-endKept):]
	if q.Text = all; len(all) > textKept {
		q.Text, q.Cut = all[:textKept], true
	}
}

// turn records whether the agent's last message ended its turn. Where the host does not record that, a message that only
// announces what comes next did not. Claude Code records it of some
// messages only, whatever its version.
func (c *Collector) turn(r *transcript.Record) {
	c.marks = c.marks || r.Begin || r.End
	switch {
	case r.End || r.EndsTurn():
		c.facts.Midway = false
	case r.Stopped:
		c.facts.Midway = true
	case r.Text != "":
		c.facts.Midway = c.marks || r.Reply != "" || announces(r.Text)
	}
}

// announcing are the words with which agents begin a sentence about their next call.
var announcing = []string{"let me ", "let's ", "i'll ", "i will ", "now let me ", "now i'll ", "now let's ", "i need to ", "i'm going to ", "next, ", "now "}

// stating are words that follow "now" in what is a statement.
var stating = []string{"now all ", "now both ", "now every", "now it", "now the ", "now there", "now this ", "now we have ", "now you "}

// announces reports whether a text ends with what the agent is about to do.
func announces(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") {
		return true
	}
	body := strings.TrimRight(text, ".!")
	at := max(strings.LastIndex(body, ". "), strings.LastIndex(body, "! "), strings.LastIndex(body, "\n")) + 1
	last := strings.ToLower(strings.TrimLeft(body[at:], " -*"))
	states := slices.ContainsFunc(stating, func(words string) bool { return strings.HasPrefix(last, words) })
	return !states && !strings.HasPrefix(last, "let me know") && slices.ContainsFunc(announcing, func(words string) bool { return strings.HasPrefix(last, words) })
}

// tool adds a call. A host may write a call again, with its result or after a compaction.
func (c *Collector) tool(line, n int, t *transcript.Tool) {
	id := cmp.Or(t.ID, "line "+strconv.Itoa(line)+" "+strconv.Itoa(n))
	if c.calls[id] != nil {
		return
	}
	if c.calls == nil {
		c.calls = map[string]*call{}
	}
	c.facts.Ended, c.facts.Failed = false, Quote{} // it tried again, and goes on
	c.facts.Calls, c.facts.Called = c.facts.Calls+1, line
	t = &transcript.Tool{ID: t.ID, Name: strings.Clone(t.Name), File: strings.Clone(t.File), Part: t.Part, Writes: t.Writes, Command: cut(t.Command), Todos: t.Todos, Change: t.Change,
		Subagent: strings.Clone(t.Subagent), Task: cut(t.Task), What: cut(t.What)}
	one := &call{line: line, tool: t, last: c.called(line, t)}
	c.calls[strings.Clone(id)] = one
	if t.Command != "" && !strings.HasPrefix(t.Command, "apply_patch") { // that is a tool, which a shell calls
		one.command = c.command(Command{Text: t.Command, Line: line, State: Unseen, Dir: strings.Clone(cmp.Or(t.Dir, c.dir))})
	}
	if len(t.Todos) > 0 {
		one.before = slices.Clone(c.todos)
		c.todo(line, id, t)
	}
}

// command keeps a command and returns its number.
func (c *Collector) command(one Command) int {
	if len(c.commands) == 2*Kept {
		c.facts.Earlier += Kept
		c.commands = append(c.commands[:0], c.commands[Kept:]...)
	}
	c.commands = append(c.commands, one)
	return c.facts.Earlier + len(c.commands)
}

// result adds the result of a call.
func (c *Collector) result(line int, r *transcript.Result) {
	one := c.calls[r.ID]
	if one == nil { // the call was before the beginning, on a line that cannot be read, or in a script of Codex
		for _, s := range r.Changed {
			touch(&c.written, c.below(s.File), line, &s)
		}
		return
	}
	c.state(one, line, r)
	t := one.tool
	if t == nil {
		return // written twice
	}
	one.tool = nil
	one.last.ended(line, r)
	if len(t.Todos) > 0 {
		c.listed(one, t, r)
	}
	if t.Subagent != "" && !r.Refused && !r.Failed {
		a := Agent{Task: t.Task, Seen: line, Edits: t.Subagent != "Explore" && t.Subagent != "Plan", Calls: r.Calls, Known: r.Counted}
		c.facts.Agents = append(c.facts.Agents[max(0, len(c.facts.Agents)+1-agentsKept):], a)
	}
	if r.Refused {
		return // it did not run, so it did not fail
	}
	if r.Failed {
		c.failed(one.line, line, t, r)
		return
	}
	if text, _ := nameOf(t); !r.Background {
		delete(c.failures, text)
	}
	c.touched(one.line, t, r)
}

// state records how a command ended.
func (c *Collector) state(one *call, line int, r *transcript.Result) {
	n := one.command - c.facts.Earlier - 1
	if one.command == 0 || n < 0 {
		return
	}
	cmd := &c.commands[n]
	if len(cmd.totals) == 0 {
		cmd.totals = totals(cmd, r)
	}
	switch {
	case cmd.State == Exited:
		return // known from a line with the status
	case r.Exited:
		cmd.State, cmd.Exit = Exited, r.Exit
	case r.Refused:
		cmd.State = Refused
	case r.Failed:
		cmd.State = Failed
	case r.Background:
		cmd.State = Background
	default:
		cmd.State, cmd.Told = Succeeded, r.Told
	}
	cmd.Seen = line
}

// touched adds the files of a call that did not fail.
func (c *Collector) touched(line int, t *transcript.Tool, r *transcript.Result) {
	for _, s := range r.Changed {
		touch(&c.written, c.below(cmp.Or(s.File, t.File)), line, &s)
	}
	switch {
	case t.File == "":
	case t.Writes && len(r.Changed) == 0:
		touch(&c.written, c.below(t.File), line, nil)
	case !t.Writes:
		var span *transcript.Span
		if len(r.Read) > 0 {
			span = &r.Read[0]
		}
		touch(&c.read, c.below(t.File), line, span)
	}
}

// below is a path without the folder of the session, so that one file has one name.
func (c *Collector) below(file string) string {
	dir := strings.TrimRight(c.facts.Dir, `/\`)
	if rest, ok := strings.CutPrefix(file, dir); ok && dir != "" && len(rest) > 1 && (rest[0] == '/' || rest[0] == '\\') {
		return rest[1:]
	}
	return file
}

// touch adds a file, or a part of it.
func touch(files *map[string]*File, path string, line int, s *transcript.Span) {
	if path == "" {
		return
	}
	if *files == nil {
		*files = map[string]*File{}
	}
	f := (*files)[path]
	if f == nil {
		if len(*files) >= Kept {
			forget(*files)
		}
		f = &File{Path: path}
		(*files)[path] = f
	}
	if f.Line != line || f.Times == 0 {
		f.Times++
	}
	if f.Line = line; s != nil && s.First > 0 {
		f.Parts = append(f.Parts, Part{s.First, max(s.First, s.Last)})
		f.Parts = f.Parts[max(0, len(f.Parts)-partsKept):]
	}
}

// forget drops the least recently used half of the files.
func forget(files map[string]*File) {
	list := sorted(files)
	for _, f := range list[:len(list)/2] {
		delete(files, f.Path)
	}
}

// failed adds a failure. The same call is counted until it works.
func (c *Collector) failed(call, line int, t *transcript.Tool, r *transcript.Result) {
	text, command := nameOf(t)
	if c.failures == nil {
		c.failures = map[string]*Failure{}
	}
	one := c.failures[text]
	if one == nil {
		if len(c.failures) >= Kept {
			return
		}
		one = &Failure{Text: text, Command: command}
		c.failures[text] = one
	}
	one.Times++
	one.Call = call
	one.Lines = append(one.Lines, line)
	one.Lines = one.Lines[max(0, len(one.Lines)-linesKept):]
	one.Exit, one.Exited, one.Error = r.Exit, r.Exited, r.Error
}

// cut shortens a text to the part to keep.
func cut(text string) string { return strings.Clone(text[:min(len(text), textKept)]) }
