package thread

import (
	"fmt"

	"handoff/internal/text/tree"
)

// Text draws the tree with box-drawing characters, one line for each thread.
func (n *Node) Text() string { return tree.Text(n.tree()) }

// Mermaid returns the tree as a Mermaid graph.
func (n *Node) Mermaid() string { return tree.Mermaid(n.tree()) }

// DOT returns the tree as a Graphviz graph.
func (n *Node) DOT() string { return tree.DOT(n.tree()) }

// tree converts the nodes. The edge of a handoff is dashed, because only a
// summary was inherited.
func (n *Node) tree() *tree.Node {
	t := &tree.Node{ID: n.ThreadID, Title: n.Title, Focus: n.Focus}
	if n.Parent != nil {
		t.Edge = fmt.Sprintf("%s at %d", n.Parent.Kind, n.Parent.Seq)
		t.Dashed = n.Parent.Kind == ByHandoff
	}
	if n.Archived {
		t.Notes = append(t.Notes, "archived")
	}
	if n.Missing {
		t.Notes = append(t.Notes, "missing")
	}
	for _, child := range n.Children {
		t.Children = append(t.Children, child.tree())
	}
	return t
}
