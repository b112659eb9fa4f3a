// Package hidden finds text in a handoff document that an agent reads and a
// person does not see: elements that are not displayed, attributes, titles of
// links, unused definitions, text far to the right.
//
// HTML comments are only in [All]; the document lists them itself. The package
// is pure. It reads lines, not a full tree: if Markdown is ambiguous, it finds
// too much in text, but in code only what a page draws as a formula or a diagram.
package hidden

import (
	"cmp"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
)

// Piece is a piece of hidden text, by byte offsets of the document's source.
type Piece struct {
	From, To int
	What     string // "the title of a link"; does not quote the text
	Blanks   bool   // the piece is the blanks before text that is out of sight
	Shown    bool   // it may be a formula: if in doubt, show it
	Comment  bool   // a link definition that serves as a comment: "[//]: # (text)"
	Mute     bool   // it need not be reported
}

// Text lists the pieces in their order. They do not overlap.
func Text(doc *handoff.Document) []Piece {
	s := scanner{doc: doc, src: doc.Source}
	if !s.worthwhile() {
		return nil
	}
	s.all()
	slices.SortFunc(s.found, func(a, b Piece) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	return apart(s.found)
}

func (s *scanner) all() {
	s.lines()
	s.fences()
	s.blanks()
	s.tags()
	s.links()
	s.cells()
	s.formulas()
	s.diagrams()
}

// apart removes pieces that are within the previous one, and shortens those
// that overlap it.
func apart(list []Piece) []Piece {
	kept, end := list[:0], 0
	for _, p := range list {
		if p.From = max(p.From, end); p.From < p.To {
			kept, end = append(kept, p), p.To
		}
	}
	return kept
}

// kind is how a line is read.
type kind uint8

const (
	markdown  kind = iota
	htmlBlock      // no code spans
	code           // fenced or indented
	front          // frontmatter
)

type scanner struct {
	doc   *handoff.Document
	src   string
	line  []kind // of each line, starting with 1
	found []Piece
	ends  []int32           // of the paragraph of each line; nil: not computed
	dead  map[string][2]int // what was not found, and between which offsets

	looked int // bytes read, at most; tests compare it with the length
}

// index is strings.Index in the source between two offsets, or -1. It caches failed
// searches: otherwise a document with many opening marks and no closing one would take
// quadratic time.
func (s *scanner) index(what string, from, to int) int {
	if d := s.dead[what]; d[1] == to && d[0] <= from {
		return -1
	}
	if i := strings.Index(s.src[from:to], what); i >= 0 {
		s.looked += i
		return from + i
	}
	s.looked += to - from
	if s.dead == nil {
		s.dead = map[string][2]int{}
	}
	s.dead[what] = [2]int{from, to}
	return -1
}

// worthwhile is false for most documents, because they have no character that
// can begin a piece.
func (s *scanner) worthwhile() bool {
	if MayDivide(s.src) || s.far() {
		return true
	}
	for section := range s.doc.Parts {
		for i := range section.Fences {
			if info := section.Fences[i].Info; strings.IndexByte(info, ' ') >= 0 || strings.EqualFold(info, "mermaid") {
				return true
			}
		}
	}
	return false
}

// MayDivide reports whether a piece of a text may be within a word. Other pieces end with the line or are blanks. That is
// fast, and true for few texts.
func MayDivide(src string) bool {
	return strings.IndexByte(src, '<') >= 0 || strings.Contains(src, "](") || strings.Contains(src, "]:") || strings.IndexByte(src, '|') >= 0 || commands(src)
}

// commands reports whether a command of a formula may hide text. A brace is rarer than the letters of these.
func commands(src string) bool {
	return strings.IndexByte(src, '{') >= 0 &&
		(strings.Contains(src, "phantom{") || strings.Contains(src, "color{") || strings.Contains(src, `\style{`) || strings.Contains(src, `\class{`))
}

// lines finds out how each line is read.
func (s *scanner) lines() {
	s.line = make([]kind, s.doc.NumLines()+1)
	mark := func(l handoff.Lines, k kind) {
		for n := max(l.First, 1); n <= min(l.Last, s.doc.NumLines()); n++ {
			s.line[n] = k
		}
	}
	for section := range s.doc.Parts {
		for _, b := range section.Blocks {
			switch b.Kind {
			case handoff.HTML:
				mark(b.Lines, htmlBlock)
			case handoff.IndentedCode:
				mark(b.Lines, code)
			}
		}
		for i := range section.Fences {
			mark(section.Fences[i].Lines, code)
		}
	}
	if s.doc.Front != nil {
		mark(s.doc.Front.Lines, front)
	}
}

func (s *scanner) add(from, to int, what string) {
	s.found = append(s.found, Piece{From: from, To: to, What: what})
}

// text yields the parts of the source that are not code, in Markdown without
// code spans and escaped characters.
func (s *scanner) text(yield func(from, to int) bool) {
	for n := 1; n < len(s.line); n++ {
		from, to := s.doc.Offset(n), s.doc.Offset(n+1)
		switch s.line[n] {
		case code, front:
			continue
		case htmlBlock:
			if !yield(from, to) {
				return
			}
			continue
		}
		for at := from; at < to; {
			switch s.src[at] {
			case '`':
				end := at + prose.AfterCode(s.src[at:to], 0)
				if from < at && !yield(from, at) {
					return
				}
				at, from = end, end
			case '\\':
				if from < at && !yield(from, at) {
					return
				}
				at = min(at+2, to)
				from = at
			default:
				at++
			}
		}
		if from < to && !yield(from, to) {
			return
		}
	}
}

// fences finds the text after the language of a code fence.
func (s *scanner) fences() {
	for section := range s.doc.Parts {
		for i := range section.Fences {
			f := &section.Fences[i]
			language, rest, _ := strings.Cut(f.Info, " ")
			if strings.TrimSpace(rest) == "" || !hasWord(rest) {
				continue
			}
			line := s.doc.Offset(f.Lines.First)
			at := strings.Index(s.doc.Line(f.Lines.First), f.Info)
			if at >= 0 {
				s.add(line+at+len(language), line+at+len(f.Info), "text after the language of a code fence")
			}
		}
	}
}

// hasWord reports whether text has a letter: "{1,3-5}" has none.
func hasWord(text string) bool {
	for i := range len(text) {
		if c := text[i] | 0x20; 'a' <= c && c <= 'z' || text[i] >= 0x80 {
			return true
		}
	}
	return false
}
