// Package templates renders a handoff document from its values.
//
// It knows the form of a document, not its name, time or file, which callers
// choose. The headings come from the table of sections in package handoff, so
// that parse reads and lint checks what is written here.
package templates

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/document/words"
)

// Default is the text/template of a document, as `handoff init --template`
// writes it for users who want their own. Its data is a [Page].
//
//go:embed handoff.md.tmpl
var Default string

// titled is Default with the title of a layout.
var titled = "{{with .Front}}---\n{{.}}---\n{{end}}# {{.Title}}\n{{range .Sections}}\n## {{.Heading}}\n{{with .Body}}{{.}}\n{{end}}{{end}}"

// Values are the content of a document. Items of lists may have several lines.
type Values struct {
	Task       int
	Named      string `json:",omitempty"` // what the plan of another tool calls the task; "" for none
	Phase      int
	Time       time.Time
	NextAction string
	State      State
	Decisions  []string // "decision: why"
	Deviations []string
	DeadEnds   []string // "approach: why it failed"
	Context    []string
	References []string
	Understand []string // what a successor must understand first; optional
	WaitingFor []string // "who: what"; optional
	Background []string // "command: since when, log, pid"; optional
	Thread     string   // id of the thread before the handoff; optional
	Seq        *int64   // last event of that thread that the handoff knows; optional
	Profile    string   // "" or "completion"
	Source     string   // what a program made it from, if it is a program's draft; one line

	// Bodies are sections in Markdown, written as they are: that of the current
	// state follows State, others are used if the fields above are empty.
	Bodies map[handoff.Kind]string
	// Headings replace those of the template, to keep another parenthetical.
	Headings map[handoff.Kind]string
	Form     Form      `json:"-"` // the language of labels and of what is to be replaced; its headings are in Headings
	More     []Section // sections that are not in the template, after the others

	// Title and Order are those of a layout: "" for our own form. Order is that of the
	// sections; those that are not in it follow. Front is more lines of frontmatter.
	Title string
	Order []handoff.Kind
	Front []string
}

// Section is a section with its heading.
type Section struct{ Heading, Body string }

// State is where the work stopped.
type State struct {
	File     string // relative to the workspace, forward slashes
	Location string // "Line 342, inside `theorem x`"
	Last     string // an entry of its own before the goal: what a program saw of the work; "" for none
	Goal     string // several lines are written as a fenced block
}

// Page is the data of a template.
type Page struct {
	Values
	Stamp    string // the time as in the file's name, 20260212T143022Z
	Front    string // the lines of the frontmatter without the fences, "" for none
	Sections []PageSection
}

// PageSection is a section as the template prints it.
type PageSection struct {
	handoff.Spec
	Body string // no line end after the last line
}

// Render writes the document. text is a text/template, "" for [Default]. With
// blank, missing values become the placeholders of the handoff schema, which
// lint reports until they are replaced.
func Render(v Values, text string, blank bool) ([]byte, error) {
	return RenderIn(context.Background(), v, text, blank)
}

// RenderIn is Render until the context ends, for a template that the caller does not know. A
// template that repeats too often, or makes too much text, is an error in any case.
func RenderIn(ctx context.Context, v Values, text string, blank bool) ([]byte, error) {
	switch {
	case text == "" && v.Title != "":
		text = titled
	case text == "":
		text = Default
	}
	made, err := execute(ctx, text, page(v, blank))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", handoff.ErrInvalid, err)
	}
	return []byte(strings.TrimRight(made, "\n") + "\n"), nil
}

func page(v Values, blank bool) Page {
	p := Page{Values: v, Stamp: v.Time.UTC().Format(handoff.Stamp), Front: v.front()}
	p.Title = headingText(v.Title)
	for _, spec := range handoff.Sections {
		body := v.body(spec, blank)
		if own := v.Headings[spec.Kind]; own != "" {
			spec.Heading = own
		}
		if body != "" || spec.Required && v.Title == "" {
			p.Sections = append(p.Sections, PageSection{spec, body})
		}
	}
	if v.Order != nil {
		place := func(k handoff.Kind) int {
			if i := slices.Index(v.Order, k); i >= 0 {
				return i
			}
			return len(v.Order)
		}
		slices.SortStableFunc(p.Sections, func(a, b PageSection) int { return place(a.Kind) - place(b.Kind) })
	}
	for _, s := range v.More {
		p.Sections = append(p.Sections, PageSection{handoff.Spec{Heading: headingText(s.Heading)}, s.Body})
	}
	return p
}

