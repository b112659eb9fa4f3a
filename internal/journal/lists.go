package journal

import (
	"errors"
	"fmt"
	"sort"
)

// Count is how many records stand on a list.
func (j *Journal) Count(list string) (n uint64, err error) {
	err = j.index.ask(func() error {
		n = j.index.length(list)
		return nil
	})
	return n, err
}

// Nth is the position of a list's record k, counted from 0; ok is false if
// the list is not so long.
func (j *Journal) Nth(list string, k uint64) (pos uint64, ok bool, err error) {
	some, err := j.Some(list, k, 1)
	if len(some) == 0 {
		return 0, false, err
	}
	return some[0], true, nil
}

// Some are the positions of at most n records of a list, from record k on,
// counted from 0. It costs little more than one of them.
func (j *Journal) Some(list string, k, n uint64) (positions []uint64, err error) {
	x := &j.index
	err = x.ask(func() (err error) {
		length := x.length(list)
		k := min(k, length)
		positions, err = x.some(list, k, min(n, length-k))
		return err
	})
	return positions, err
}

// UpTo is how many records of a list stand at pos or before it.
func (j *Journal) UpTo(list string, pos uint64) (n uint64, err error) {
	err = j.index.ask(func() (err error) {
		n, err = j.index.upToPos(list, pos)
		return err
	})
	return n, err
}

// LastOn is the position of a list's last record that stands at pos or before
// it; ok is false if there is none.
func (j *Journal) LastOn(list string, atOrBefore uint64) (pos uint64, ok bool, err error) {
	x := &j.index
	err = x.ask(func() error {
		n, err := x.upToPos(list, atOrBefore)
		if ok = n > 0 && err == nil; !ok {
			return err
		}
		last, err := x.some(list, n-1, 1)
		if err == nil {
			pos = last[0]
		}
		return err
	})
	return pos, ok && err == nil, err
}

func (x *index) length(list string) uint64 {
	n := uint64(len(x.recent.lists[list]))
	if c := x.base.list(list); c != nil {
		n += c.Count
	}
	return n
}

// some are n positions of a list that is long enough, from number k on.
func (x *index) some(list string, k, n uint64) (positions []uint64, err error) {
	c := x.base.list(list)
	if c != nil && k < c.Count {
		if positions, err = x.values(x.shelf.list(&x.base, c), k, min(n, c.Count-k)); err != nil {
			return nil, err
		}
		k, n = c.Count, n-uint64(len(positions))
	}
	if c != nil {
		k -= c.Count
	}
	return append(positions, x.recent.lists[list][k:k+n]...), nil
}

// upToPos is how many records of a list stand at pos or before it.
func (x *index) upToPos(list string, pos uint64) (uint64, error) {
	recent := x.recent.lists[list]
	in := uint64(sort.Search(len(recent), func(i int) bool { return recent[i] > pos }))
	c := x.base.list(list)
	if c == nil {
		return in, nil
	}
	if in > 0 { // what is on the disk comes before
		return c.Count + in, nil
	}
	path := x.shelf.list(&x.base, c)
	col, err := openColumn(x.shelf.root, path)
	if err != nil {
		return 0, &shelfError{err}
	}
	defer col.Close()
	after := sort.Search(int(c.Count), func(i int) bool {
		p, e := col.at(uint64(i))
		err = errors.Join(err, e)
		return p > pos
	})
	if err != nil {
		return 0, &shelfError{fmt.Errorf("%s: %w", path, err)}
	}
	return uint64(after), nil
}
