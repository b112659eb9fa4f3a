package journal

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"handoff/internal/file/nofollow"
)

// Mark is a number by which a record can be found, with what it is the number
// of: how far a summary reaches.
type Mark struct {
	Name  string
	Value uint64 // values from MaxMark on are taken for the same
}

// MaxMark is the greatest value that marks tell apart.
const MaxMark = 1<<48 - 1

// hash is that of the key of a mark: marks of a name stand together among the keys, in the
// order of their values, and of records with one value the last comes last.
// Hashes of other keys may stand between them, as those of two names may be
// one; the records tell.
func (m Mark) hash() uint64 { return hashOf(m.Name)&^MaxMark | min(m.Value, MaxMark) }

// Floor returns the record whose mark of a name has the greatest value that is
// at most most, and that value; of several the last one. ok is false if there
// is none.
func (j *Journal) Floor(name string, most uint64) (rec Record, value uint64, ok bool, err error) {
	return j.FloorUpTo(name, most, math.MaxUint64)
}

// FloorUpTo is [Journal.Floor] among the records at pos and before it: later
// records do not change the answer. It costs a step for each later record that
// Floor would prefer.
func (j *Journal) FloorUpTo(name string, most, pos uint64) (rec Record, value uint64, ok bool, err error) {
	lowest, below := key{Mark{name, 0}.hash(), 0}, key{Mark{name, most}.hash(), math.MaxUint64}
	for {
		var k key
		err := j.index.ask(func() (err error) {
			k, ok, err = j.index.lastKey(lowest, below)
			for ok && err == nil && k.pos > pos {
				k, ok, err = j.index.lastKey(lowest, k)
			}
			return err
		})
		if err != nil || !ok {
			return Record{}, 0, false, err
		}
		rec, err := j.Get(k.pos)
		if err != nil {
			return Record{}, 0, false, err
		}
		facts, err := j.format.Read(rec.Line)
		if i := slices.IndexFunc(facts.Marks, func(m Mark) bool { return m.Name == name && m.hash() == k.hash }); err == nil && i >= 0 {
			return rec, facts.Marks[i].Value, true, nil
		}
		below = k
	}
}

// lastKey is the last key that comes before another one, but not before the
// lowest; ok is false if there is none.
func (x *index) lastKey(lowest, below key) (last key, ok bool, err error) {
	better := func(k key) {
		if k.less(below) && !k.less(lowest) && (!ok || last.less(k)) {
			last, ok = k, true
		}
	}
	for _, r := range x.base.Runs {
		path := x.shelf.keys(&x.base, r)
		k, any, err := lastInRun(x.shelf.root, path, r.Count, below)
		if err != nil {
			return key{}, false, &shelfError{fmt.Errorf("%s: %w", path, err)}
		}
		if any {
			better(k)
		}
	}
	for _, k := range x.recent.keys {
		better(k)
	}
	return last, ok, nil
}

// lastInRun is the last of a run's count keys that comes before another one.
func lastInRun(root nofollow.Root, path string, count uint64, below key) (k key, ok bool, err error) {
	c, err := openColumn(root, path)
	if err != nil {
		return key{}, false, err
	}
	defer c.Close()
	n := sort.Search(int(count), func(i int) bool {
		k, e := c.key(uint64(i))
		err = errors.Join(err, e)
		return !k.less(below)
	})
	if err != nil || n == 0 {
		return key{}, false, err
	}
	k, err = c.key(uint64(n - 1))
	return k, err == nil, err
}

// key reads pair i of a run.
func (c column) key(i uint64) (key, error) {
	pair, err := c.some(2*i, 2)
	if err != nil {
		return key{}, err
	}
	return key{pair[0], pair[1]}, nil
}
