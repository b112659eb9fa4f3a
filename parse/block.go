package parse

// kind is the kind of a block as the front ends see it.
type kind uint8

const (
	paragraph  kind = iota
	hashed          // a heading with number signs
	underlined      // a heading with a line below
	list
	item
	quote
	fenced
	indented
	html
	rule // a thematic break
)

// block is one block of the document. The front ends list blocks in the order
// in which they open; what is in a list item or a quote follows it with
// one more depth, which makes the flat list a tree.
type block struct {
	kind        kind
	level       uint8 // of a heading
	marker      byte  // of an item: '-', '*', '+', '.' or ')'
	closed      bool  // of a fenced block
	depth       int32 // how many items and quotes it is in
	number      int32 // of an item marked '.' or ')'
	first, last int32 // lines of the file, with fences and what is nested
	// start and end are the bytes of a heading's text, a paragraph from its
	// first to its last visible byte, the info string of a fence, the whole
	// lines of HTML; nothing for other kinds.
	start, end int32
}

// blanks is the white space that may surround text on a line.
const blanks = " \t\r\n"

// trim cuts the blanks around s. It is strings.Trim without its set-up, which
// costs more than the rest on short strings.
func trim(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
