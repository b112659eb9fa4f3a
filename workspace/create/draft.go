package create

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"handoff/document/evidence"
	"handoff/document/handoff"
	"handoff/internal/text/strictyaml"
	"handoff/templates"
)

// Draft is the input of `handoff new`, with the file, line or flag that each value came
// from, so that findings can point to it.
type Draft struct {
	templates.Values
	Slug     string
	Markdown []byte // the whole document, used instead of the texts in Values; see [MarkdownDraft]

	reading      *strictyaml.Reading // of the file the values came from; nil for flags alone
	flags        map[string]bool     // keys whose value came from a flag
	markdownName string              // of the file that Markdown came from
}

// Flag records that the value of a key came from a flag, which overrides the file.
func (d *Draft) Flag(key string) {
	if d.flags == nil {
		d.flags = make(map[string]bool)
	}
	d.flags[key] = true
}

// draftFile is the input of `handoff new --from`. Its published schema is
// docs/schema/new.schema.json.
type draftFile struct {
	Task       taskRef  `yaml:"task"`
	Phase      int      `yaml:"phase"`
	Slug       string   `yaml:"slug"`
	NextAction phrase   `yaml:"next_action"`
	State      state    `yaml:"state"`
	Decisions  []phrase `yaml:"decisions"`
	Deviations []phrase `yaml:"deviations"`
	DeadEnds   []phrase `yaml:"dead_ends"`
	Context    []phrase `yaml:"context"`
	References []phrase `yaml:"references"`
	Understand phrases  `yaml:"understand_first"`
	WaitingFor phrases  `yaml:"waiting_for"`
	Background phrases  `yaml:"left_running"`
	Thread     string   `yaml:"thread"`
	Seq        *int64   `yaml:"seq"`
	Profile    string   `yaml:"profile"`
}

type state struct {
	File     phrase `yaml:"file"`
	Location phrase `yaml:"location"`
	Goal     phrase `yaml:"goal"`
}

// taskRef is a task: its number, or what the plan of another tool calls it.
type taskRef struct {
	number int
	named  string
}

// UnmarshalText reads a name. A number in quotes is none: that was an error before there were names.
func (t *taskRef) UnmarshalText(text []byte) error {
	t.named = strings.TrimSpace(string(text))
	if _, err := strconv.Atoi(t.named); err == nil || t.named == "" {
		return errors.New("want a whole number, or what a plan calls the task")
	}
	return nil
}

// SetNumber reads a number.
func (t *taskRef) SetNumber(n int) { t.number = n }

// UnmarshalText accepts a state that is one text, and uses it as the goal.
func (s *state) UnmarshalText(text []byte) error {
	return s.Goal.UnmarshalText(text)
}

// phrase is text. Without quotes, YAML parses "what: why" as a mapping. Agents often
// write that and mean the text, so a mapping with one pair is read as text. The two
// parts may also be given separately, under the keys what and why.
type phrase map[string]string

// UnmarshalText accepts plain text.
func (p *phrase) UnmarshalText(text []byte) error {
	*p = phrase{"": string(text)}
	return nil
}

func (p phrase) text() string {
	if p.marked() {
		return p.withMark()
	}
	if p.separate() {
		return p["what"] + ": " + p["why"]
	}
	for what, why := range p {
		if what == "" {
			return why
		}
		return what + ": " + why
	}
	return ""
}

// marked reports whether the phrase has a mark of its check: text with check and at, or
// with unverified.
func (p phrase) marked() bool {
	_, text := p["text"]
	_, check := p["check"]
	_, reason := p["unverified"]
	_, at := p["at"]
	return text && check != reason && (check || !at)
}

func (p phrase) withMark() string {
	if reason, ok := p["unverified"]; ok {
		return p["text"] + " [unverified: " + reason + "]"
	}
	mark := " [verified: " + p["check"]
	if at := p["at"]; at != "" {
		mark += " @" + at
	}
	return p["text"] + mark + "]"
}

// markProblem returns the problem of a phrase's mark, nil if there is none.
func (p phrase) markProblem() error {
	if !p.marked() {
		return nil
	}
	_, m, err := evidence.Split(p.withMark())
	if err == nil && m.At != p["at"] {
		err = errors.New("at: want a commit id: 7 to 40 of the digits 0-9 and a-f")
	}
	return err
}

func (p phrase) separate() bool {
	_, what := p["what"]
	_, why := p["why"]
	return what && why && len(p) == 2
}

// phrases are the items of an optional section. Text that is not in a list is one for each line.
type phrases []phrase

// UnmarshalText reads text that is not in a list.
func (p *phrases) UnmarshalText(text []byte) error {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			*p = append(*p, phrase{"": line})
		}
	}
	return nil
}

func texts(list []phrase) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.text())
	}
	return out
}

// answers is texts for a section that every document has: an empty list becomes
// "None", a missing one stays missing.
func answers(list []phrase) []string {
	if list != nil && len(list) == 0 {
		return []string{"None"}
	}
	return texts(list)
}

