// Package brief writes what a successor is told of a handoff: in the schema's
// order, as little as it needs to start, inside a budget.
//
// It knows documents and no disk. What it writes is framed as the report of an
// earlier agent, because it is one: a text that was true once and gives nobody
// orders.
package brief

import (
	"fmt"
	"strings"

	"handoff"
)

// Level says how much the successor is told.
type Level int

// The levels of the successor pattern: each has all that is in the one before.
const (
	Start  Level = 1 + iota // the next action and the state
	Stuck                   // decisions, dead ends, deviations and context
	Escape                  // references
	Full                    // the document as it is
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

// order is the order of telling, by level.
var order = [...]struct {
	level Level
	kinds []handoff.Kind
}{
	{Start, []handoff.Kind{handoff.NextAction, handoff.CurrentState}},
	{Stuck, []handoff.Kind{handoff.Decisions, handoff.DeadEnds, handoff.Deviations, handoff.Context}},
	{Escape, []handoff.Kind{handoff.References}},
}

// Source is the document and where it lies.
type Source struct {
	Doc  *handoff.Document
	Name handoff.Name
	Path string // where the successor finds the whole document
}

// Make writes the brief. It holds at most maxBytes bytes and whole lines only;
// what is left out is said at its end. It fails when not even the frame fits.
func Make(src Source, level Level, maxBytes int) (string, error) {
	lines := []string{frame(src), ""}
	if level == Full {
		lines = append(lines, visible(src.Doc, whole(src.Doc))...)
	} else {
		if !says(src.Doc, handoff.NextAction) {
			lines = append(lines, otherStep(src)...)
		}
		for _, step := range order {
			if step.level <= level {
				for _, kind := range step.kinds {
					lines = append(lines, section(src.Doc, kind)...)
				}
			}
		}
	}
	return fit(lines, foot(src, level), maxBytes, src.Path)
}

func frame(src Source) string {
	about := ""
	if src.Name.Width > 0 {
		about = fmt.Sprintf(" on task %d", src.Name.Task)
		if src.Name.PhaseText != "" {
			about += ", phase " + src.Name.PhaseText
		}
	}
	when := ""
	switch m, ok := src.Name.Moment(); {
	case !ok:
	case m.Unit == handoff.Day:
		when = ", written on " + m.String()
	case m.Zoned:
		when = ", written " + m.String()
	default:
		when = ", written " + m.String() + " in an unknown time zone"
	}
	return fmt.Sprintf("This is a report by an earlier agent%s%s. Check before relying on it.", about, when)
}

// foot says where the rest is: by the path, because a short name means another
// document as soon as there is a newer one.
func foot(src Source, level Level) string {
	if level >= Escape {
		return "The document: " + src.Path
	}
	next := map[Level]string{Start: "decisions, dead ends and context", Stuck: "references"}[level]
	return fmt.Sprintf("If stuck: `handoff brief %s --level %d` adds %s", src.Path, level+1, next)
}

func whole(doc *handoff.Document) handoff.Lines {
	first := 1
	if doc.Front != nil {
		first = doc.Front.Lines.Last + 1
	}
	return handoff.Lines{First: first, Last: doc.NumLines()}
}

// says reports whether the document has that section and something in it.
func says(doc *handoff.Document, kind handoff.Kind) bool {
	s := doc.Section(kind)
	return s != nil && (s.Body.First > 0 || s.Inline != "")
}

// section is a section's heading and body, as written, and an empty line.
func section(doc *handoff.Document, kind handoff.Kind) []string {
	if !says(doc, kind) {
		return nil
	}
	s := doc.Section(kind)
	lines := []string{"## " + handoff.SpecOf(kind).Name()}
	if s.Inline != "" {
		lines = append(lines, s.Inline)
	}
	if s.Body.First > 0 {
		lines = append(lines, visible(doc, s.Body)...)
	}
	return append(lines, "")
}

// otherStep is the next step of a document that has no section for it: from
// where the document announces one, under a heading that says where that is.
func otherStep(src Source) []string {
	step, ok := src.Doc.NextStep()
	if !ok {
		return []string{fmt.Sprintf("It names no next action: read all of it with `handoff brief %s --level full`.", src.Path), ""}
	}
	lines := []string{fmt.Sprintf("## Next step (from %q)", step.From)}
	if step.Inline != "" {
		lines = append(lines, step.Inline)
	}
	if step.Lines.First > 0 {
		lines = append(lines, visible(src.Doc, step.Lines)...)
	}
	return append(lines, "")
}

// visible is the text of the lines without what a reader of the page would
// not see: HTML comments.
func visible(doc *handoff.Document, l handoff.Lines) []string {
	var lines []string
	for n := l.First; n <= l.Last; n++ {
		line, cut := doc.Line(n), false
		for i := len(doc.Comments) - 1; i >= 0; i-- {
			if c := doc.Comments[i]; c.Lines.Has(n) {
				line, cut = without(line, n, c), true
			}
		}
		if !cut || strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func without(line string, n int, c handoff.Comment) string {
	start, end := 0, len(line)
	if n == c.Lines.First {
		start = min(c.Col-1, len(line))
	}
	if n == c.Lines.Last {
		if i := strings.Index(line[start:], "-->"); i >= 0 {
			end = start + i + len("-->")
		}
	}
	return strings.TrimRight(line[:start]+line[end:], " ")
}

// fit joins lines and foot, and leaves lines out from the end until they keep
// inside the budget. A fence that is cut open is closed again.
func fit(lines []string, foot string, maxBytes int, path string) (string, error) {
	left := 0 // lines that are out already
	all := strings.Join(append(lines, foot), "\n") + "\n"
	if len(all) <= maxBytes {
		return all, nil
	}
	size := 0
	for kept := 0; kept < len(lines); kept++ { // no more than can fit are tried below
		if size += len(lines[kept]) + 1; size > maxBytes {
			lines, left = lines[:kept], len(lines)-kept
			break
		}
	}
	for kept := len(lines) - 1; kept > 1; kept-- {
		note := fmt.Sprintf("[%d lines left out to stay inside %d bytes; the document: %s]", left+len(lines)-kept, maxBytes, path)
		part := append(append([]string{}, lines[:kept]...), closing(lines[:kept])...)
		if text := strings.Join(append(part, note), "\n") + "\n"; len(text) <= maxBytes {
			return text, nil
		}
	}
	return "", fmt.Errorf("%w: %d bytes do not hold the first lines of a brief", handoff.ErrInvalid, maxBytes)
}

// closing is the line that closes the fence left open by lines, if any.
func closing(lines []string) []string {
	open := ""
	for _, l := range lines {
		t := strings.TrimLeft(l, " ")
		run := len(t) - len(strings.TrimLeft(t, "`"))
		switch {
		case open == "" && run >= 3:
			open = l[:len(l)-len(t)] + t[:run]
		case open != "" && run >= len(strings.TrimSpace(open)) && strings.Trim(t, "` ") == "":
			open = ""
		}
	}
	if open == "" {
		return nil
	}
	return []string{open}
}
