package parse

// kind is the kind of a block in both front ends.
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
// in which they begin. The blocks in a list item or a quote follow it with a
// depth one higher, so the flat list is a tree.
type block struct {
	kind        kind
	level       uint8 // of a heading
	marker      byte  // of an item: '-', '*', '+', '.' or ')'
	closed      bool  // of a fenced block
	depth       int32 // the number of items and quotes around it
	number      int32 // of an item marked '.' or ')'
	first, last int32 // lines of the file, including fences and nested blocks
	// start and end are byte offsets: of the text of a heading, of a paragraph
	// from its first to its last visible byte, of the info string of a fence,
	// of the whole lines of HTML; unused for other kinds.
	start, end int32
}

// blanks is the white space that can surround text on a line.
const blanks = " \t\r\n"

// trim removes blanks around s. strings.Trim takes longer to set up than the
// rest takes for short strings.
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
