package thread

import (
	"fmt"

	"handoff/internal/text/tree"
)

// Drawn is the tree for [tree.Draw]. The edge of a handoff is dashed, because only a
// summary was inherited.
func (n *Node) Drawn() *tree.Node {
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
		t.Children = append(t.Children, child.Drawn())
	}
	return t
}
