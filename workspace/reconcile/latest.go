package reconcile

import (
	"slices"

	"handoff/document/handoff"
)

// Newest is the newest of some documents of the task, for callers that need one
// even if it is unclear. Then it is the document that the metadata names, else
// one of the latest phase, else the first; doubt explains what is unclear.
func (s State) Newest(paths []string) (newest, doubt string) {
	m := s.about(func(d Document) bool { return slices.Contains(paths, d.Path) })
	if len(m.links) == 0 {
		return "", ""
	}
	named := -1
	if file, _ := s.Metadata.Object(); file != nil {
		m.file = file
		p := m.pointer()
		named = slices.IndexFunc(m.links, func(l link) bool { return l.Path == p })
	}
	o := m.order()
	among := make([]int, 0, len(o.links))
	for i := range o.links {
		if named < 0 || o.certain(i, named) {
			among = append(among, i)
		}
	}
	if len(among) == 0 {
		return o.links[named].Path, ""
	}
	best, doubt := o.newest(among)
	if best < 0 {
		best = o.latestPhase(among, paths)
	}
	return o.links[best].Path, doubt
}

// latestPhase is the newest of some documents if phases are done in order, or
// the one of them that comes first in paths.
func (o *order) latestPhase(among []int, paths []string) (best int) {
	best = among[0]
	for _, i := range among[1:] {
		a, b := o.links[i], o.links[best]
		c := o.compare(i, best)
		if c == handoff.Unordered {
			c = a.Name.ComparePhase(b.Name)
		}
		if c == handoff.Newer || c == handoff.Unordered && slices.Index(paths, a.Path) < slices.Index(paths, b.Path) {
			best = i
		}
	}
	return best
}