// ParseDraft parses JSON or YAML. The error lists all problems, each with the file's
// name, line and column.
func ParseDraft(name string, src []byte) (*Draft, error) {
	var f draftFile
	r := strictyaml.Read(name, src, &f)
	one := func(at string, p phrase) {
		if _, given := r.At(at); given && len(p) != 1 && !p.separate() && !p.marked() && !r.Blames(at) {
			r.Complain(at, "want text: put quotes around it")
		}
		if err := p.markProblem(); err != nil {
			r.Complain(at, "%v", err)
		}
	}
	each := func(at string, list []phrase) {
		for i, p := range list {
			one(fmt.Sprintf("%s/%d", at, i), p)
		}
	}
	one("/next_action", f.NextAction)
	one("/state/file", f.State.File)
	one("/state/location", f.State.Location)
	one("/state/goal", f.State.Goal)
	each("/decisions", f.Decisions)
	each("/deviations", f.Deviations)
	each("/dead_ends", f.DeadEnds)
	each("/context", f.Context)
	each("/references", f.References)
	each("/understand_first", f.Understand)
	each("/waiting_for", f.WaitingFor)
	each("/left_running", f.Background)
	f.check(r)
	return &Draft{
		Values: templates.Values{
			Task: f.Task.number, Named: f.Task.named, Phase: f.Phase, NextAction: f.NextAction.text(),
			State:     templates.State{File: f.State.File.text(), Location: f.State.Location.text(), Goal: f.State.Goal.text()},
			Decisions: answers(f.Decisions), Deviations: texts(f.Deviations), DeadEnds: answers(f.DeadEnds),
			Context: answers(f.Context), References: answers(f.References),
			Understand: texts(f.Understand), WaitingFor: texts(f.WaitingFor), Background: texts(f.Background),
			Thread: f.Thread, Seq: f.Seq, Profile: f.Profile,
		},
		Slug:    f.Slug,
		reading: r,
	}, handoff.Invalid(r.Err())
}

// check reports values that are out of range, each at its position in the file.
func (f *draftFile) check(r *strictyaml.Reading) {
	p := f.Profile
	if _, given := r.At("/profile"); given && p != "handoff" && p != "completion" && !r.Blames("/profile") {
		r.Complain("/profile", "unknown profile %q (handoff, completion)", p)
	}
	seq := int64(0)
	if f.Seq != nil {
		seq = *f.Seq
	}
	for _, c := range []struct {
		at             string
		n, least, most int64
	}{{"/task", int64(f.Task.number), 1, handoff.MaxTask}, {"/phase", int64(f.Phase), 1, handoff.MaxPhase}, {"/seq", seq, 0, 1<<53 - 1}} {
		if _, given := r.At(c.at); given && !(c.at == "/task" && f.Task.named != "") && (c.n < c.least || c.n > c.most) && !r.Blames(c.at) {
			r.Complain(c.at, "want a number from %d to %d", c.least, c.most)
		}
	}
}

// flagOf is the flag that sets a section's text.
var flagOf = map[handoff.Kind]string{
	handoff.NextAction: "--next-action", handoff.CurrentState: "--file", handoff.Decisions: "--decision",
	handoff.Deviations: "--deviation", handoff.DeadEnds: "--dead-end", handoff.Context: "--context",
	handoff.References: "--reference", handoff.Understand: "--understand-first", handoff.WaitingFor: "--waiting-for",
	handoff.Background: "--left-running",
}

// IsByFlags reports whether the content is from flags alone.
func (d *Draft) IsByFlags() bool { return d.Markdown == nil && d.reading == nil }

// Place returns the source of the text at some lines of a rendered document: a line of
// the input, or a flag.
func (d *Draft) Place(doc *handoff.Document, l handoff.Lines) string {
	if d.Markdown != nil {
		return d.markdownPlace(doc, l)
	}
	for i := range doc.Sections {
		if s := &doc.Sections[i]; s.Lines.Has(l.First) && s.Kind != handoff.Other {
			return d.placeOf(s, l.First)
		}
	}
	if d.reading != nil {
		return d.reading.Name
	}
	return "the document"
}

func (d *Draft) placeOf(s *handoff.Section, line int) string {
	key := handoff.SpecOf(s.Kind).Key
	if d.reading == nil || d.flags[key] {
		return flagOf[s.Kind]
	}
	if p, ok := d.reading.At(d.pointer(s, line)); ok {
		return fmt.Sprintf("%s:%d:%d", d.reading.Name, p.Line, p.Col)
	}
	return d.reading.Name + ": " + key
}

// Pointer returns the JSON pointer of the value that made a line of a rendered document:
// /decisions/1, or /decisions if the list is missing. It is "" if no value did, as for a
// document in Markdown.
func (d *Draft) Pointer(doc *handoff.Document, line int) string {
	for i := range doc.Sections {
		if s := &doc.Sections[i]; d.Markdown == nil && s.Lines.Has(line) && s.Kind != handoff.Other {
			return d.pointer(s, line)
		}
	}
	return ""
}

func (d *Draft) pointer(s *handoff.Section, line int) string {
	key := "/" + handoff.SpecOf(s.Kind).Key
	item := fmt.Sprintf("%s/%d", key, entry(s, line))
	if d.reading != nil {
		if _, ok := d.reading.At(item); ok {
			return item
		}
	}
	return key
}

// entry is the index of the list item at the line; -1 if there is no item.
func entry(s *handoff.Section, line int) int {
	i := -1
	for it := range s.Top {
		i++
		if it.Lines.Has(line) {
			return i
		}
	}
	return -1
}
