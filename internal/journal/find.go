package journal

import (
	"slices"
	"sort"
)

// Find returns the positions of all records with a key, rising.
func (j *Journal) Find(name string) ([]uint64, error) {
	maybe, err := j.index.withHash(hashOf(name))
	if err != nil {
		return nil, err
	}
	var found []uint64
	for _, pos := range maybe { // other keys may have the same hash
		rec, err := j.Get(pos)
		if err != nil {
			return nil, err
		}
		if facts, err := j.format.Read(rec.Line); err == nil && slices.Contains(facts.Keys, name) {
			found = append(found, pos)
		}
	}
	return found, nil
}

// withHash returns the positions of the records that have a key of that hash.
func (x *index) withHash(hash uint64) ([]uint64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.catchUp(); err != nil {
		return nil, err
	}
	var found []uint64
	for _, k := range x.recent.keys {
		if k.hash == hash {
			found = append(found, k.pos)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// Count is how many records stand on a list.
func (j *Journal) Count(list string) (uint64, error) {
	x := &j.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.catchUp(); err != nil {
		return 0, err
	}
	return x.length(list), nil
}

// Nth is the position of a list's record k, counted from 0; ok is false if
// the list is not so long.
func (j *Journal) Nth(list string, k uint64) (pos uint64, ok bool, err error) {
	x := &j.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.catchUp(); err != nil {
		return 0, false, err
	}
	if k >= x.length(list) {
		return 0, false, nil
	}
	pos, err = x.nth(list, k)
	return pos, err == nil, err
}

// LastOn is the position of a list's last record that stands at pos or before
// it; ok is false if there is none.
func (j *Journal) LastOn(list string, atOrBefore uint64) (pos uint64, ok bool, err error) {
	x := &j.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.catchUp(); err != nil {
		return 0, false, err
	}
	after := sort.Search(int(x.length(list)), func(i int) bool {
		p, e := x.nth(list, uint64(i))
		if e != nil {
			err = e
		}
		return p > atOrBefore
	})
	if err != nil || after == 0 {
		return 0, false, err
	}
	pos, err = x.nth(list, uint64(after-1))
	return pos, err == nil, err
}

// Passed lists the lines of a tolerant journal that were passed over. Blank
// lines are not among them.
func (j *Journal) Passed() ([]Passed, error) {
	x := &j.index
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.catchUp(); err != nil {
		return nil, err
	}
	return slices.Clone(x.recent.passed), nil
}

func (x *index) length(list string) uint64 { return uint64(len(x.recent.lists[list])) }

func (x *index) nth(list string, k uint64) (uint64, error) { return x.recent.lists[list][k], nil }

// offset is where record i, counted from 0, begins.
func (x *index) offset(i uint64) (int64, error) { return int64(x.recent.offsets[i]), nil }
