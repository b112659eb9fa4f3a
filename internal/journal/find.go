package journal

import (
	"errors"
	"fmt"
	"slices"

	"handoff/internal/file/regular"
)

// Find returns the positions of all records with a key, rising.
func (j *Journal) Find(name string) (found []uint64, err error) {
	var maybe []uint64
	hash := hashOf(name)
	err = j.index.ask(func() (err error) {
		maybe, err = j.index.withHash(hash)
		return err
	})
	if err != nil {
		return nil, err
	}
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

// Passed lists the lines of a tolerant journal that were passed over. Blank
// lines are not among them.
func (j *Journal) Passed() (list []Passed, err error) {
	x := &j.index
	err = x.ask(func() (err error) {
		list = nil
		if x.base.Passed > 0 {
			values, err := x.values(x.shelf.passed(&x.base), 0, 2*x.base.Passed)
			if err != nil {
				return err
			}
			for i := 0; i < len(values); i += 2 {
				list = append(list, Passed{Line: int64(values[i+1]), Offset: int64(values[i])})
			}
		}
		list = append(list, x.recent.passed...)
		return nil
	})
	return list, err
}

// ask answers a question by what the index knows of the whole journal.
func (x *index) ask(question func() error) error {
	return x.askAnyway(func(caughtUp error) error {
		if caughtUp != nil {
			return caughtUp
		}
		return question()
	})
}

// askAnyway also answers if the journal is damaged, by what comes before that.
//
// Files of the index that are missing may have been replaced by another
// process. If looking again does not help the index is made anew, and if that
// does not, then in memory.
func (x *index) askAnyway(question func(caughtUp error) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for attempt := 0; ; attempt++ {
		err := x.catchUp()
		if err != nil && !errors.As(err, new(*DamageError)) {
			return err
		}
		err = question(err)
		if attempt == 3 || !errors.As(err, new(*shelfError)) || regular.Exhausted(err) {
			return err
		}
		if attempt == 1 {
			x.discard()
		}
		x.distrust = x.distrust || attempt == 2
		x.restart(x.log)
	}
}

// shelfError says that the index on the disk is not what its head promises.
type shelfError struct{ error }

func (e *shelfError) Unwrap() error { return e.error }

// values reads n numbers of a file of the index, from number i on.
func (x *index) values(path string, i, n uint64) ([]uint64, error) {
	c, err := openColumn(x.shelf.root, path)
	if err != nil {
		return nil, &shelfError{err}
	}
	defer c.Close()
	values, err := c.some(i, n)
	if err != nil {
		return nil, &shelfError{fmt.Errorf("%s: %w", path, err)}
	}
	return values, nil
}

// offset is where record i, counted from 0, begins.
func (x *index) offset(i uint64) (int64, error) {
	if i >= x.base.Records {
		return int64(x.recent.offsets[i-x.base.Records]), nil
	}
	v, err := x.values(x.shelf.offsets(&x.base), i, 1)
	if err != nil {
		return 0, err
	}
	if v[0] >= uint64(x.size) {
		return 0, &shelfError{fmt.Errorf("%s: the index has record %d at %d", x.shelf, i, v[0])}
	}
	return int64(v[0]), nil
}

// withHash returns the positions of the records that have a key of that hash.
func (x *index) withHash(hash uint64) (found []uint64, err error) {
	for _, r := range x.base.Runs {
		path := x.shelf.keys(&x.base, r)
		in, err := findInRun(x.shelf.root, path, r.Count, hash)
		if err != nil {
			return nil, &shelfError{fmt.Errorf("%s: %w", path, err)}
		}
		found = append(found, in...)
	}
	for _, k := range x.recent.keys {
		if k.hash == hash {
			found = append(found, k.pos)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