// headingText closes the heading of a text that ends with a # of its own, which
// would be taken as the closing mark.
func headingText(s string) string {
	if words := strings.TrimRight(s, "#"); words != s && (words == "" || strings.HasSuffix(words, " ")) {
		return s + " #"
	}
	return s
}

func (v Values) front() string {
	var b strings.Builder
	for _, line := range v.Front {
		b.WriteString(line + "\n")
	}
	if v.Source != "" {
		fmt.Fprintf(&b, "draft: true\nsource: %s\n", strconv.Quote(v.Source))
	}
	if v.Profile != "" {
		fmt.Fprintf(&b, "profile: %s\n", v.Profile)
	}
	if v.Thread != "" {
		fmt.Fprintf(&b, "thread: %s\n", strconv.Quote(v.Thread))
	}
	if v.Seq != nil {
		fmt.Fprintf(&b, "seq: %d\n", *v.Seq)
	}
	return b.String()
}

func (v Values) body(spec handoff.Spec, blank bool) string {
	body, given := "", v.Bodies[spec.Kind]
	switch spec.Kind {
	case handoff.NextAction:
		body = strings.TrimSpace(v.NextAction)
	case handoff.CurrentState:
		if body = v.State.body(v.Form, blank && given == ""); body != "" && given != "" {
			return body + "\n\n" + given
		}
	default:
		body = List(v.Items(spec.Kind), spec.Numbered)
	}
	if body == "" {
		body = given
	}
	if body == "" && blank && spec.Required {
		return v.Form.blank(spec.Kind)
	}
	return body
}

// Items are the entries of a list section; nil for other sections.
func (v Values) Items(k handoff.Kind) []string {
	switch k {
	case handoff.Decisions:
		return v.Decisions
	case handoff.Deviations:
		return v.Deviations
	case handoff.DeadEnds:
		return v.DeadEnds
	case handoff.Context:
		return v.Context
	case handoff.References:
		return v.References
	case handoff.Understand:
		return v.Understand
	case handoff.WaitingFor:
		return v.WaitingFor
	case handoff.Background:
		return v.Background
	}
	return nil
}

func (s State) body(f Form, blank bool) string {
	var lines []string
	add := func(label, value, placeholder string) {
		value = strings.TrimSpace(value)
		switch {
		case value == "" && blank:
			value = placeholder
		case value == "":
			return
		case strings.Contains(value, "\n"):
			lines = append(lines, "- **"+label+"**:", indent(fenced(value), "  "))
			return
		}
		lines = append(lines, "- **"+label+"**: "+value)
	}
	add(f.label(0, "File"), s.File, f.prompt(1, "{absolute path to file being worked on}"))
	add(f.label(1, "Location"), s.Location, f.prompt(2, "Line {N}, after {tactic/statement/function name}"))
	if s.Last != "" {
		lines = append(lines, s.Last)
	}
	add(f.label(2, "Goal state"), s.Goal, f.prompt(3, "{current proof goal, expected output, or work state}"))
	return strings.Join(lines, "\n")
}

// List writes items as a list. A single "None" is an answer, not an item.
func List(items []string, numbered bool) string {
	if len(items) == 1 && IsNone(items[0]) {
		return strings.TrimSpace(items[0])
	}
	var lines []string
	for i, item := range items {
		marker := "- "
		if numbered {
			marker = strconv.Itoa(i+1) + ". "
		}
		lines = append(lines, marker+strings.TrimLeft(indent(strings.TrimSpace(item), strings.Repeat(" ", len(marker))), " "))
	}
	return strings.Join(lines, "\n")
}

// IsNone reports whether the text is nothing but a word for "none". An item that only
// begins with such a word, "No luck with induction", stays an item.
func IsNone(s string) bool {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(s), ".")) {
	case "none", "n/a", "nothing", "none yet":
		return true
	}
	return words.Is("none", s)
}

// fenced puts text between fences that are longer than any run of backticks in
// it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}

func indent(text, by string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l = strings.TrimRight(l, " \r"); l != "" {
			lines[i] = by + l
		} else {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// placeholders are the bodies of the schema's own template.
var placeholders = map[handoff.Kind]string{
	handoff.NextAction: "{Single specific step - not a list. Be concrete about what to do next.}",
	handoff.Decisions:  "1. {Decision}: {Brief rationale (one sentence)}\n2. {Decision}: {Brief rationale}",
	handoff.DeadEnds:   "1. {Approach}: {Why it failed (one sentence)}\n2. {Approach}: {Why it failed}",
	handoff.Context:    "- {Essential fact 1}\n- {Essential fact 2}\n- {Essential fact 3}",
	handoff.References: "- Plan: {path}, Phase {P}\n- Research: {path}, Section {X}\n- Related file: {path}",
}
