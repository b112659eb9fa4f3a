// Package tree draws trees of descent: as text, as SVG, for Mermaid and for Graphviz. It
// knows nothing of what the nodes mean.
package tree

import (
	"fmt"
	"strconv"
	"strings"

	"handoff/internal/text/prose"
)

// Node is a node of a tree.
type Node struct {
	ID       string  // unique in a drawing
	Title    *string // nil for none
	Edge     string  // the label of the line from the parent
	Dashed   bool    // whether that line is dashed
	Merged   bool    // whether another line leads back to the parent
	Notes    []string
	Focus    bool
	Kind     string // one word that chooses the symbol and the class in SVG; "" for a dot
	Href     string // address of the node's link in SVG; "" for none
	Children []*Node
}

// Formats are the formats of Draw.
var Formats = []string{"text", "svg", "mermaid", "dot"}

// Draw draws trees as "svg", "mermaid", "dot" or, for any other format, as text.
func Draw(format string, roots ...*Node) string {
	switch format {
	case "svg":
		return SVG(Picture{Title: "Graph", Style: true}, roots...)
	case "mermaid":
		return Mermaid(roots...)
	case "dot":
		return DOT(roots...)
	}
	return Text(roots...)
}

// maxIndent is after how many levels a tree continues at the left edge, below a line that names the parent: the indents
// of a chain of 10,000 would fill 150 MB, and no screen shows them.
const maxIndent = 60

// Text draws trees with box-drawing characters, one line per node.
func Text(roots ...*Node) string {
	var b strings.Builder
	for _, n := range roots {
		n.draw(&b, "", "", 1)
	}
	return b.String()
}

func (n *Node) draw(b *strings.Builder, first, rest string, level int) {
	b.WriteString(first + prose.OneLine(n.ID))
	if n.Title != nil {
		b.WriteString("  " + strconv.QuoteToGraphic(*n.Title))
	}
	if n.Edge != "" {
		b.WriteString("  " + prose.OneLine(n.Edge))
	}
	for _, note := range n.Notes {
		b.WriteString("  (" + prose.OneLine(note) + ")")
	}
	if n.Focus {
		b.WriteString("  *")
	}
	b.WriteString("\n")
	if level%maxIndent == 0 && len(n.Children) > 0 {
		fmt.Fprintf(b, "… level %d, below %s:\n", level+1, prose.OneLine(n.ID))
		rest = ""
	}
	for i, child := range n.Children {
		if i == len(n.Children)-1 {
			child.draw(b, rest+"└─ ", rest+"   ", level+1)
		} else {
			child.draw(b, rest+"├─ ", rest+"│  ", level+1)
		}
	}
}

// label is the text of a node in a graph: the title if there is one, the id, the notes.
func (n *Node) label() string {
	lines := append([]string{prose.OneLine(n.ID)}, n.Notes...)
	if n.Title != nil {
		if title := prose.OneLine(*n.Title); title != "" {
			lines = append([]string{title}, lines...)
		}
	}
	return strings.Join(lines, "\n")
}

// each visits all nodes, parents first.
func each(roots []*Node, visit func(node, parent *Node)) {
	type step struct{ node, parent *Node }
	var todo []step
	for _, n := range roots {
		todo = append(todo, step{n, nil})
	}
	for ; len(todo) > 0; todo = todo[1:] {
		visit(todo[0].node, todo[0].parent)
		for _, child := range todo[0].node.Children {
			todo = append(todo, step{child, todo[0].node})
		}
	}
}

// Mermaid draws trees as a Mermaid graph. Nodes have numbers instead of ids, because an
// id may contain Mermaid syntax.
func Mermaid(roots ...*Node) string {
	var b strings.Builder
	b.WriteString("graph TD\n")
	numbers := map[*Node]int{}
	each(roots, func(node, parent *Node) {
		i := len(numbers)
		numbers[node] = i
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, mermaidText(node.label()))
		if node.Focus {
			fmt.Fprintf(&b, "  style n%d stroke-width:3px\n", i)
		}
		if parent != nil {
			arrow := "-->"
			if node.Dashed {
				arrow = "-.->"
			}
			fmt.Fprintf(&b, "  n%d %s|\"%s\"| n%d\n", numbers[parent], arrow, mermaidText(prose.OneLine(node.Edge)), i)
			if node.Merged {
				fmt.Fprintf(&b, "  n%d -->|\"merged\"| n%d\n", i, numbers[parent])
			}
		}
	})
	return b.String()
}

// mermaidText escapes the characters that have a meaning in a label.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;", `\`, "#92;", "\n", "<br/>").Replace(s)
}

// DOT draws trees for Graphviz.
func DOT(roots ...*Node) string {
	var b strings.Builder
	b.WriteString("digraph lineage {\n  node [shape=box];\n")
	each(roots, func(node, parent *Node) {
		focus := ""
		if node.Focus {
			focus = ", penwidth=3"
		}
		fmt.Fprintf(&b, "  %s [label=%s%s];\n", dotText(node.ID), dotText(node.label()), focus)
		if parent != nil {
			style := ""
			if node.Dashed {
				style = ", style=dashed"
			}
			fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", dotText(parent.ID), dotText(node.ID), dotText(prose.OneLine(node.Edge)), style)
			if node.Merged {
				fmt.Fprintf(&b, "  %s -> %s [label=\"merged\"];\n", dotText(node.ID), dotText(parent.ID))
			}
		}
	})
	b.WriteString("}\n")
	return b.String()
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
