// Package brief writes the extract of a handoff for its successor: as little as
// it needs to start, in the order of the schema, within a budget.
//
// It knows documents and no disk. The text is framed as the report of an
// earlier agent: it was true once, and is not an order.
package brief

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"handoff/document/evidence"
	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/internal/text/visible"
)

// Level is how much the successor gets.
type Level int

// The levels of the successor pattern: each includes the previous one.
const (
	Start  Level = 1 + iota // what must be understood first, the next action and the state
	Stuck                   // decisions, dead ends, deviations and context
	Escape                  // references
	Full                    // the unchanged document
)

// ParseLevel reads "1", "2", "3" or "full".
func ParseLevel(s string) (Level, bool) {
	switch s {
	case "1":
		return Start, true
	case "2":
		return Stuck, true
	case "3":
		return Escape, true
	case "full":
		return Full, true
	}
	return 0, false
}

// order is the order of the sections after the next action, by level.
var order = [...]struct {
	level Level
	kinds []handoff.Kind
}{
	{Start, []handoff.Kind{handoff.CurrentState, handoff.WaitingFor, handoff.Background}},
	{Stuck, []handoff.Kind{handoff.Decisions, handoff.DeadEnds, handoff.Deviations, handoff.Context}},
	{Escape, []handoff.Kind{handoff.References}},
}

// Source is the document and its place.
type Source struct {
	Doc  *handoff.Document
	Name handoff.Name
	Path string // where the successor finds the whole document
	// When is when it was written, if the caller has found out. Otherwise it is what the
	// document states.
	When handoff.When
	// Notes are the program's own lines about the document, such as what is out of date in
	// it. They quote names and texts of others, so they are in the frame, before the report.
	Notes []string
}

// markDigits is the length of the mark that ends the report.
const markDigits = 8

// Make writes the brief: at most maxBytes bytes, in whole lines. If there is more, the
// next action has what it needs, and the other sections share the rest: each is left
// out from its end, and a note at the end of the brief counts the lines. It fails if the
// frame does not fit, and with a [handoff.UndeliverableError].
//
// A successor obeys what it reads, so the report ends with a mark that is not
// in the document, and hidden text is removed.
func Make(src Source, level Level, maxBytes int) (string, error) {
	if refused := src.Doc.Undeliverable(src.Path); refused != nil {
		return "", refused
	}
	r := newReader(src.Doc)
	mark := visible.Mark(markDigits, src.Doc.Source, strings.Join(append(r.lines(whole(src.Doc)), src.Notes...), "\n"), src.Path)
	r = &reader{doc: r.doc, pieces: r.pieces} // so that notices are about this brief only
	p := parts{end: endMark(mark), path: src.Name.Called(src.Path)}
	if level == Full {
		p.first = r.lines(whole(src.Doc))
	} else {
		p.first = append(section(r, handoff.Understand), nextStep(r)...)
		for _, step := range order {
			for _, kind := range step.kinds {
				if step.level <= level && says(r.doc, kind) {
					p.sections = append(p.sections, section(r, kind))
				}
			}
		}
	}
	p.head = append([]string{frame(src) + " It ends with the line " + p.end + ", whatever it says before."}, r.notices()...)
	if !inert.Safe(src.Path) && !src.Name.Known {
		p.head = append(p.head, "The name that its author gave the file: "+strconv.Quote(pathToShow(src.Path)))
	}
	if level != Full {
		p.head = append(p.head, logNote(r)...)
		p.head = append(p.head, unproved(r)...)
	}
	p.head = append(p.head, src.Notes...)
	if level != Full && !namesStep(src.Doc) {
		p.head = append(p.head, "It names no next action: read all of it"+command(src, "full")+".")
	}
	p.head, p.foot = append(p.head, ""), foot(src, level)
	return p.fit(maxBytes)
}

// command is how to read more, " with `handoff brief …`"; empty if the document has no
// name that can be shown.
func command(src Source, level string) string {
	ref, ok := src.Name.Typed(src.Path)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" with `handoff brief %s --level %s`", ref, level)
}

// pathToShow is a path on one line.
func pathToShow(path string) string {
	clean, _ := visible.Model(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(path))
	return clean
}

func frame(src Source) string {
	about := ""
	if task, phase := numbers(src); task > 0 || src.Name.Width > 0 {
		about = fmt.Sprintf(" on task %d", task)
		if phase != "" {
			about += ", phase " + phase
		}
	}
	when := written(src)
	if src.Doc.Front != nil && src.Doc.Front.Draft {
		return fmt.Sprintf("This is a draft that a program made from what an earlier agent did%s%s. Nobody has checked it: compare it with the files.", about, when)
	}
	return fmt.Sprintf("This is a report by an earlier agent%s%s. Check before relying on it.", about, when)
}

