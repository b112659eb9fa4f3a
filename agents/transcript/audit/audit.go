// Package audit finds what a host left out when it compacted the context of a session: rules and decisions that were stated,
// to-dos that were open, pinned items of a handoff, files that were not committed. Each has its line and turn.
//
// It compares words, without a model. An item counts as dropped only if no line of the summary has half of its words: one that is
// worded anew may be missed, and so is one that the summary denies. Texts are masked by internal/text/secret before they leave
// this package. It opens no file.
package audit

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/agents/transcript"
	"handoff/agents/transcript/facts"
	"handoff/internal/text/secret"
)

// Kind is what an item is.
type Kind string

// The kinds, in the order in which they are listed.
const (
	Rule     Kind = "rule"     // what the user wants always, never or in one way
	Decision Kind = "decision" // what the user chose
	Todo     Kind = "todo"     // an entry of the agent's list that was not done
	Pinned   Kind = "pinned"   // a dead end, or context, of the handoff that the session continued
	File     Kind = "file"     // a file that was changed, and is not committed
)

// Fate is what became of an item.
type Fate string

// The fates.
const (
	Kept    Fate = "kept"    // the summary has it
	Again   Fate = "again"   // the summary lacks it, and it came up after the compaction
	Dropped Fate = "dropped" // neither
	Unknown Fate = "unknown" // the summary cannot be read
)

// Item is something that the session knew before a compaction.
type Item struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"`
	Line int    `json:"line,omitempty"` // of the transcript; 0 for a pinned item
	Turn int    `json:"turn,omitempty"` // number of the user's request in which it came up, from 1; 0 before the first one, and for a pinned item

	At   time.Time `json:"at,omitzero"` // the zero time if the host did not record it
	Fate Fate      `json:"fate"`

	words stems
}

// Compaction is a compaction with what was known before it, without what an earlier one had dropped.
type Compaction struct {
	Line    int       `json:"line"` // of the transcript, with what the host wrote instead of the context
	Turn    int       `json:"turn"` // the user's request in which it happened
	At      time.Time `json:"at,omitzero"`
	Summary Summary   `json:"summary"`
	Items   []Item    `json:"items"`
}

// Summary is whether what the host wrote instead of the context can be compared.
type Summary string

// The summaries.
const (
	Readable Summary = "readable"
	Missing  Summary = "missing"  // the host does not record it
	Sealed   Summary = "sealed"   // it is encrypted, all of it or a part
	Redacted Summary = "redacted" // its words were removed from the record
)

// Count returns how many items have a fate.
func (c *Compaction) Count(f Fate) (n int) {
	for i := range c.Items {
		if c.Items[i].Fate == f {
			n++
		}
	}
	return n
}

// Told reports whether what became of all items can be told.
func (c *Compaction) Told() bool {
	return c.Summary == Readable || len(c.Items) > 0 && c.Count(Unknown) == 0
}

// Options are what is known besides the record.
type Options struct {
	Always   string    // what the host shows again after each compaction: files such as CLAUDE.md
	Pinned   []string  // items of the handoff that the session continued
	Restored time.Time // when the session was last shown that handoff again: its items came back after all compactions before that
	// Uncommitted reports whether a file, as the session named it, differs from the last commit now. nil lists no files:
	// a person may have committed them, which the record does not show.
	Uncommitted func(dir, file string) bool
}

// auditor reads the records of a session in their order.
type auditor struct {
	Options

	always  left
	facts   facts.Collector
	lines   [][]byte
	turns   []int           // lines of the user's requests
	last    string          // the last request: hosts record some twice
	asked   map[string]bool // calls of the tool with which the agent asks the user
	pending *Compaction     // one whose summary may follow
	items   []Item          // rules and decisions
	seen    map[string]bool
	found   []Compaction
}

// most is how many rules and decisions are followed: of a longer session the first.
const most = 500

// add adds the record that is on the last line. Those of subagents are left out: their context is their own.
func (a *auditor) add(r *transcript.Record) {
	if r.Side || a.compacted(r) {
		return
	}
	a.facts.Add(len(a.lines), r)
	a.again(r)
	if text := strings.TrimSpace(r.Prompt); text != "" && !r.Aside {
		if text != a.last {
			a.turns = append(a.turns, len(a.lines))
		}
		a.last = text
		for s := range sentences(text) {
			a.say(kindOf(s), s, s)
		}
	}
	a.answered(r)
}

// answered takes what the user answered when the agent asked.
func (a *auditor) answered(r *transcript.Record) {
	for i := range r.Tools {
		if t := &r.Tools[i]; t.Name == asking {
			if a.asked == nil {
				a.asked = map[string]bool{}
			}
			a.asked[t.ID] = true
		}
	}
	for i := range r.Results {
		if res := &r.Results[i]; a.asked[res.ID] && !res.Failed && !res.Shortened {
			for question, answer := range answers(res.Output) {
				a.say(Decision, question+" "+answer, answer)
			}
		}
	}
}

// say adds a rule or a decision, once. about is the part of the text that says what it is about.
func (a *auditor) say(kind Kind, text, about string) {
	key := string(kind) + strings.ToLower(text)
	if kind == "" || a.seen[key] || len(a.items) >= most {
		return
	}
	if a.seen == nil {
		a.seen = map[string]bool{}
	}
	a.seen[key] = true
	if words := stemsOf(about); len(words) > 0 {
		a.items = append(a.items, Item{Kind: kind, Text: text, Line: len(a.lines), words: words})
	}
}

