package brief

import (
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/internal/text/visible"
	"handoff/parse/hidden"
)

// reader reads lines of a document for a successor, which must not read what no
// person sees: it removes hidden text and remembers where.
type reader struct {
	doc     *handoff.Document
	pieces  []hidden.Piece
	taken   places // hidden text that was removed
	unseen  places // invisible characters that were removed
	visible places // text that the page does not display, and that was kept
}

// places counts the findings, and lists their lines.
type places struct {
	count int
	lines []int // rising
}

func (p *places) add(n, count int) {
	p.count += count
	if i, there := slices.BinarySearch(p.lines, n); !there {
		p.lines = slices.Insert(p.lines, i, n)
	}
}

func newReader(doc *handoff.Document) *reader {
	return &reader{doc: doc, pieces: hidden.All(doc)}
}

// Joins reports whether a word of [Lines] may not be in the source, because what is within it there is not seen. It is
// false for most documents, without parsing them.
func Joins(src string) bool { return hidden.MayDivide(src) || visible.Cleans(src) }

// Lines are the lines of a document that a person sees, with their numbers: without
// hidden text, and without invisible characters.
func Lines(doc *handoff.Document) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		r := newReader(doc)
		for n := 1; n <= doc.NumLines(); n++ {
			from := doc.Offset(n)
			line, _ := r.part(n, from, from+len(doc.Line(n)))
			if !yield(n, line) {
				return
			}
		}
	}
}

// lines is the text of the lines without hidden text. A line of which nothing
// is left is left out.
func (r *reader) lines(l handoff.Lines) []string {
	var lines []string
	for n := l.First; n <= l.Last; n++ {
		from := r.doc.Offset(n)
		line, cut := r.part(n, from, from+len(r.doc.Line(n)))
		if !cut || strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// quoted is a part of a line of the document, such as the text after a bold
// heading. If it occurs more than once on the line, partly in code, the
// occurrence with more hidden text counts.
func (r *reader) quoted(text string) string {
	src, from := r.doc.Source, -1
	for at := 0; text != ""; {
		i := strings.Index(src[at:], text)
		if i < 0 {
			break
		}
		at += i
		hides := r.hides(at, at+len(text))
		if from < 0 || hides {
			from = at
		}
		if hides {
			break
		}
		at += len(text)
	}
	if from < 0 {
		clean, _ := visible.Model(text)
		return clean
	}
	line, _ := r.part(r.doc.LineAt(from), from, from+len(text))
	return line
}

// hides reports whether there is hidden text between two offsets.
func (r *reader) hides(from, to int) bool {
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].To > from })
	return i < len(r.pieces) && r.pieces[i].From < to
}

// part is the text between two offsets of line n; cut reports whether hidden
// text was removed.
func (r *reader) part(n, from, to int) (text string, cut bool) {
	src, at := r.doc.Source, from
	var b strings.Builder
	first := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].To > from })
	for _, p := range r.pieces[first:] {
		if p.From >= to {
			break
		}
		switch {
		case p.Blanks:
			b.WriteString(src[at:max(at, p.From)] + " ")
			r.visible.add(n, 1)
		case p.Shown:
			r.visible.add(n, 1)
			continue
		default:
			b.WriteString(src[at:max(at, p.From)])
			if cut = true; !p.Mute {
				r.taken.add(n, one(p.From >= from))
			}
		}
		at = max(at, min(p.To, to))
	}
	text = b.String() + src[at:to]
	if cut {
		text = strings.TrimRight(text, " ")
	}
	text, removed := visible.Model(text)
	if removed > 0 {
		r.unseen.add(n, removed)
	}
	return text, cut
}

// one counts a piece on its first line.
func one(begins bool) int {
	if begins {
		return 1
	}
	return 0
}

// notices list what differs from the document.
func (r *reader) notices() []string {
	var list, out []string
	if r.taken.count > 0 {
		out = append(out, say.Number(r.taken.count)+" "+say.Noun(r.taken.count, "piece")+" of hidden text"+r.taken.where())
	}
	if r.unseen.count > 0 {
		out = append(out, say.Count(r.unseen.count, "invisible character")+r.unseen.where())
	}
	if len(out) > 0 {
		list = append(list, "Removed, because a person who reads the document does not see it: "+strings.Join(out, "; ")+".")
	}
	if r.visible.count > 0 {
		list = append(list, "Left in, though a person who reads the document may not see it: "+say.Count(r.visible.count, "piece")+" of text"+r.visible.where()+".")
	}
	return list
}

// where lists the lines, or the first of them.
func (p *places) where() string {
	const most = 8
	var b strings.Builder
	for i, n := range p.lines {
		switch {
		case i == most:
			return b.String() + ", …)"
		case i == 0 && len(p.lines) == 1:
			b.WriteString(" (line ")
		case i == 0:
			b.WriteString(" (lines ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String() + ")"
}
