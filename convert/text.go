package convert

import (
	"slices"
	"strings"

	"handoff"
	"handoff/internal/json/jsontext"
	"handoff/parse"
	"handoff/templates"
)

// section is the body of a section of a document, and its heading.
type section struct {
	kind          handoff.Kind
	heading, body string
}

// read takes Markdown apart: what stands before the sections without the title,
// the title, and the sections in their order.
func read(text string) (title, preamble string, sections []section) {
	doc := parse.Document([]byte(text))
	for i := range doc.Sections {
		s := &doc.Sections[i]
		sections = append(sections, section{s.Kind, strings.ReplaceAll(s.Heading.Text, "\n", " "), bodyOf(doc, s)})
	}
	last := doc.NumLines()
	if len(doc.Sections) > 0 {
		last = doc.Sections[0].Lines.First - 1
	}
	first := 1
	if doc.Front != nil {
		first = doc.Front.Lines.Last + 1
	}
	if t := doc.Title.Lines; t.First > 0 && t.Last <= last {
		before := trimLines(doc.Text(handoff.Lines{First: first, Last: t.First - 1}))
		behind := trimLines(doc.Text(handoff.Lines{First: t.Last + 1, Last: last}))
		return doc.Title.Text, trimLines(before + "\n\n" + behind), sections
	}
	return "", trimLines(doc.Text(handoff.Lines{First: first, Last: last})), sections
}

// bodyOf is what a section says, as it is written.
func bodyOf(doc *handoff.Document, s *handoff.Section) string {
	body := trimLines(doc.Text(handoff.Lines{First: s.Heading.Lines.Last + 1, Last: s.Lines.Last}))
	if s.Inline == "" {
		return body
	}
	return trimLines(s.Inline + "\n" + body)
}

// trimLines takes away empty lines at both ends, and makes all line ends \n.
func trimLines(s string) string {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\n")
	for {
		line, rest, more := strings.Cut(s, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

// nextIn is the body of the first section of the next action.
func nextIn(sections []section) string {
	for _, s := range sections {
		if s.kind == handoff.NextAction {
			return s.body
		}
	}
	return ""
}

// Markdown is all that the successor is told, as one text: Text, and in
// sections of its own what is said apart from it. Where nothing is, it is Text
// byte for byte.
func (h *Handoff) Markdown() string {
	var first []section
	_, _, sections := read(h.Text)
	if next := trimLines(h.Next); next != "" && next != nextIn(sections) {
		first = append(first, section{kind: handoff.NextAction, body: next})
	}
	behind := h.told(sections)
	if len(first)+len(behind) == 0 {
		return h.Text
	}
	at := len(h.Text)
	if doc := parse.Document([]byte(h.Text)); len(doc.Sections) > 0 {
		at = doc.Offset(doc.Sections[0].Lines.First)
	}
	parts := []string{trimLines(h.Text[:at])}
	for _, s := range first {
		parts = append(parts, s.markdown())
	}
	parts = append(parts, trimLines(h.Text[at:]))
	for _, s := range behind {
		parts = append(parts, s.markdown())
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "\n\n") + "\n"
}

func (s section) markdown() string {
	return "## " + handoff.SpecOf(s.kind).Heading + "\n" + s.body
}

// told are the sections that facts and About become, in the order of the
// template, without those that there are.
func (h *Handoff) told(there []section) (sections []section) {
	has := map[handoff.Kind]bool{}
	for _, s := range there {
		has[s.kind] = true
	}
	for _, spec := range handoff.Sections {
		if body := h.factsFor(spec); body != "" && !has[spec.Kind] && spec.Kind != handoff.NextAction {
			sections = append(sections, section{kind: spec.Kind, body: body})
		}
	}
	return sections
}

// factsFor is what the facts say for a section: the member of its key, and for
// the context all that have the key of no section.
func (h *Handoff) factsFor(spec handoff.Spec) string {
	var said, facts []string
	if spec.Kind == handoff.Context && h.About != "" {
		facts = append(facts, h.About)
	}
	for _, f := range h.Facts {
		switch value := string(f.Value); {
		case f.Name == spec.Key && spec.Kind == handoff.CurrentState:
			said = append(said, state(value))
		case f.Name == spec.Key:
			said = append(said, list(value, spec.Numbered))
		case spec.Kind == handoff.Context && keyed(f.Name) == handoff.Other:
			facts = append(facts, f.Name+": "+plainText(value))
		}
	}
	if len(facts) > 0 {
		said = append(said, templates.List(facts, false))
	}
	return trimLines(strings.Join(said, "\n"))
}

// keyed is the section that a key is of.
func keyed(name string) handoff.Kind {
	for _, spec := range handoff.Sections {
		if spec.Key == name {
			return spec.Kind
		}
	}
	return handoff.Other
}

// state is the current state that an object with file, location and goal
// tells, or a text.
func state(value string) string {
	members, err := jsontext.Python.Object(value)
	if err != nil {
		return plainText(value)
	}
	labels := map[string]string{"file": "File", "location": "Location", "goal": "Goal state"}
	var lines []string
	for _, m := range members {
		label := labels[m.Name]
		if label == "" {
			label = m.Name
		}
		lines = append(lines, "**"+label+"**: "+plainText(m.Value))
	}
	return templates.List(lines, false)
}

// list is an array as a list, or a text as it is.
func list(value string, numbered bool) string {
	values, err := jsontext.Python.Array(value)
	if err != nil {
		return plainText(value)
	}
	var items []string
	for _, v := range values {
		items = append(items, plainText(v))
	}
	return templates.List(items, numbered)
}

// plainText is what a text says, and of another value its JSON.
func plainText(value string) string {
	if jsontext.IsText(value) {
		return jsontext.Text(value)
	}
	return string(jsontext.Python.AppendValue(nil, value))
}