// compacted takes a compaction, and reports whether the record is one. Claude Code writes the summary on a line of its own.
func (a *auditor) compacted(r *transcript.Record) bool {
	summary := strings.TrimSpace(r.Summary) != "" || r.Kept != ""
	if !r.Compacted && !summary {
		if a.pending != nil && (r.Text != "" || len(r.Tools) > 0) { // the agent goes on
			a.close("", Missing)
		}
		return false
	}
	if a.pending == nil {
		a.pending = &Compaction{Items: []Item{}}
	}
	a.pending.Line = len(a.lines)
	if summary || r.Sealed {
		a.close(r.Summary+"\n"+r.Kept, summaryOf(r))
	}
	return true
}

// summaryOf says whether a record has a summary to compare.
func summaryOf(r *transcript.Record) Summary {
	const few = 8 // words of a summary
	switch words := len(stemsOf(unredacted(r.Summary + "\n" + r.Kept))); {
	case words >= few && !r.Sealed:
		return Readable
	case r.Sealed:
		return Sealed
	default:
		return Redacted
	}
}

// close compares what was known with a summary. What was dropped is not followed any further.
func (a *auditor) close(text string, s Summary) {
	c := a.pending
	a.pending = nil
	c.Summary = s
	left := newLeft(text)
	items := a.items
	a.items = nil
	for _, it := range items {
		if it.Fate = a.fate(c, left, &it); it.Fate != Dropped {
			a.items = append(a.items, it)
		}
		c.Items = append(c.Items, it)
	}
	for _, it := range a.open() {
		it.Fate = a.fate(c, left, &it)
		c.Items = append(c.Items, it)
	}
	a.found = append(a.found, *c)
}

// fate is that of an item at a compaction.
func (a *auditor) fate(c *Compaction, left left, it *Item) Fate {
	switch {
	case it.Kind == File && left.names(it.Text), it.Kind != File && (left.has(it.words) || a.always.has(it.words)):
		return Kept
	case c.Summary != Readable:
		return Unknown
	}
	return Dropped
}

// open lists the to-dos and files that are open, and pinned items.
func (a *auditor) open() (items []Item) {
	f := a.facts.Facts()
	for _, t := range f.Open() {
		items = append(items, Item{Kind: Todo, Text: t.Text, Line: t.Line, words: stemsOf(t.Text)})
	}
	for _, text := range a.Pinned {
		items = append(items, Item{Kind: Pinned, Text: text, words: stemsOf(text)})
	}
	if a.Uncommitted == nil {
		return items
	}
	committed := lastCommit(f)
	for _, w := range f.Written {
		if w.Line > committed && filepath.IsLocal(filepath.FromSlash(w.Path)) && a.Uncommitted(f.Dir, w.Path) {
			items = append(items, Item{Kind: File, Text: w.Path, Line: w.Line})
		}
	}
	return items
}

// lastCommit is the line of the last commit, as far as it is not known to have failed.
func lastCommit(f *facts.Facts) (line int) {
	for i := range f.Commands {
		if c := &f.Commands[i]; transcript.Commits(c.Text) && c.State != facts.Failed && c.State != facts.Refused && (c.State != facts.Exited || c.Exit == 0) {
			line = c.Line
		}
	}
	return line
}

// again marks what comes up after a compaction.
func (a *auditor) again(r *transcript.Record) {
	var texts []string
	for i := range r.Results {
		texts = append(texts, r.Results[i].Output)
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		texts = append(texts, t.File, t.Command)
		for _, todo := range t.Todos {
			texts = append(texts, todo.Text)
		}
	}
	var said *left
	for i := range a.found {
		for j := range a.found[i].Items {
			it := &a.found[i].Items[j]
			if it.Fate != Dropped {
				continue
			}
			if said == nil {
				said = new(newLeft(strings.Join(append(texts, r.Prompt, r.Text), "\n")))
			}
			if it.Kind == File && (said.names(it.Text)) || it.Kind != File && said.has(it.words) {
				it.Fate = Again
			}
		}
	}
}

// shown is how many characters of an item are shown.
const shown = 200

// result fills in turns and times, and masks the texts.
func (a *auditor) result() []Compaction {
	if a.pending != nil {
		a.close("", Missing)
	}
	for i := range a.found {
		c := &a.found[i]
		c.Turn, c.At = a.when(c.Line)
		for j := range c.Items {
			it := &c.Items[j]
			it.Turn, it.At = a.when(it.Line)
			it.Text = secret.MaskLine(it.Text, shown)
			if it.Kind == Pinned && it.Fate == Dropped && !c.At.IsZero() && c.At.Before(a.Restored.Add(settles)) {
				it.Fate = Again
			}
		}
	}
	return a.found
}

// settles is how long after a hook has shown the handoff again the host may write that it compacted.
const settles = time.Minute

// when is the turn and the time of a line; 0 is none.
func (a *auditor) when(line int) (turn int, at time.Time) {
	if line == 0 {
		return 0, at
	}
	turn, found := slices.BinarySearch(a.turns, line)
	if found {
		turn++
	}
	return turn, transcript.Time(a.lines[line-1])
}

// base is the last part of a path.
func base(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }
