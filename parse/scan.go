package parse

import (
	"strings"

	"handoff"
)

// scan lists the blocks of a document from offset body on, in one look at each
// line. ok is false as soon as a line has a shape whose meaning it cannot tell
// for certain; goldmark reads the document then. That it tells the same as
// goldmark where ok is true is what the fuzz tests are for.
//
// It knows: headings with number signs, paragraphs, lists of all markers and
// what is nested in them, fences, rules without blanks in them, comments of one
// line. It does not know, and says so: tabs and carriage
// returns, underlined headings, quotes, indented code, other HTML, empty
// items, items that open with another item, markers that do not stand exactly
// where the text of their container begins, fences in items that nothing closes.
//
// The blocks fill buf as long as it holds them. The source must be without
// tabs, carriage returns and NUL.
func scan(doc *handoff.Document, body int, buf []block) (blocks []block, ok bool) {
	if body == len(doc.Source) {
		return nil, true
	}
	s := scanner{src: doc.Source, out: buf, para: none}
	start := body
	for n, lines := doc.LineAt(body), doc.NumLines(); n <= lines; n++ {
		next := doc.Offset(n + 1)
		if !s.line(int32(n), start, next) {
			return nil, false
		}
		start = next
	}
	if s.fence.length > 0 && !s.endFence(int32(doc.NumLines())) {
		return nil, false
	}
	s.closeTo(0)
	return s.out[:s.size], true
}

const (
	none     = -1
	maxItems = 8 // how deep the scanner follows nested lists
)

type scanner struct {
	src   string
	out   []block // of which size are filled; never appended to, which would move buf to the heap
	size  int
	items [maxItems]openItem // the items the line before stood in, outermost first
	open  int                // how many those are
	para  int                // the paragraph that text on the next line goes on, or none
	fence openFence
	text  int32 // the last line that is not blank
}

// openItem is a list item that the next line may stand in.
type openItem struct {
	column     int // at which its content begins
	list, item int // in out
}

// openFence is a fence that waits for its closing line; of length 0 when none
// does.
type openFence struct {
	length int
	mark   byte
	column int // at which the content of its container begins
	index  int // in out
}

// line takes in line n, which begins at offset start, and reports whether it
// could be understood.
func (s *scanner) line(n int32, start, next int) bool {
	end := next
	for end > start && (s.src[end-1] == ' ' || s.src[end-1] == '\n') {
		end--
	}
	at := start
	for at < end && s.src[at] == ' ' {
		at++
	}
	if at == end {
		s.para = none
		return true
	}
	indent := at - start
	if s.fence.length > 0 {
		return s.inFence(n, at, end, indent)
	}
	k, column := 0, 0
	for k < s.open && indent >= s.items[k].column {
		column = s.items[k].column
		k++
	}
	l := line{n: n, at: at, end: end, column: indent, shift: indent - column, depth: k}
	if l.shift > 3 {
		return s.para != none && s.goOn(&l) // else it is indented code
	}
	return s.content(&l)
}

// line is a line, or what follows a list marker on it.
type line struct {
	n       int32
	at, end int  // offsets of its first and after its last visible byte
	column  int  // of at
	shift   int  // how far at is past the column at which its container's content begins
	depth   int  // how many open items it is in
	inner   bool // it follows a list marker
}

func (s *scanner) content(l *line) bool {
	switch c := s.src[l.at]; c {
	case '#':
		if level := s.signs(l); level > 0 {
			return s.heading(l, level)
		}
	case '`', '~':
		if length := s.ticks(l, c); length > 0 {
			return s.openFence(l, c, length)
		}
	case '-', '*', '_', '+':
		if c != '+' && s.isRule(l, c) {
			return s.rule(l, c)
		}
		if c == '-' && s.para != none && strings.Trim(s.src[l.at:l.end], "-") == "" {
			return false // may underline a heading
		}
		if c != '_' {
			return s.marker(l, 1)
		}
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if width := s.digits(l); width > 0 {
			return s.marker(l, width)
		}
	case '=':
		if s.para != none && strings.Trim(s.src[l.at:l.end], "=") == "" {
			return false // may underline a heading
		}
	case '>':
		return false
	case '<':
		if s.maybeHTML(l) {
			return s.comment(l)
		}
	}
	return s.words(l)
}

// words takes in text: the next line of a paragraph, even where it stands
// further left than its item, or the first of one.
func (s *scanner) words(l *line) bool {
	if s.para != none {
		return s.goOn(l)
	}
	b := s.add(l, paragraph)
	b.start, b.end = int32(l.at), int32(l.end)
	s.para = s.size - 1
	return true
}

func (s *scanner) goOn(l *line) bool {
	p := &s.out[s.para]
	p.last, p.end = l.n, int32(l.end)
	s.text = l.n
	return true
}

// add appends a block that begins on line l and ends what does not hold it.
// The block is good until the next one.
func (s *scanner) add(l *line, k kind) *block {
	s.closeTo(l.depth)
	s.para, s.text = none, l.n
	if s.size == len(s.out) {
		s.grow()
	}
	b := &s.out[s.size]
	s.size++
	*b = block{kind: k, depth: int32(l.depth), first: l.n, last: l.n}
	return b
}

func (s *scanner) grow() {
	more := make([]block, 64+2*s.size)
	copy(more, s.out)
	s.out = more
}

// closeTo ends all open items but the first depth ones. All that is not blank
// since an item began is in it, or it would have been ended before.
func (s *scanner) closeTo(depth int) {
	for s.open > depth {
		s.open--
		it := &s.items[s.open]
		s.out[it.item].last = s.text
		s.out[it.list].last = s.text
	}
}

func (s *scanner) inFence(n int32, at, end, indent int) bool {
	f := &s.fence
	if indent < f.column {
		return false // its item ends and leaves it open
	}
	s.text = n
	if indent-f.column > 3 || s.src[at] != f.mark || run(s.src[at:end], f.mark) != end-at || end-at < f.length {
		return true
	}
	b := &s.out[f.index]
	b.closed, b.last = true, n
	f.length = 0
	return true
}

// endFence ends a fence that nothing closes with the document. It leaves one
// within an item alone, and one that opens on the last line: where that line
// has no end, goldmark drops a word of one letter after the fence.
func (s *scanner) endFence(last int32) bool {
	b := &s.out[s.fence.index]
	b.last = last
	return b.depth == 0 && b.first < last
}

// run counts the marks s begins with.
func run(s string, mark byte) int {
	n := 0
	for n < len(s) && s[n] == mark {
		n++
	}
	return n
}
