package tape

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/file/tree"
)

// Node is a tape among those that it was forked from and that were forked from
// it.
type Node struct {
	Tape       string  `json:"tape"`
	SessionID  string  `json:"session_id,omitempty"` // of a fork
	FromAnchor *string `json:"from_anchor,omitempty"`
	FromEntry  *int64  `json:"from_entry,omitempty"` // the first that was taken over
	CreatedAt  string  `json:"created_at,omitempty"`
	Status     string  `json:"status,omitempty"` // of a fork
	Linked     bool    `json:"linked,omitempty"`
	Missing    bool    `json:"missing,omitempty"` // it is known by a fork only
	Focus      bool    `json:"focus,omitempty"`   // it was asked for
	Children   []*Node `json:"children"`          // in the order in which they were forked

	parent *Node
}

// Trees are all tapes, each below the one that it was forked from: those that
// are no forks stand at the top, by name. With the name of a tape, or of a
// fork's session, it is the one tree that this stands in; the name of a tape
// that was given again means the last.
func (s *Store) Trees(ctx context.Context, name string) ([]*Node, error) {
	forks, err := s.Graph(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.List()
	if err != nil {
		return nil, err
	}
	g := grown{nodes: map[string]*Node{}, names: names}
	for _, f := range forks {
		tape := or(f.Tape, f.SessionID)
		g.nodes[f.SessionID] = &Node{Tape: tape, SessionID: f.SessionID, FromAnchor: f.FromAnchor, FromEntry: f.FromEntry,
			CreatedAt: f.CreatedAt, Status: f.Status, Linked: f.Linked, Missing: f.Status == Active && !slices.Contains(names, tape), Children: []*Node{}}
	}
	for _, f := range forks {
		g.put(f)
	}
	for _, name := range names {
		if !slices.ContainsFunc(forks, func(f Lineage) bool { return f.Tape == name && f.Status == Active }) {
			g.top(name)
		}
	}
	slices.SortStableFunc(g.roots, func(a, b *Node) int { return strings.Compare(a.Tape, b.Tape) })
	if name == "" {
		return g.roots, nil
	}
	return g.around(name, forks)
}

// grown are trees while they grow.
type grown struct {
	nodes map[string]*Node // by session, and tapes that are no forks by name
	names []string         // of the tapes that are there
	roots []*Node
}

// put puts a fork below its parent. One that comes from itself, as no fork of
// ours does, stands at the top.
func (g *grown) put(f Lineage) {
	n := g.nodes[f.SessionID]
	if f.ParentSessionID == nil {
		g.roots = append(g.roots, n)
		return
	}
	up := g.nodes[*f.ParentSessionID]
	if up == nil {
		up = g.top(*f.ParentSessionID)
	}
	for above := up; above != nil; above = above.parent {
		if above == n {
			g.roots = append(g.roots, n)
			return
		}
	}
	n.parent = up
	up.Children = append(up.Children, n)
}

// top is a tape that is no fork.
func (g *grown) top(name string) *Node {
	n := g.nodes[name]
	if n == nil {
		n = &Node{Tape: name, Missing: !slices.Contains(g.names, name), Children: []*Node{}}
		g.nodes[name] = n
		g.roots = append(g.roots, n)
	}
	return n
}

// around is the tree of one tape.
func (g *grown) around(name string, forks []Lineage) ([]*Node, error) {
	n := g.nodes[name]
	for _, f := range forks {
		if f.Tape == name {
			n = g.nodes[f.SessionID]
		}
	}
	if n == nil {
		return nil, fmt.Errorf("tape %s: no such tape here: %w", name, fs.ErrNotExist)
	}
	n.Focus = true
	for n.parent != nil {
		n = n.parent
	}
	return []*Node{n}, nil
}

// Drawn is the tree as it is drawn. The line to a fork that refers to its
// parent's entries is dashed.
func (n *Node) Drawn() *tree.Node {
	d := &tree.Node{ID: or(n.SessionID, n.Tape), Dashed: n.Linked, Focus: n.Focus}
	if n.Tape != d.ID {
		d.Title = &n.Tape
	}
	if n.parent != nil {
		d.Edge = n.from()
	}
	if n.Status != "" && n.Status != Active {
		d.Notes = append(d.Notes, n.Status)
	}
	if n.Missing {
		d.Notes = append(d.Notes, "missing")
	}
	for _, child := range n.Children {
		d.Children = append(d.Children, child.Drawn())
	}
	return d
}

// from says what of its parent a fork has taken over.
func (n *Node) from() string {
	switch {
	case n.FromAnchor != nil:
		return "from " + *n.FromAnchor
	case n.FromEntry != nil:
		return "from entry " + strconv.FormatInt(*n.FromEntry, 10)
	}
	return "from start"
}
