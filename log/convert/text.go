package convert

import (
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/json/jsontext"
	"handoff/parse"
	"handoff/templates"
)

// section is the body of a section of a document, and its heading.
type section struct {
	kind          handoff.Kind
	heading, body string
}

// read parses Markdown: the title, the rest of the text before the sections, and
// the sections in order. A section that announces the next step in other words is the next action.
func read(text string) (title, preamble string, sections []section) {
	doc := parse.Document([]byte(text))
	_, whole := nextOf(doc)
	for i := range doc.Sections {
		s := &doc.Sections[i]
		kind := s.Kind
		if s == whole {
			kind = handoff.NextAction
		}
		sections = append(sections, section{kind, strings.ReplaceAll(s.Heading.Text, "\n", " "), bodyOf(doc, s)})
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
		after := trimLines(doc.Text(handoff.Lines{First: t.Last + 1, Last: last}))
		return doc.Title.Text, trimLines(before + "\n\n" + after), sections
	}
	return "", trimLines(doc.Text(handoff.Lines{First: first, Last: last})), sections
}

// bodyOf is the text of a section, as written.
func bodyOf(doc *handoff.Document, s *handoff.Section) string {
	body := trimLines(doc.Text(handoff.Lines{First: s.Heading.Lines.Last + 1, Last: s.Lines.Last}))
	if s.Inline == "" {
		return body
	}
	return trimLines(s.Inline + "\n" + body)
}

// trimLines removes empty lines at both ends, and makes all newlines \n.
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

// nextOf returns the next step of a document, as every reader finds it, and the section that is all of it; nil
// if it is under a subheading, a label or on a line.
func nextOf(doc *handoff.Document) (text string, whole *handoff.Section) {
	step, ok := doc.NextStep()
	if !ok {
		return "", nil
	}
	for i := range doc.Sections {
		s := &doc.Sections[i]
		if s.Inline != step.Inline || s.Body != step.Lines || (s.Kind != handoff.NextAction || step.Kind != s.Kind) && s.Heading.Text != step.From {
			continue
		}
		if step.Kind == handoff.NextAction || words.Step(s.Heading.Text) == words.Announces {
			return bodyOf(doc, s), s
		}
		return bodyOf(doc, s), nil // "Notes for Phase 4" stays under its heading
	}
	return trimLines(step.Text), nil
}

// nextIn returns the next step of a text.
func nextIn(text string) string {
	next, _ := nextOf(parse.Document([]byte(text)))
	return next
}

// separateNext is Next, unless it is what the text has as its next step.
func (h *Handoff) separateNext() string {
	if next := trimLines(h.Next); next != nextIn(h.Text) {
		return next
	}
	return ""
}

// Markdown is everything that the successor reads, as one text: Text, with the
// other fields in sections of their own. Without any it is exactly Text.
func (h *Handoff) Markdown() string {
	var first []section
	_, _, sections := read(h.Text)
	if next := h.separateNext(); next != "" {
		first = append(first, section{kind: handoff.NextAction, body: next})
	}
	last := h.factSections(sections)
	if len(first)+len(last) == 0 {
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
	for _, s := range last {
		parts = append(parts, s.markdown())
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return strings.Join(parts, "\n\n") + "\n"
}

func (s section) markdown() string {
	heading := s.heading
	if s.kind != handoff.Other {
		heading = handoff.SpecOf(s.kind).Heading
	}
	return "## " + heading + "\n" + s.body
}

// factSections are the sections that facts and About become, in the order of the
// template, without those that the text has.
func (h *Handoff) factSections(there []section) (sections []section) {
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

// factsFor is the text of a section from facts: the one with the section's key, and
// for the context also those with the key of no section.
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

// keyed is the section with a key.
func keyed(name string) handoff.Kind {
	for _, spec := range handoff.Sections {
		if spec.Key == name {
			return spec.Kind
		}
	}
	return handoff.Other
}

// state is the current state from an object with file, location and goal, or from
// a text.
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

// list formats an array as a list, or returns a text as it is.
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

// plainText is the value of a text, or the JSON of another value.
func plainText(value string) string {
	if jsontext.IsText(value) {
		return jsontext.Text(value)
	}
	return string(jsontext.Python.AppendValue(nil, value))
}
