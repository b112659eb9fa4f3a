package templates

import (
	"fmt"
	"maps"
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
)

// Form is what a new document in a language has besides what its author writes. The zero value is English.
type Form struct {
	Headings map[handoff.Kind]string
	labels   []string // of the file, the place in it, and the goal
	prompts  []string // of the step, these three, a decision, a dead end, a fact, a reference
}

// FormOf returns the form in the language with a code; that of English is zero. The error matches [handoff.ErrInvalid].
func FormOf(code string) (f Form, err error) {
	if code == "" || code == words.English.Code {
		return f, nil
	}
	for l, headings := range words.Written("form") {
		if l.Code == code {
			f.Headings = make(map[handoff.Kind]string, len(headings))
			for i, spec := range handoff.Sections {
				f.Headings[spec.Kind] = headings[i]
			}
			f.labels, f.prompts = written("labels", l), written("prompts", l)
			return f, nil
		}
	}
	return f, fmt.Errorf("%w: no headings in the language %q: choose one of %s", handoff.ErrInvalid, code, Languages())
}

// Languages are the codes that [FormOf] knows, for messages.
func Languages() string { return strings.Join(words.Codes(), ", ") }

// Over returns headings with those of the form instead: except for those that are given, and, without all, for those
// in another language than English, which the project has chosen.
func (f Form) Over(headings, given map[handoff.Kind]string, all bool) map[handoff.Kind]string {
	over := maps.Clone(f.Headings)
	for kind, name := range headings {
		if given[kind] != "" || !all && words.OtherSection(name, true) > 0 {
			over[kind] = name
		}
	}
	return over
}

func written(key string, of *words.Language) []string {
	for l, list := range words.Written(key) {
		if l == of {
			return list
		}
	}
	return nil
}

// label is the label for a value of the current state, in the language of the form.
func (f Form) label(i int, english string) string {
	if i < len(f.labels) {
		return f.labels[i]
	}
	return english
}

// prompt is the placeholder of a value that is missing, in the language of the form.
func (f Form) prompt(i int, english string) string {
	if i < len(f.prompts) {
		return f.prompts[i]
	}
	return english
}

// blank is the body of a section without content.
func (f Form) blank(kind handoff.Kind) string {
	if len(f.prompts) == 0 {
		return placeholders[kind]
	}
	switch kind {
	case handoff.NextAction:
		return f.prompts[0]
	case handoff.Decisions:
		return "1. " + f.prompts[4]
	case handoff.DeadEnds:
		return "1. " + f.prompts[5]
	case handoff.Context:
		return "- " + f.prompts[6]
	case handoff.References:
		return "- " + f.prompts[7]
	}
	return ""
}
