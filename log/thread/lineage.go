package thread

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"handoff/internal/journal"
)

// Node is a thread in the tree of its ancestors and descendants.
type Node struct {
	ThreadID    string  `json:"thread_id"`
	CreatedAtMS uint64  `json:"created_at_ms"`
	Title       *string `json:"title"`
	Archived    bool    `json:"archived"`
	Parent      *Parent `json:"parent,omitempty"`  // the cut that it continues
	Missing     bool    `json:"missing,omitempty"` // only a child refers to it
	Focus       bool    `json:"focus,omitempty"`   // the requested thread
	Children    []*Node `json:"children"`          // by creation time
}

// Lineage is the tree of a thread: its ancestors, each with the one child that leads
// to it, and all its descendants. If threads cannot be read, the error names them,
// and the tree has the others.
func (s *Store) Lineage(ctx context.Context, id string) (*Node, error) {
	if err := s.Exists(id); err != nil {
		return nil, err
	}
	all, unread := s.infos(ctx)
	info := all[id]
	if info == nil {
		return nil, unread
	}
	node := descend(info, childrenOf(all), map[string]bool{})
	node.Focus = true
	seen := map[string]bool{id: true}
	for node.Parent != nil {
		above := node.Parent.ThreadID
		if seen[above] {
			return nil, fmt.Errorf("thread %s is its own ancestor: its first events were not written by a branch or a handoff", above)
		}
		seen[above] = true
		parent := &Node{ThreadID: above, Missing: true}
		if info := all[above]; info != nil {
			parent = nodeOf(info)
		}
		parent.Children = []*Node{node}
		node = parent
	}
	return node, unread
}

// Continuing are the ids of the threads that continue a thread, by the index of the catalogue. Some may have been deleted, and some are
// missing if complete is false: the catalogue has not as many entries of creations as there are threads. [Store.List] adds what is missing. An entry
// that is there twice can hide one that is missing until then.
func (s *Store) Continuing(id string) (ids []string, complete bool, err error) {
	entries, err := s.catalogue.find(parentKey(id))
	for _, e := range entries {
		ids = append(ids, e.ThreadID)
	}
	threads, unread := s.names(Continuity)
	n, uncounted := onFile(&s.catalogue.storeFile, func(j *journal.Journal) (uint64, error) { return j.Count(entryCreated) })
	return ids, n == uint64(len(threads)), errors.Join(err, unread, uncounted)
}

// Trees are the trees of all threads, by the creation of their roots: each thread is below
// its parent, once. A parent that does not exist is a root that is missing. The error names
// the threads that cannot be read, and those that are not in a tree because an ancestor is
// its own ancestor.
func (s *Store) Trees(ctx context.Context) (roots []*Node, err error) {
	all, err := s.infos(ctx)
	children, seen := childrenOf(all), map[string]bool{}
	sorted := slices.SortedFunc(maps.Values(all), byCreation)
	for _, i := range sorted {
		switch p := i.Parent; {
		case p == nil:
			roots = append(roots, descend(i, children, seen))
		case all[p.ThreadID] == nil && !seen[p.ThreadID]:
			root := descend(&Info{ThreadID: p.ThreadID}, children, seen)
			root.Missing = true
			roots = append(roots, root)
		}
	}
	for _, i := range sorted {
		if !seen[i.ThreadID] {
			err = errors.Join(err, fmt.Errorf("thread %s is not in a tree: it or an ancestor is its own ancestor", i.ThreadID))
		}
	}
	return roots, err
}

func childrenOf(all map[string]*Info) map[string][]*Info {
	children := map[string][]*Info{}
	for _, i := range all {
		if i.Parent != nil {
			children[i.Parent.ThreadID] = append(children[i.Parent.ThreadID], i)
		}
	}
	return children
}

func nodeOf(i *Info) *Node {
	return &Node{ThreadID: i.ThreadID, CreatedAtMS: i.CreatedAtMS, Title: i.Title, Archived: i.Archived, Parent: i.Parent, Children: []*Node{}}
}

// descend is a thread with all its descendants, which it adds to seen. One that is its own
// ancestor is visited once.
func descend(top *Info, children map[string][]*Info, seen map[string]bool) *Node {
	root := nodeOf(top)
	seen[top.ThreadID] = true
	for todo := []*Node{root}; len(todo) > 0; todo = todo[1:] {
		node := todo[0]
		infos := children[node.ThreadID]
		slices.SortFunc(infos, byCreation)
		for _, i := range infos {
			if seen[i.ThreadID] {
				continue
			}
			seen[i.ThreadID] = true
			child := nodeOf(i)
			node.Children = append(node.Children, child)
			todo = append(todo, child)
		}
	}
	return root
}
