package jsonedit

import "strings"

// style is the layout of a file, measured from its text: for each habit the first
// example counts.
type style struct {
	eol        string // "\n" or "\r\n"
	unit       habit  // indentation of one level
	colon      habit  // between key and value
	comma      habit  // after a comma on one line
	pad        [KindArray + 1]habit
	spread     bool // arrays of scalars have one element per line
	seenInline bool // an array of scalars is on one line
}

// habit is a spelling, once it has been seen.
type habit struct {
	text string
	seen bool
}

func (h *habit) see(text string) {
	if !h.seen {
		*h = habit{text, true}
	}
}

func measure(src string, root *node) style {
	s := style{eol: lineBreak(src)}
	s.visit(src, root)
	s.spread = s.spread && !s.seenInline
	s.unit.see("  ")
	s.colon.see(": ")
	if s.colon.text == ":" {
		s.comma.see("")
	}
	s.comma.see(" ")
	return s
}

func (s *style) visit(src string, n *node) {
	if len(n.Children) == 0 {
		return
	}
	s.visitGaps(src, n)
	if n.Kind == KindArray && allScalars(n) {
		s.seenInline = s.seenInline || !isSpread(src, n)
		s.spread = s.spread || isSpread(src, n)
	}
	for i := range n.Children {
		if colon, ok := colon(src, &n.Children[i]); ok {
			s.colon.see(colon)
		}
		s.visit(src, &n.Children[i].Value)
	}
}

func (s *style) visitGaps(src string, n *node) {
	first := gap(src, n, 0)
	if _, indent, broken := cutLine(first); broken {
		if unit, deeper := strings.CutPrefix(indent, indentAt(src, n.Start)); deeper {
			s.unit.see(unit)
		}
	} else if len(first) <= 1 {
		s.pad[n.Kind].see(first)
	}
	if len(n.Children) > 1 {
		if g := gap(src, n, 1); g == "" || g == " " {
			s.comma.see(g)
		}
	}
}

// colon is the text between a member's key and value. ok is false if it is not a
// consistent style but, say, alignment in columns.
func colon(src string, c *child) (_ string, ok bool) {
	if c.NameEnd == 0 {
		return "", false
	}
	switch text := src[c.NameEnd:c.Value.Start]; text {
	case ":", ": ", " : ", " :":
		return text, true
	}
	return "", false
}

// gap is the whitespace before a child, after the bracket or the comma.
func gap(src string, n *node, i int) string {
	from := n.Start + 1
	if i > 0 {
		from = afterComma(src, n, i-1)
	}
	return src[from:n.Children[i].Start()]
}

// afterComma is the offset after the comma that follows a child.
func afterComma(src string, n *node, i int) int {
	end := n.Children[i].End()
	return end + strings.IndexByte(src[end:], ',') + 1
}

// cutLine returns a gap's last line break and the indentation after it. broken is
// false if the gap has no line break.
func cutLine(gap string) (eol, indent string, broken bool) {
	i := strings.LastIndexByte(gap, '\n')
	if i < 0 {
		return "", "", false
	}
	return lineBreak(gap), gap[i+1:], true
}

func lineBreak(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indentAt is the indentation of the line that contains a byte.
func indentAt(src string, at int) string {
	line := src[strings.LastIndexByte(src[:at], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// isSpread reports whether the last child begins a line.
func isSpread(src string, n *node) bool {
	return len(n.Children) > 0 && strings.Contains(gap(src, n, len(n.Children)-1), "\n")
}

func allScalars(n *node) bool {
	for i := range n.Children {
		if n.Children[i].Value.IsContainer() {
			return false
		}
	}
	return true
}
