package tree

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/internal/text/prose"
)

// Picture is how trees are drawn as SVG.
type Picture struct {
	Title string // for people who do not see the picture
	// Style adds the colours, so that the picture can be shown by itself, light or dark.
	// Without it, the page that contains the picture defines them: a page may
	// forbid styles within it.
	Style bool
}

// The measures of a picture, in pixels.
const (
	rowHeight = 28
	indent    = 26
	margin    = 14
	perRune   = 8   // of the widest common letters
	maxLabel  = 64  // characters of a name, if more is to be said about the node
	maxRunes  = 120 // of a row; the whole text is in its title
)

// style has the colours of the kinds. The symbols differ too, so that no colour is needed
// to tell them apart.
const style = `<style>
svg{font:14px system-ui,sans-serif;color-scheme:light dark;background:light-dark(#fff,#16181d);color:light-dark(#1b1f24,#e6e8eb)}
.line{stroke:light-dark(#a0a7b0,#5c6570);fill:none}.dim{fill:light-dark(#59616b,#a3abb5)}
.mark{fill:light-dark(#59616b,#a3abb5);stroke:light-dark(#59616b,#a3abb5)}
.broken .mark{fill:light-dark(#b3261e,#ff8a80);stroke:light-dark(#b3261e,#ff8a80)}
.stale .mark{fill:light-dark(#8a5300,#ffb95c);stroke:light-dark(#8a5300,#ffb95c)}
.waiting .mark{fill:none;stroke:light-dark(#0b57d0,#8ab4f8)}
.held .mark{fill:light-dark(#0b57d0,#8ab4f8);stroke:light-dark(#0b57d0,#8ab4f8)}
.done .mark{fill:light-dark(#146c2e,#7fd491);stroke:light-dark(#146c2e,#7fd491)}
a{fill:light-dark(#0b57d0,#8ab4f8)}
</style>
`

// row is a node with its place.
type row struct {
	*Node
	depth, line int
	parent      int // the line of the parent; -1 for a root
}

// SVG draws trees with a row for each node, below and right of its parent. Nodes with
// an Href are links.
func SVG(p Picture, roots ...*Node) string {
	var rows []row
	for _, n := range roots {
		rows = place(rows, n, 0, -1)
	}
	width := 0
	var lines, nodes strings.Builder
	for _, r := range rows {
		if r.parent >= 0 {
			r.edge(&lines)
		}
		width = max(width, margin+r.depth*indent+r.draw(&nodes)*perRune+40)
	}
	height := len(rows)*rowHeight + 2*margin - 4
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="group" aria-label="%s">`+"\n", width, height, width, height, svgText(p.Title))
	fmt.Fprintf(&b, "<title>%s</title>\n", svgText(p.Title))
	if p.Style {
		b.WriteString(style)
	}
	b.WriteString(lines.String() + nodes.String() + "</svg>\n")
	return b.String()
}

// place appends a node and its descendants, in the order of the text format.
func place(rows []row, root *Node, depth, parent int) []row {
	todo := []row{{Node: root, depth: depth, parent: parent}}
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		r.line = len(rows)
		rows = append(rows, r)
		for i := len(r.Children) - 1; i >= 0; i-- {
			todo = append(todo, row{Node: r.Children[i], depth: r.depth + 1, parent: r.line})
		}
	}
	return rows
}

func (r row) x() int { return margin + r.depth*indent + 6 }
func (r row) y() int { return margin + r.line*rowHeight + 10 }

// edge draws the line from the parent's symbol.
func (r row) edge(b *strings.Builder) {
	dashed := ""
	if r.Dashed {
		dashed = ` stroke-dasharray="4 3"`
	}
	from := margin + r.parent*rowHeight + 10
	fmt.Fprintf(b, `<path class="line" fill="none" stroke="currentColor" stroke-width="1.5"%s d="M%d %dV%dH%d"/>`+"\n", dashed, r.x()-indent, from+8, r.y(), r.x()-8)
}

// draw draws the symbol and the text, and returns the number of characters.
func (r row) draw(b *strings.Builder) int {
	label, rest := r.texts()
	whole := strings.TrimSpace(label + " " + rest)
	if rest != "" {
		label = cut(label, maxLabel)
	}
	label = cut(label, maxRunes)
	rest = cut(rest, max(0, maxRunes-utf8.RuneCountInString(label)))
	class := "node"
	if word(r.Kind) {
		class += " " + r.Kind
	}
	if r.Focus {
		class += " focus"
	}
	open, end := "", ""
	if r.Href != "" {
		open, end = `<a href="`+svgText(r.Href)+`">`, "</a>"
	}
	weight := ""
	if r.Focus {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, `<g class="%s"><title>%s</title>%s<text x="%d" y="%d" fill="currentColor"%s>%s%s%s`, class, svgText(whole), symbol(r.Kind, r.x(), r.y()),
		r.x()+14, r.y()+5, weight, open, svgText(label), end)
	if rest != "" {
		fmt.Fprintf(b, ` <tspan class="dim" font-weight="normal">%s</tspan>`, svgText(rest))
	}
	b.WriteString("</text></g>\n")
	return utf8.RuneCountInString(label) + utf8.RuneCountInString(rest)
}

// texts are the name of a node, and what is said about it.
func (r row) texts() (label, rest string) {
	label = prose.OneLine(r.ID)
	var more []string
	if r.Title != nil {
		if title := prose.OneLine(*r.Title); title != "" {
			label, more = title, append(more, label)
		}
	}
	if r.Edge != "" {
		more = append(more, prose.OneLine(r.Edge))
	}
	for _, note := range r.Notes {
		more = append(more, prose.OneLine(note))
	}
	return label, strings.Join(more, " · ")
}

// symbol draws the mark of a kind around a point.
func symbol(kind string, x, y int) string {
	const attr = `class="mark" stroke="currentColor" stroke-width="2"`
	switch kind {
	case "broken": // a cross
		return fmt.Sprintf(`<path %s d="M%d %dl10 10m0 -10l-10 10"/>`, attr, x-5, y-5)
	case "stale": // a triangle
		return fmt.Sprintf(`<path %s d="M%d %dl6 11h-12z"/>`, attr, x, y-6)
	case "waiting": // a ring
		return fmt.Sprintf(`<circle %s fill="none" cx="%d" cy="%d" r="5"/>`, attr, x, y)
	case "done": // a square
		return fmt.Sprintf(`<rect %s x="%d" y="%d" width="10" height="10"/>`, attr, x-5, y-5)
	case "anchor": // a diamond
		return fmt.Sprintf(`<path %s d="M%d %dl6 6l-6 6l-6 -6z"/>`, attr, x, y-6)
	case "held":
		return fmt.Sprintf(`<circle %s cx="%d" cy="%d" r="5.5"/>`, attr, x, y)
	}
	return fmt.Sprintf(`<circle %s cx="%d" cy="%d" r="3.5"/>`, attr, x, y)
}

// word reports whether a kind can be a class.
func word(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	return string([]rune(s)[:n-1]) + "…"
}

// svgText escapes a text, and leaves out what XML cannot contain.
func svgText(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(s)
}
