package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// deadLine flags a line number after the end of its file.
func deadLine(p *lint.Pass) {
	if p.Name.Archived() { // its paths date from another time
		return
	}
	file := ""
	ownPointers(p.Doc, func(ptr pointer) {
		checkLine(p, ptr.path.Text, ptr.path.Line, ptr.line)
		if file == "" {
			file = ptr.path.Text
		}
	})
	location(p, file)
	references(p, mayGiveLine, func(ptr pointer) {
		line := ptr.path.Line
		if line == 0 {
			line = lineAfter(p.Doc.Line(ptr.line)[ptr.path.To:])
		}
		checkLine(p, ptr.path.Text, line, ptr.line)
	})
}

// mayGiveLine is a fast check for "x.go:12" and "line 12" ("Line", "LINE"),
// before the paths of a line are parsed.
func mayGiveLine(text string) bool {
	if strings.Contains(text, "ine") || strings.Contains(text, "INE") {
		return true
	}
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], ':')
		if i < 0 {
			return false
		}
		if at += i; prose.DigitAt(text, at+1) {
			return true
		}
	}
}

// location checks the line that the current state gives for its file, if it
// names a file.
func location(p *lint.Pass, file string) {
	if file == "" {
		return
	}
	l := p.Doc.Section(handoff.CurrentState).Label("Location", "Line", "Lines")
	if l == nil {
		return
	}
	for range prose.Paths(l.Value) {
		return // the place is in another file, or is a file with its line
	}
	line := lineAfter(l.Value)
	if line == 0 && !strings.EqualFold(l.Name, "Location") {
		line = prose.LeadingNumber(prose.TrimLeft(l.Value, "~ "))
	}
	checkLine(p, file, line, l.Lines.First)
}

func checkLine(p *lint.Pass, file string, line, at int) {
	name, ok := inWorkspace(file)
	if !ok || line == 0 {
		return
	}
	facts := p.Look(name)
	if !facts.Exists || facts.Lines == nil {
		return
	}
	if n := facts.Lines(); n > 0 && line > n {
		p.At(handoff.Lines{First: at, Last: at}, "%s has %s, there is no line %d", wholePath(name), prose.Count(n, "line"), line)
	}
}

// lineAfter is the number in "…, line 342" or "lines ~12-40"; 0 if there is
// none before another path or the end of the sentence.
func lineAfter(text string) int {
	for range prose.Paths(text) { // first, because a line with many paths is then read once
		return 0
	}
	i, w := findFold(text, "line"), "line"
	if i < 0 {
		i, w = findFold(text, "lines"), "lines"
	}
	if i < 0 {
		return 0
	}
	return prose.LeadingNumber(prose.TrimLeft(text[i+len(w):], " ~*:"))
}
