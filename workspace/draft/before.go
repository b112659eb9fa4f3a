package draft

import (
	"path"
	"slices"
	"strings"

	"handoff/agents/transcript/facts"
	"handoff/document/handoff"
	"handoff/workspace"
)

// stepBefore introduces the next action of the report before in a draft.
const stepBefore = "The step before was: "

// next returns the step of the report before if nothing shows that the agent did it.
// Otherwise it returns what to check first, and then that step.
func (p *page) next() string {
	step := p.step()
	switch {
	case step == "":
		return p.lead()
	case !p.worked():
		return step
	case strings.Contains(step, "\n"):
		return p.lead() + "\n\n" + stepBefore + step
	}
	return p.lead() + " " + stepBefore + step
}

// step is the next action of the report before, "" if it has none. A draft that continued a
// report contains the step of that one, so the step stays the same however many drafts follow.
func (p *page) step() string {
	if p.o.Past == nil {
		return ""
	}
	next, _ := p.o.Past.NextStep()
	text := strings.TrimSpace(next.Text)
	if front := p.o.Past.Front; front == nil || !front.Draft {
		return text
	}
	if _, step, ok := strings.Cut(text, stepBefore); ok {
		return step
	}
	if slices.ContainsFunc(ownPhrases, func(own string) bool { return strings.Contains(text, own) }) {
		return ""
	}
	return text
}

// worked reports whether the agent may have done the step: it changed files or ran commands.
func (p *page) worked() bool { return p.o.Changed || Worked(p.f) }

// Worked reports whether a session wrote files, or ran commands, other than those of handoff.
func Worked(f *facts.Facts) bool {
	for _, one := range f.Written {
		if !workspace.OwnFile(strings.ReplaceAll(one.Path, `\`, "/")) {
			return true
		}
	}
	for _, one := range f.Commands {
		if !IsOwnCommand(one.Text) {
			return true
		}
	}
	return f.Earlier > 0
}

// IsOwnCommand reports whether a command only runs handoff, such as `handoff ack`.
func IsOwnCommand(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && path.Base(words[0]) == "handoff" && !strings.ContainsAny(text, ";&|\n")
}

// label is a value of the current state of the report before, as written.
func (p *page) label(names ...string) string {
	if p.o.Past == nil {
		return ""
	}
	s := p.o.Past.Section(handoff.CurrentState)
	if s == nil {
		return ""
	}
	l := s.Label(names...)
	if l == nil {
		return ""
	}
	if l.Value != "" {
		return l.Value
	}
	for _, f := range s.Fences {
		if l.Lines.Has(f.Lines.First) {
			return dedent(p.o.Past.Text(f.Body))
		}
	}
	return ""
}

// dedent is a text without the blanks that all its lines begin with.
func dedent(text string) string {
	lines := strings.Split(text, "\n")
	least := len(text)
	for _, line := range lines {
		if rest := strings.TrimLeft(line, " "); rest != "" {
			least = min(least, len(line)-len(rest))
		}
	}
	for i, line := range lines {
		lines[i] = line[min(least, len(line)):]
	}
	return strings.Join(lines, "\n")
}
