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

// style has the colours of the kinds. The symbols differ too, so that no colour is needed
// to distinguish them.
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

// SVG draws trees with each node below and right of its parent. Nodes with an Href are
// links.
func SVG(p Picture, roots ...*Node) string {
	boxes := layout(roots)
	width, height := 0, 0
	var lines, nodes strings.Builder
	for _, b := range boxes {
		if b.parent != nil {
			b.edges(&lines)
		}
		b.draw(&nodes)
		width, height = max(width, b.right()+margin), max(height, b.y+rowHeight/2+margin)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="group" aria-label="%s">`+"\n", width, height, width, height, svgText(p.Title))
	fmt.Fprintf(&b, "<title>%s</title>\n", svgText(p.Title))
	if p.Style {
		b.WriteString(style)
	}
	b.WriteString(lines.String() + nodes.String() + "</svg>\n")
	return b.String()
}

// edges draws the line from the parent, and the one back.
func (b *box) edges(out *strings.Builder) {
	dashed := ""
	if b.Dashed {
		dashed = ` stroke-dasharray="4 3"`
	}
	fmt.Fprintf(out, `<path class="line" fill="none" stroke="currentColor" stroke-width="1.5"%s d="%s"/>`+"\n", dashed, path(b.edge()))
	if b.Merged {
		back := b.join()
		end := back[len(back)-1]
		fmt.Fprintf(out, `<path class="line join" fill="none" stroke="currentColor" stroke-width="1.5" d="%sM%d %dl3 5m-3 -5l-3 5"/>`+"\n", path(back), end.x, end.y)
	}
}

// path is a line through points.
func path(points []point) string {
	var b strings.Builder
	for i, p := range points {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%d %d", p.x, p.y)
		case p.x == points[i-1].x:
			fmt.Fprintf(&b, "V%d", p.y)
		default:
			fmt.Fprintf(&b, "H%d", p.x)
		}
	}
	return b.String()
}

// draw draws the symbol and the text.
func (b *box) draw(out *strings.Builder) {
	class := "node"
	if word(b.Kind) {
		class += " " + b.Kind
	}
	if b.Focus {
		class += " focus"
	}
	open, end := "", ""
	if b.Href != "" {
		open, end = `<a href="`+svgText(b.Href)+`">`, "</a>"
	}
	weight := ""
	if b.Focus {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(out, `<g class="%s"><title>%s</title>%s<text x="%d" y="%d" fill="currentColor"%s>%s%s%s`, class, svgText(b.whole), symbol(b.Kind, b.x, b.y),
		b.x+14, b.y+5, weight, open, svgText(b.label), end)
	if b.rest != "" {
		fmt.Fprintf(out, ` <tspan class="dim" font-weight="normal">%s</tspan>`, svgText(b.rest))
	}
	out.WriteString("</text></g>\n")
}

// texts returns the name of a node, and the text about it.
func (n *Node) texts() (label, rest string) {
	label = prose.OneLine(n.ID)
	var more []string
	if n.Title != nil {
		if title := prose.OneLine(*n.Title); title != "" {
			label, more = title, append(more, label)
		}
	}
	if n.Edge != "" {
		more = append(more, prose.OneLine(n.Edge))
	}
	for _, note := range n.Notes {
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
