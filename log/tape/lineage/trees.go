package lineage

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/text/tree"
)

// Node is a tape, and the forks of it.
type Node struct {
	Tape       string  `json:"tape"`
	SessionID  string  `json:"session_id,omitempty"` // of a fork
	FromAnchor *string `json:"from_anchor,omitempty"`
	FromEntry  *int64  `json:"from_entry,omitempty"` // the first entry that was copied or linked
	CreatedAt  string  `json:"created_at,omitempty"`
	Status     string  `json:"status,omitempty"` // of a fork
	Linked     bool    `json:"linked,omitempty"`
	Missing    bool    `json:"missing,omitempty"` // only a fork names it
	Focus      bool    `json:"focus,omitempty"`   // the requested tape
	Children   []*Node `json:"children"`          // in the order in which they were forked

	parent *Node
}

// Trees are the existing tapes and all forks, each below its parent; tapes that
// are not forks are the roots, by name. With the name of a tape or a session it
// is only the tree that this is in. If a name was used again, the last fork of
// that name is meant.
func Trees(forks []Fork, tapes []string, name string) ([]*Node, error) {
	b := builder{nodes: map[string]*Node{}, tapes: tapes}
	for _, f := range forks {
		tape := cmp.Or(f.Tape, f.SessionID)
		b.nodes[f.SessionID] = &Node{Tape: tape, SessionID: f.SessionID, FromAnchor: f.FromAnchor, FromEntry: f.FromEntry,
			CreatedAt: f.CreatedAt, Status: f.Status, Linked: f.Linked, Missing: f.Status == Active && !slices.Contains(tapes, tape), Children: []*Node{}}
	}
	for _, f := range forks {
		b.add(f)
	}
	for _, name := range tapes {
		if !slices.ContainsFunc(forks, func(f Fork) bool { return f.Tape == name && f.Status == Active }) {
			b.root(name)
		}
	}
	slices.SortStableFunc(b.roots, func(a, b *Node) int { return strings.Compare(a.Tape, b.Tape) })
	if name == "" {
		return b.roots, nil
	}
	n := b.nodes[name]
	for _, f := range forks {
		if f.Tape == name {
			n = b.nodes[f.SessionID]
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

type builder struct {
	nodes map[string]*Node // by session; tapes that are not forks by name
	tapes []string         // that exist
	roots []*Node
}

// add adds a fork below its parent. A fork of itself, which another program may
// have written, becomes a root.
func (b *builder) add(f Fork) {
	n := b.nodes[f.SessionID]
	if f.ParentSessionID == nil {
		b.roots = append(b.roots, n)
		return
	}
	parent := b.nodes[*f.ParentSessionID]
	if parent == nil {
		parent = b.root(*f.ParentSessionID)
	}
	for above := parent; above != nil; above = above.parent {
		if above == n {
			b.roots = append(b.roots, n)
			return
		}
	}
	n.parent = parent
	parent.Children = append(parent.Children, n)
}

// root adds a tape that is not a fork.
func (b *builder) root(name string) *Node {
	n := b.nodes[name]
	if n == nil {
		n = &Node{Tape: name, Missing: !slices.Contains(b.tapes, name), Children: []*Node{}}
		b.nodes[name] = n
		b.roots = append(b.roots, n)
	}
	return n
}

// Drawn is the tree for [tree.Text] and others. The line to a linked fork is
// dashed.
func (n *Node) Drawn() *tree.Node { return n.drawn(false) }

// drawn is the node, below another one or as a root. A server's answer does not say what is above.
func (n *Node) drawn(below bool) *tree.Node {
	d := &tree.Node{ID: cmp.Or(n.SessionID, n.Tape), Dashed: n.Linked, Focus: n.Focus}
	if n.Tape != d.ID {
		d.Title = &n.Tape
	}
	if below {
		d.Edge = n.from()
	}
	d.Merged = below && n.Status == Merged
	if n.Status != "" && n.Status != Active {
		d.Notes = append(d.Notes, n.Status)
	}
	if n.Missing {
		d.Notes = append(d.Notes, "missing")
	}
	for _, child := range n.Children {
		d.Children = append(d.Children, child.drawn(true))
	}
	return d
}

// from describes where in its parent a fork starts.
func (n *Node) from() string {
	switch {
	case n.FromAnchor != nil:
		return "from " + *n.FromAnchor
	case n.FromEntry != nil:
		return "from entry " + strconv.FormatInt(*n.FromEntry, 10)
	}
	return "from start"
}
