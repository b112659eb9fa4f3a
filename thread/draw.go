package thread

import (
	"fmt"
	"strconv"
	"strings"
)

// Text draws the tree with lines, a thread a line.
func (n *Node) Text() string {
	var b strings.Builder
	n.draw(&b, "", "")
	return b.String()
}

func (n *Node) draw(b *strings.Builder, first, rest string) {
	b.WriteString(first + n.ThreadID)
	if n.Title != nil {
		b.WriteString("  " + strconv.QuoteToGraphic(*n.Title))
	}
	if n.Parent != nil {
		fmt.Fprintf(b, "  %s at %d", n.Parent.Kind, n.Parent.Seq)
	}
	for _, mark := range n.marks() {
		b.WriteString("  " + mark)
	}
	b.WriteString("\n")
	for i, child := range n.Children {
		if i == len(n.Children)-1 {
			child.draw(b, rest+"└─ ", rest+"   ")
		} else {
			child.draw(b, rest+"├─ ", rest+"│  ")
		}
	}
}

func (n *Node) marks() (marks []string) {
	if n.Archived {
		marks = append(marks, "(archived)")
	}
	if n.Missing {
		marks = append(marks, "(missing)")
	}
	if n.Focus {
		marks = append(marks, "*")
	}
	return marks
}

// label is the text in a box: the title, if there is one, and the id.
func (n *Node) label(newline string) string {
	label := n.ThreadID
	if n.Title != nil && strings.TrimSpace(*n.Title) != "" {
		label = oneLine(*n.Title) + newline + label
	}
	if n.Missing {
		label += newline + "missing"
	}
	return label
}

// edge is the text at an arrow.
func (n *Node) edge() string { return fmt.Sprintf("%s at %d", n.Parent.Kind, n.Parent.Seq) }

// each goes through the tree, parents first.
func (n *Node) each(visit func(node, parent *Node)) {
	type step struct{ node, parent *Node }
	for todo := []step{{n, nil}}; len(todo) > 0; todo = todo[1:] {
		visit(todo[0].node, todo[0].parent)
		for _, child := range todo[0].node.Children {
			todo = append(todo, step{child, todo[0].node})
		}
	}
}

// Mermaid draws the tree as a Mermaid graph. Boxes have numbers, because ids
// may have what Mermaid takes for something else.
func (n *Node) Mermaid() string {
	var b strings.Builder
	b.WriteString("graph TD\n")
	numbers := map[*Node]int{}
	n.each(func(node, parent *Node) {
		i := len(numbers)
		numbers[node] = i
		fmt.Fprintf(&b, "  n%d[\"%s\"]\n", i, strings.ReplaceAll(mermaidText(node.label("\n")), "\n", "<br/>"))
		if node.Focus {
			fmt.Fprintf(&b, "  style n%d stroke-width:3px\n", i)
		}
		if parent != nil {
			arrow := "-->"
			if node.Parent.Kind == ByHandoff { // which carries a summary only
				arrow = "-.->"
			}
			fmt.Fprintf(&b, "  n%d %s|\"%s\"| n%d\n", numbers[parent], arrow, node.edge(), i)
		}
	})
	return b.String()
}

// mermaidText escapes what has a meaning within a label.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;", `\`, "#92;").Replace(s)
}

// DOT draws the tree for Graphviz.
func (n *Node) DOT() string {
	var b strings.Builder
	b.WriteString("digraph lineage {\n  node [shape=box];\n")
	n.each(func(node, parent *Node) {
		focus := ""
		if node.Focus {
			focus = ", penwidth=3"
		}
		fmt.Fprintf(&b, "  %s [label=%s%s];\n", dotText(node.ThreadID), strings.ReplaceAll(dotText(node.label("\n")), "\n", `\n`), focus)
		if parent != nil {
			style := ""
			if node.Parent.Kind == ByHandoff {
				style = ", style=dashed"
			}
			fmt.Fprintf(&b, "  %s -> %s [label=%s%s];\n", dotText(parent.ThreadID), dotText(node.ThreadID), dotText(node.edge()), style)
		}
	})
	b.WriteString("}\n")
	return b.String()
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
