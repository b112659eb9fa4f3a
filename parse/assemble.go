package parse

import (
	"slices"
	"strings"

	"handoff/document/handoff"
)

// assembler makes sections from the flat list of blocks. The list is passed to
// its methods and not stored, because it would be allocated on the heap then.
type assembler struct {
	doc     *handoff.Document
	src     string
	section *handoff.Section // the one being built; the preamble while opened is false
	opened  bool
	from    marks // where the section's parts begin in the lists
	real    uint  // bit k: kind k has a heading that is not bold text; 0: not computed
	looked  int   // bytes and blocks that were read; tests compare it with the length
	lists
}

// lists are shared by all sections, to save allocations.
type lists struct {
	parts  []handoff.Block
	items  []handoff.Item
	labels []handoff.Label
	fences []handoff.Fence
}

// marks are lengths of the shared lists.
type marks struct{ parts, items, labels, fences int }

// assemble builds everything in a document except its frontmatter, in the
// memory of the lists. It returns the lists, which may have grown.
func assemble(doc *handoff.Document, blocks []block, m lists) lists {
	a := assembler{doc: doc, src: doc.Source, section: &doc.Preamble}
	a.lists = lists{m.parts[:0], m.items[:0], m.labels[:0], m.fences[:0]}
	if m.parts == nil {
		a.reserve(blocks)
	}
	a.all(blocks)
	return a.lists
}

func (a *assembler) all(blocks []block) {
	for i := range blocks {
		a.add(blocks, i)
	}
	a.close(a.doc.NumLines())
	a.comments(blocks)
}

// reserve allocates the lists in full, except for labels in paragraphs and bold
// headings, which can only be counted in the text.
func (a *assembler) reserve(blocks []block) {
	var sections int
	var n marks
	for i := range blocks {
		b := &blocks[i]
		switch b.kind {
		case hashed, underlined:
			if b.depth == 0 && b.level == 2 {
				sections++
				n.parts--
			}
		case item:
			n.items++
			if h := head(blocks, i); b.depth == 0 && h != nil && strings.HasPrefix(a.text(h), "**") {
				n.labels++
			}
			continue
		case fenced:
			n.fences++
		}
		if b.depth == 0 {
			n.parts++
		}
	}
	a.doc.Sections = grown[handoff.Section](sections)
	a.parts = grown[handoff.Block](n.parts)
	a.items = grown[handoff.Item](n.items)
	a.labels = grown[handoff.Label](n.labels)
	a.fences = grown[handoff.Fence](n.fences)
}

func grown[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, 0, n)
}

func (a *assembler) text(b *block) string { return a.src[b.start:b.end] }

// head is the paragraph that begins the item at index i, or nil.
func head(blocks []block, i int) *block {
	if i+1 < len(blocks) {
		if next := &blocks[i+1]; next.kind == paragraph && next.depth == blocks[i].depth+1 {
			return next
		}
	}
	return nil
}

// partKinds maps the kinds of block that are neither heading, paragraph nor
// item.
var partKinds = [...]handoff.BlockKind{
	list:     handoff.List,
	quote:    handoff.Quote,
	fenced:   handoff.FencedCode,
	indented: handoff.IndentedCode,
	html:     handoff.HTML,
	rule:     handoff.Break,
}

// add adds the block at index i.
func (a *assembler) add(blocks []block, i int) {
	b := &blocks[i]
	switch b.kind {
	case item:
		a.item(b, head(blocks, i))
		return
	case fenced:
		a.fence(b)
	}
	if b.depth > 0 {
		return
	}
	switch b.kind {
	case hashed, underlined:
		a.heading(b)
	case paragraph:
		a.paragraph(blocks, b)
	default:
		a.part(partKinds[b.kind], b)
	}
}

func (a *assembler) part(kind handoff.BlockKind, b *block) {
	a.parts = append(a.parts, handoff.Block{Kind: kind, Level: int(b.level), Lines: lines(b)})
}

func lines(b *block) handoff.Lines { return handoff.Lines{First: int(b.first), Last: int(b.last)} }

func (a *assembler) heading(b *block) {
	h := handoff.Heading{Text: a.text(b), Level: int(b.level), Lines: lines(b)}
	switch {
	case b.level == 1 && !a.opened && a.doc.Title.Level == 0:
		a.doc.Title = h
	case b.level == 2:
		form := handoff.Hash
		if b.kind == underlined {
			form = handoff.Underline
		}
		a.open(h, form)
	default:
		a.part(handoff.Subheading, b)
	}
}

// open ends the previous section and starts one.
func (a *assembler) open(h handoff.Heading, form handoff.Form) {
	a.close(h.Lines.First - 1)
	a.doc.Sections = append(a.doc.Sections, handoff.Section{})
	a.section = &a.doc.Sections[len(a.doc.Sections)-1]
	a.opened = true
	s := a.section
	s.Form, s.Heading = form, h
	s.Kind, s.Spelling = handoff.KindOf(h.Text)
	s.Lines.First = h.Lines.First
	a.from = marks{len(a.parts), len(a.items), len(a.labels), len(a.fences)}
}

// close ends the section at line last. The capacity of its lists is limited, so
// that a caller that appends to them does not overwrite the next section.
func (a *assembler) close(last int) {
	s := a.section
	s.Blocks = capped(a.parts, a.from.parts)
	s.Items = capped(a.items, a.from.items)
	s.Labels = capped(a.labels, a.from.labels)
	s.Fences = capped(a.fences, a.from.fences)
	if own := a.own(s.Blocks); len(own) > 0 {
		s.Body = handoff.Lines{First: own[0].Lines.First, Last: own[len(own)-1].Lines.Last}
	}
	if a.opened {
		s.Lines.Last = last
	} else {
		s.Lines = s.Body
	}
}

// own are the blocks of a section up to another title, without the thematic breaks after them: those part it from what follows.
func (a *assembler) own(blocks []handoff.Block) []handoff.Block {
	if !a.opened {
		return blocks
	}
	if i := slices.IndexFunc(blocks, func(b handoff.Block) bool {
		return b.Kind == handoff.Subheading && b.Level == 1 && b.Lines.First == b.Lines.Last // the ======= of a merge conflict underlines no title
	}); i >= 0 {
		blocks = blocks[:i]
	}
	for len(blocks) > 0 && blocks[len(blocks)-1].Kind == handoff.Break {
		blocks = blocks[:len(blocks)-1]
	}
	return blocks
}

func capped[T any](list []T, from int) []T {
	if len(list) == from {
		return nil
	}
	return list[from:len(list):len(list)]
}

func (a *assembler) item(b, head *block) {
	a.items = append(a.items, handoff.Item{})
	it := &a.items[len(a.items)-1]
	it.Lines, it.Depth, it.Marker, it.Number = lines(b), int(b.depth), b.marker, int(b.number)
	if head != nil {
		it.Text, it.Head = a.text(head), lines(head)
		if b.depth == 0 {
			a.itemLabel(it)
		}
	}
}

func (a *assembler) fence(b *block) {
	f := handoff.Fence{Info: a.text(b), Lines: lines(b), Depth: int(b.depth), Closed: b.closed}
	f.Body = handoff.Lines{First: f.Lines.First + 1, Last: f.Lines.Last}
	if f.Closed {
		f.Body.Last--
	} else {
		problem(a.doc, handoff.UnclosedCode, f.Lines.First, 0, "nothing closes this code fence: add the closing line")
	}
	if f.Body.Last < f.Body.First {
		f.Body = handoff.Lines{}
	}
	a.fences = append(a.fences, f)
}
