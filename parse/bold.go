package parse

import (
	"strings"

	"handoff/document/handoff"
)

// bold is a line that begins with bold text.
type bold struct {
	name  string // without a colon
	rest  string // what follows, without its colon and a parenthetical
	colon bool
}

// wideColon is the colon of Chinese and Japanese texts.
const wideColon = "："

// boldOpening reads "**Name**: rest", "**Name:** rest", "**Name** (…): rest"
// and, without a colon, "**Name** rest" and "**Name** (…)".
func boldOpening(line string) (b bold, ok bool) {
	rest, ok := strings.CutPrefix(line, "**")
	if !ok {
		return b, false
	}
	name, rest, ok := strings.Cut(rest, "**")
	if !ok || name == "" || name != trim(name) || strings.IndexByte(name, '*') >= 0 {
		return b, false
	}
	for _, colon := range [...]string{":", wideColon} {
		if inner, ok := strings.CutSuffix(name, colon); ok {
			return bold{trim(inner), rest, true}, trim(inner) != ""
		}
	}
	after := afterParenthetical(rest)
	for _, colon := range [...]string{":", wideColon} {
		if after, ok := strings.CutPrefix(after, colon); ok {
			return bold{name, after, true}, true
		}
	}
	if trim(after) == "" {
		rest = ""
	}
	return bold{name, rest, false}, true
}

// afterParenthetical returns the text after the parenthetical at the start of
// s, or s if there is none.
func afterParenthetical(s string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(s, " \t"), "（"); ok {
		if _, after, ok := strings.Cut(rest, "）"); ok {
			return after
		}
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '(':
			depth++
		case c == ')' && depth == 1:
			return s[i+1:]
		case c == ')':
			depth--
		case depth == 0 && c != ' ' && c != '\t':
			return s
		}
		if depth < 0 {
			return s
		}
	}
	return s
}

// itemLabel adds the label at the start of an item, if there is one.
func (a *assembler) itemLabel(it *handoff.Item) {
	if !strings.HasPrefix(it.Text, "**") {
		return
	}
	a.looked += len(it.Text)
	line, more := it.Text, ""
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line, more = line[:i], it.Text[i:]
	}
	if b, ok := boldOpening(line); ok && b.colon {
		value := it.Text[len(it.Text)-len(more)-len(b.rest):]
		a.labels = append(a.labels, handoff.Label{Name: b.name, Value: trim(value), Lines: it.Lines})
	}
}

// paragraph adds a paragraph of the top level, whose lines may begin sections
// or labels.
func (a *assembler) paragraph(blocks []block, b *block) {
	a.looked += int(b.end - b.start)
	if !strings.Contains(a.text(b), "**") {
		a.part(handoff.Paragraph, b)
		return
	}
	p := piece{a: a, rest: *b}
	at := int(b.start)
	for line := b.first; line <= b.last; line++ {
		text, next := a.lineAt(at, int(b.end))
		if opening, ok := boldOpening(text); ok {
			switch {
			case a.isHeading(blocks, opening):
				p.take(line, at)
				lines := handoff.Lines{First: int(line), Last: int(line)}
				a.open(handoff.Heading{Text: opening.name, Level: 2, Lines: lines}, handoff.Bold)
				a.section.Inline = trim(opening.rest)
				p.rest.first = line + 1
			case opening.colon:
				p.endLabel(line, at)
				p.label(opening.name, line, next-1-len(opening.rest))
			}
		}
		at = next
	}
	p.take(b.last+1, int(b.end))
}

// piece is the part of a paragraph that is not yet added.
type piece struct {
	a        *assembler
	rest     block
	labelled bool // the last label continues
	value    int  // offset at which its value begins
}

// take adds the piece up to the line and offset, both excluded.
func (p *piece) take(line int32, offset int) {
	p.endLabel(line, offset)
	if p.rest.last = line - 1; p.rest.first <= p.rest.last {
		p.a.part(handoff.Paragraph, &p.rest)
	}
}

func (p *piece) label(name string, line int32, value int) {
	p.a.labels = append(p.a.labels, handoff.Label{Name: name, Lines: handoff.Lines{First: int(line)}})
	p.labelled, p.value = true, value
}

func (p *piece) endLabel(line int32, offset int) {
	if p.labelled {
		l := &p.a.labels[len(p.a.labels)-1]
		l.Value, l.Lines.Last = trim(p.a.src[p.value:offset]), int(line)-1
		p.labelled = false
	}
}

// lineAt is the text of a paragraph's line from at on, and the offset of the
// next line.
func (a *assembler) lineAt(at, end int) (text string, next int) {
	text = a.src[at:end]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	a.looked += len(text) + 1
	return strings.TrimLeft(text, " \t"), at + len(text) + 1
}

// isHeading reports whether bold text begins a section. Without a colon it must
// be alone on its line. If a real heading of the document begins the same
// section, bold text is emphasis. After any real heading it must be spelled as
// in the template, because "**Context**: …" is usually a label.
func (a *assembler) isHeading(blocks []block, b bold) bool {
	if !b.colon && b.rest != "" {
		return false
	}
	kind, spelling := handoff.KindOf(b.name)
	if spelling == handoff.Unknown || (spelling == handoff.Misspelled || spelling == handoff.Translated) && a.opened && a.section.Form != handoff.Bold {
		return false
	}
	return !a.hasHeading(blocks, kind)
}

// hasHeading reports whether a heading that is not bold text begins a section
// of the kind.
func (a *assembler) hasHeading(blocks []block, kind handoff.Kind) bool {
	if a.real == 0 {
		a.real = 1 // bit of handoff.Other, which is never asked for: marks the set as computed
		for i := range blocks {
			a.looked++
			if b := &blocks[i]; b.depth == 0 && b.level == 2 {
				k, _ := handoff.KindOf(a.text(b))
				a.real |= 1 << k
			}
		}
	}
	return a.real&(1<<kind) != 0
}
