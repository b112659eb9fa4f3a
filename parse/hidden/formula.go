package hidden

import (
	"strings"

	"handoff/internal/text/prose"
)

// formulas finds text in formulas that takes room and is not drawn, or is drawn in the colour
// of the page.
func (s *scanner) formulas() {
	for n := 1; n < len(s.line); n++ {
		if s.line[n] == front || s.line[n] == code && !s.math(n) {
			continue
		}
		from, to := s.doc.Offset(n), s.doc.Offset(n+1)
		for at := from; at < to; {
			switch {
			case s.src[at] == '`' && s.line[n] == markdown && !(at > 0 && s.src[at-1] == '$'): // $`…`$ is a formula
				at += prose.AfterCode(s.src[at:to], 0)
			case s.src[at] == '\\':
				at = max(s.formula(at), at+1)
			default:
				at++
			}
		}
	}
}

// math reports whether a line is in a fence that is drawn as a formula.
func (s *scanner) math(n int) bool { return s.language(n) == "math" }

// language is that of the fence around a line, "" for none.
func (s *scanner) language(n int) string {
	part := s.doc.SectionAt(n)
	if part == nil {
		part = &s.doc.Preamble
	}
	for i := range part.Fences {
		if f := &part.Fences[i]; f.Lines.Has(n) {
			language, _, _ := strings.Cut(f.Info, " ")
			return strings.ToLower(language)
		}
	}
	return ""
}

// longestFormula is how far the end of an argument is searched for.
const longestFormula = 2 << 10

// formula reports a command at an offset that hides its argument, and returns the end of what
// it read.
func (s *scanner) formula(at int) int {
	end := at + 1
	for end < len(s.src) && letter(s.src[end]) {
		end++
	}
	name := s.src[at+1 : end]
	switch name {
	case "phantom", "hphantom", "vphantom":
	case "color", "textcolor", "style", "class":
		value, after, ok := s.braced(end)
		if !ok || !concealsFormula(name, value) {
			return end
		}
		if end = after; end >= len(s.src) || s.src[end] != '{' { // the rest of the formula
			return s.hidesFormula(at, end, s.formulaEnd(end))
		}
	default:
		return end
	}
	if _, after, ok := s.braced(end); ok {
		return s.hidesFormula(at, end, after)
	}
	return end
}

func concealsFormula(name, value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	switch name {
	case "style":
		return styleConceals(value)
	case "class":
		return classConceals(value)
	}
	return pale(value)
}

// hidesFormula reports a piece if its argument has a word: a formula also leaves room for
// single letters.
func (s *scanner) hidesFormula(from, argument, to int) int {
	run := 0
	for i := argument; i < to; i++ {
		switch c := s.src[i]; {
		case c == '\\':
			for i+1 < to && letter(s.src[i+1]) {
				i++ // the name of a command
			}
			run = 0
		case letter(c) || c >= 0x80:
			if run++; run >= 3 {
				s.add(from, to, "text in a formula that is not drawn")
				return to
			}
		default:
			run = 0
		}
	}
	return to
}

// braced is what is in the braces at an offset, and the offset after them.
func (s *scanner) braced(at int) (inner string, after int, ok bool) {
	if at >= len(s.src) || s.src[at] != '{' {
		return "", at, false
	}
	limit, depth := min(len(s.src), at+longestFormula), 0
	for i := at; i < limit; i++ {
		s.looked++
		switch s.src[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s.src[at+1 : i], i + 1, true
			}
		}
	}
	return "", at, false
}

// formulaEnd is the end of the formula, of its group, or of the line.
func (s *scanner) formulaEnd(at int) int {
	depth := 0
	for ; at < len(s.src) && s.src[at] != '\n' && s.src[at] != '$'; at++ {
		switch s.src[at] {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return at
			}
		}
	}
	return at
}

// diagrams finds the comments and the descriptions of diagrams, which are drawn nowhere. A
// configuration, %%{init: …}%%, is none.
func (s *scanner) diagrams() {
	for section := range s.doc.Parts {
		for i := range section.Fences {
			f := &section.Fences[i]
			if language, _, _ := strings.Cut(strings.ToLower(f.Info), " "); language != "mermaid" {
				continue
			}
			for n := f.Lines.First + 1; n <= f.Lines.Last; n++ {
				line := s.doc.Line(n)
				text := strings.TrimLeft(line, " \t")
				if undrawn(text) && hasWord(text) {
					at := s.doc.Offset(n)
					s.add(at+len(line)-len(text), at+len(line), "a comment in a diagram")
				}
			}
		}
	}
}

// undrawn reports whether a line of a diagram is a comment or a description.
func undrawn(line string) bool {
	if rest, ok := strings.CutPrefix(line, "%%"); ok {
		for _, name := range [...]string{"{init:", "{init ", "{initialize:", "{wrap}"} {
			if strings.HasPrefix(rest, name) && len(strings.Fields(rest)) <= 40 {
				return false
			}
		}
		return true
	}
	return strings.HasPrefix(line, "accTitle") || strings.HasPrefix(line, "accDescr")
}