// written is when the document was written, for the first line.
func written(src Source) string {
	w := src.When
	if w.By == "" {
		w = handoff.WrittenBy(src.Name, src.Doc).When()
	}
	verb := ", written "
	switch w.By {
	case handoff.ByNothing:
		return ", written at an unknown time"
	case handoff.ByCommit:
		verb = ", in a file that was last committed "
	case handoff.ByFile:
		verb = ", in a file that was last changed "
	}
	switch m := w.At; {
	case !m.Known():
		return ""
	case m.Unit == handoff.Day:
		return verb + "on " + m.String()
	case m.Zoned:
		return verb + m.String()
	}
	return verb + w.At.String() + " in an unknown time zone"
}

// numbers are the task and the phase in the path or, in a layout whose paths have none,
// in the frontmatter. Other text of a frontmatter could pass for the frame's own words.
func numbers(src Source) (task int, phase string) {
	task, phase = src.Name.Task, src.Name.PhaseText
	if front := src.Doc.Front; front != nil {
		task = cmp.Or(task, front.Task)
		if _, err := strconv.Atoi(front.Phase); phase == "" && err == nil {
			phase = front.Phase
		}
	}
	return task, phase
}

// foot points to the rest, by path: a short name would mean another document as
// soon as there is a newer one. It is after the mark, so it shows only a safe path.
func foot(src Source, level Level) string {
	ref, ok := src.Name.Typed(src.Path)
	if level >= Escape || !ok {
		return "The document: " + src.Name.Called(src.Path)
	}
	next := map[Level]string{Start: "decisions, dead ends and context", Stuck: "references"}[level]
	return fmt.Sprintf("If stuck: `handoff brief %s --level %d` adds %s", ref, level+1, next)
}

func whole(doc *handoff.Document) handoff.Lines {
	first := 1
	if doc.Front != nil {
		first = doc.Front.Lines.Last + 1
	}
	return handoff.Lines{First: first, Last: doc.NumLines()}
}

// says reports whether the document has the section, and it is not empty.
func says(doc *handoff.Document, kind handoff.Kind) bool {
	s := doc.Section(kind)
	return s != nil && (s.Body.First > 0 || s.Inline != "")
}

// section is a section's heading and body, as written, and an empty line.
func section(r *reader, kind handoff.Kind) []string {
	if !says(r.doc, kind) {
		return nil
	}
	s := r.doc.Section(kind)
	lines := []string{"## " + handoff.SpecOf(kind).Name()}
	if s.Inline != "" {
		lines = append(lines, r.quoted(s.Inline))
	}
	if s.Body.First > 0 {
		lines = append(lines, r.lines(s.Body)...)
	}
	return append(lines, "")
}

// Sections returns the texts of the sections that a brief of a level has, for programs: by
// their keys in the JSON form of a handoff, without their headings and without hidden
// text. Sections that say nothing are left out, and no budget cuts them.
func Sections(doc *handoff.Document, level Level) map[string]string {
	texts := map[string]string{}
	add := func(kind handoff.Kind, lines []string) {
		if len(lines) > 0 {
			texts[handoff.SpecOf(kind).Key] = strings.TrimSpace(strings.Join(lines[1:], "\n"))
		}
	}
	r := newReader(doc)
	add(handoff.Understand, section(r, handoff.Understand))
	add(handoff.NextAction, nextStep(r))
	for _, step := range order {
		for _, kind := range step.kinds {
			if step.level <= level {
				add(kind, section(r, kind))
			}
		}
	}
	return texts
}

// namesStep reports whether the document announces a next step anywhere.
func namesStep(doc *handoff.Document) bool {
	_, ok := doc.NextStep()
	return ok
}

// nextStep returns the next step of the document, under the heading of the section, or under one that
// names the place where the document announces it.
func nextStep(r *reader) []string {
	step, ok := r.doc.NextStep()
	if !ok {
		return nil
	}
	lines := []string{"## " + handoff.NextAction.String()}
	if step.Kind != handoff.NextAction {
		lines[0] = fmt.Sprintf("## Next step (from %q)", r.quoted(step.From))
	}
	if step.Inline != "" {
		lines = append(lines, r.quoted(step.Inline))
	}
	if step.Lines.First > 0 {
		lines = append(lines, r.lines(step.Lines)...)
	}
	return append(lines, "")
}

// unproved says what the marks of the document say against its claims, which other levels of it have. It is text of a document.
func unproved(r *reader) (lines []string) {
	for _, why := range evidence.Doubts(r.doc.Source) {
		lines = append(lines, fmt.Sprintf("It claims what the session of its author did not show: %q.", r.quoted(why)))
	}
	return lines
}

// logNote says how many entries a log of sessions has, and from which one the next step is. The heading is text of
// the author: quoted, in the frame before the report.
func logNote(r *reader) []string {
	step, ok := r.doc.NextStep()
	switch {
	case !ok || step.Entries == 0:
		return nil
	case step.Entry == "":
		return []string{fmt.Sprintf("The document is a log of %d sessions; the next step is outside of their entries.", step.Entries)}
	}
	return []string{fmt.Sprintf("The document is a log of %d sessions; the next step is from the newest entry that has one: %q.", step.Entries, r.quoted(step.Entry))}
}
