package watch

import (
	"context"
	"hash/maphash"
)

// lookElsewhere reports whether documents outside of task folders changed since the last
// scan, or were added or removed. Their folders are listed in each scan: with layouts
// there are few.
func (p *poller) lookElsewhere() (changed bool) {
	ls := p.elsewhere.get()
	if len(ls) == 0 {
		return false
	}
	found, _ := ls.Find(context.Background(), p.root, func(string, error) error { return nil }) // no error: see failed
	var h maphash.Hash
	h.SetSeed(p.seed)
	for _, rel := range found {
		h.WriteString(rel)
		p.add(&h, p.full(rel))
	}
	sum := h.Sum64()
	changed = p.outside == nil || *p.outside != sum
	p.outside = &sum
	return changed
}
