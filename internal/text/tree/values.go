package tree

import "handoff/internal/text/prose"

// Value is a node for programs: see docs/schema/graph.schema.json.
type Value struct {
	ID     string   `json:"id"`
	Title  *string  `json:"title"`
	Parent *int     `json:"parent"` // position of the parent in the list; null for a root
	Edge   string   `json:"edge"`
	Merged bool     `json:"merged"`
	Kind   string   `json:"kind"`
	Notes  []string `json:"notes"`
	Focus  bool     `json:"focus"`
}

// Values are the nodes of trees, in the order of the text format: parents first.
func Values(roots ...*Node) []Value {
	type step struct {
		*Node
		parent *int
	}
	values, todo := []Value{}, []step{}
	push := func(nodes []*Node, parent *int) {
		for i := len(nodes) - 1; i >= 0; i-- {
			todo = append(todo, step{nodes[i], parent})
		}
	}
	for push(roots, nil); len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		at := len(values)
		values = append(values, Value{ID: n.ID, Title: n.Title, Parent: n.parent, Edge: prose.OneLine(n.Edge), Merged: n.Merged, Kind: n.Kind, Notes: append([]string{}, n.Notes...), Focus: n.Focus})
		push(n.Children, &at)
	}
	return values
}
