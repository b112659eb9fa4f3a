package tree

import (
	"strings"
	"unicode/utf8"
)

// The measures of a picture, in pixels.
const (
	rowHeight = 28
	indent    = 26
	margin    = 14
	perRune   = 8   // of the widest common letters
	maxLabel  = 64  // characters of a name, if the node has more text
	maxRunes  = 120 // of a node; the whole text is in its title
	maxRow    = 960 // of a row with more than one node
	gap       = 24  // between two nodes in a row
)

// point is a point of a picture.
type point struct{ x, y int }

// box is a node with its place: the centre of its symbol, right of which is its text.
type box struct {
	*Node
	x, y   int
	width  int // with the symbol and the text
	parent *box
	beside bool // it is right of another child of its parent

	label, rest string // the text, shortened
	whole       string
}

func (b *box) right() int { return b.x - 6 + b.width }

// layout places trees in the order of the text format. A node is below and right of its
// parent. Children without children of their own are beside each other if they fit. The
// others are in the order in which lines cross least: those that flow back into the
// parent come last, because their lines back are left of the line to all others.
func layout(roots []*Node) (boxes []*box) {
	y := margin + 10 - rowHeight
	todo := placing(roots, nil)
	var before *box // in the same row
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		b.measure()
		b.x = margin + 6
		if b.parent != nil {
			b.x = b.parent.x + indent
		}
		if before.takes(b) {
			b.x, b.beside = before.right()+gap+6, true
		} else {
			y += rowHeight
		}
		b.y, before = y, b
		boxes = append(boxes, b)
		todo = append(todo, placing(b.Children, b)...)
	}
	return boxes
}

// takes reports whether another box fits right of this one. A node that has a row to
// itself is followed by its own children, or is the last of its parent's.
func (b *box) takes(next *box) bool {
	return b != nil && b.parent != nil && next.parent == b.parent && next.alone() && b.right()+gap+next.width <= maxRow
}

// alone reports whether only one line leads to the node.
func (b *box) alone() bool { return len(b.Children) == 0 && !b.Merged }

// placing are nodes to be placed, the first one last.
func placing(nodes []*Node, parent *box) (boxes []*box) {
	for _, merged := range []bool{true, false} {
		for i := len(nodes) - 1; i >= 0; i-- {
			if nodes[i].Merged == merged {
				boxes = append(boxes, &box{Node: nodes[i], parent: parent})
			}
		}
	}
	return boxes
}

// measure shortens the text and estimates its width.
func (b *box) measure() {
	b.label, b.rest = b.texts()
	b.whole = strings.TrimSpace(b.label + " " + b.rest)
	if b.rest != "" {
		b.label = cut(b.label, maxLabel)
	}
	b.label = cut(b.label, maxRunes)
	b.rest = cut(b.rest, max(0, maxRunes-utf8.RuneCountInString(b.label)))
	b.width = 20 + perRune*(units(b.label)+units(b.rest)+1)
}

// units is the width of a text in common letters: others can be twice as wide.
func units(s string) (n int) {
	for _, r := range s {
		if n++; r >= 0x1100 {
			n++
		}
	}
	return n
}

// edge is the line from the parent's symbol. To a node that is beside another one, it
// runs between the rows.
func (b *box) edge() []point {
	from := point{b.parent.x, b.parent.y + 8}
	if !b.beside {
		return []point{from, {from.x, b.y}, {b.x - 8, b.y}}
	}
	between := b.y - rowHeight/2
	return []point{from, {from.x, between}, {b.x, between}, {b.x, b.y - 8}}
}

// join is the line back to the parent, left of and below the one from it.
func (b *box) join() []point {
	x := b.parent.x - 5
	return []point{{b.x - 8, b.y + 5}, {x, b.y + 5}, {x, b.parent.y + 9}}
}
