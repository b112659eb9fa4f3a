package parse

import (
	"strings"

	"handoff/document/handoff"
)

// scan lists the blocks of a document from offset body, reading each line once.
// ok is false as soon as a line has a shape that it does not understand
// completely; then goldmark reads the document. Fuzz tests check that scan
// agrees with goldmark if ok is true.
//
// It understands headings with number signs, paragraphs, lists with all markers
// and what is nested in them, fences, rules without blanks, and comments on one
// line. It refuses tabs and carriage returns, underlined headings, quotes,
// indented code, other HTML, empty items, items that begin with another item,
// markers that are not exactly where the text of their container begins, and
// unclosed fences in items.
//
// The blocks are in buf as long as they fit. The source must not contain tabs,
// carriage returns or NUL.
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
	maxItems = 8 // the deepest nesting of lists that scan follows
)

type scanner struct {
	src   string
	out   []block // out[:size] are the blocks; never appended to, which would move buf to the heap
	size  int
	items [maxItems]openItem // the items that contain the previous line, outermost first
	open  int                // the number of those items
	para  int                // the paragraph that text on the next line continues, or none
	fence openFence
	text  int32 // the last line that is not blank
}

// openItem is a list item that may contain the next line.
type openItem struct {
	column     int // at which its content begins
	list, item int // in out
}

// openFence is a fence without its closing line; its length is 0 if there is
// none.
type openFence struct {
	length int
	mark   byte
	column int // at which the content of its container begins
	index  int // in out
}

// line reads line n, which begins at offset start, and reports whether it
// understands it.
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
		return s.para != none && s.continueText(&l) // otherwise it is indented code
	}
	return s.content(&l)
}

// line is a line, or the part after a list marker.
type line struct {
	n       int32
	at, end int  // offsets of its first and after its last visible byte
	column  int  // of at
	shift   int  // columns from where its container's content begins to at
	depth   int  // the number of open items around it
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

// words reads text: the next line of a paragraph, even if it is indented less
// than its item, or the first line of one.
func (s *scanner) words(l *line) bool {
	if s.para != none {
		return s.continueText(l)
	}
	b := s.add(l, paragraph)
	b.start, b.end = int32(l.at), int32(l.end)
	s.para = s.size - 1
	return true
}

func (s *scanner) continueText(l *line) bool {
	p := &s.out[s.para]
	p.last, p.end = l.n, int32(l.end)
	s.text = l.n
	return true
}

// add appends a block that begins on line l and ends the blocks that do not
// contain it. The result is valid until the next call.
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

// closeTo ends all open items except the first depth ones. All lines since an
// item began are in it, unless they are blank.
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
		return false // its item ends before the fence does
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

// endFence ends an unclosed fence at the end of the document. It refuses a
// fence in an item, and one on a last line without a line end, because goldmark
// drops a word of one letter after that fence.
func (s *scanner) endFence(last int32) bool {
	b := &s.out[s.fence.index]
	b.last = last
	return b.depth == 0 && b.first < last
}

// run counts the marks at the start of s.
func run(s string, mark byte) int {
	n := 0
	for n < len(s) && s[n] == mark {
		n++
	}
	return n
}
