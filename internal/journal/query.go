package journal

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"handoff/internal/file/regular"
	"handoff/internal/journal/appendlog"
)

// Find returns the positions of all records with a key, ascending.
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

// Passed lists the lines of a tolerant journal that could not be read, without
// blank lines.
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

// Count is the number of records on a list.
func (j *Journal) Count(list string) (n uint64, err error) {
	err = j.index.ask(func() error {
		n = j.index.length(list)
		return nil
	})
	return n, err
}

// Nth is the position of a list's record k, counted from 0; ok is false if the
// list is not so long.
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

// UpTo is how many records of a list are at pos or before it.
func (j *Journal) UpTo(list string, pos uint64) (n uint64, err error) {
	err = j.index.ask(func() (err error) {
		n, err = j.index.upTo(list, pos)
		return err
	})
	return n, err
}

// LastOn is the position of a list's last record at pos or before it; ok is
// false if there is none.
func (j *Journal) LastOn(list string, atOrBefore uint64) (pos uint64, ok bool, err error) {
	n, err := j.UpTo(list, atOrBefore)
	if err != nil || n == 0 {
		return 0, false, err
	}
	return j.Nth(list, n-1)
}

// MaxMark is the greatest value that marks distinguish: from there on all values
// count as the same.
const MaxMark = 1<<48 - 1

// markHash is the hash of the key of a mark. Among the sorted keys the marks of
// a name are together, in the order of their values, and of several records
// with one value the last record is last. Keys with other names may be between
// them, because hashes collide; only the records can tell.
func markHash(m Mark) uint64 { return hashOf(m.Name)&^MaxMark | min(m.Value, MaxMark) }

// Floor returns the record whose mark of a name has the greatest value that is
// not above most, and that value; the last record if there are several. Records
// after upTo do not count; each of them that would otherwise be chosen costs a
// step. ok is false if there is none.
func (j *Journal) Floor(name string, most, upTo uint64) (rec Record, value uint64, ok bool, err error) {
	lowest, below := key{markHash(Mark{Name: name}), 0}, key{markHash(Mark{Name: name, Value: most}), math.MaxUint64}
	for {
		var k key
		err := j.index.ask(func() (err error) {
			k, ok, err = j.index.lastKey(lowest, below)
			for ok && err == nil && k.pos > upTo {
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
		if i := slices.IndexFunc(facts.Marks, func(m Mark) bool { return m.Name == name && markHash(m) == k.hash }); err == nil && i >= 0 {
			return rec, facts.Marks[i].Value, true, nil
		}
		below = k
	}
}

// ask answers a query with an index of the whole journal.
func (x *index) ask(query func() error) error {
	return x.askAnyway(func(caughtUp error) error {
		if caughtUp != nil && !x.sound {
			return caughtUp
		}
		return query()
	})
}

// askAnyway also answers if the journal is damaged, with an index of what comes
// before the damage.
//
// Another process may have replaced files of the index that are missing. If
// reading the index again does not help it is rebuilt, and if that does not
// help either, then in memory.
func (x *index) askAnyway(query func(caughtUp error) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for attempt := 0; ; attempt++ {
		err := x.catchUp()
		if err != nil && !errors.As(err, new(*DamageError)) {
			return err
		}
		err = query(err)
		if attempt == 3 || !errors.As(err, new(*shelfError)) || regular.Exhausted(err) {
			return err
		}
		if attempt == 1 {
			x.discard()
		}
		x.distrust = x.distrust || attempt == 2
		x.restart(x.file)
	}
}

// shelfError: the index on the disk does not match its head.
type shelfError struct{ error }

func (e *shelfError) Unwrap() error { return e.error }

// column opens a file of the index while it is read.
func (x *index) column(path string, read func(column) error) error {
	c, err := openColumn(x.shelf.root, path)
	if err != nil {
		return &shelfError{err}
	}
	defer c.Close()
	if err := read(c); err != nil {
		return &shelfError{fmt.Errorf("%s: %w", path, err)}
	}
	return nil
}

// values reads n numbers of a file of the index, from number i on.
func (x *index) values(path string, i, n uint64) ([]uint64, error) {
	c, err := openColumn(x.shelf.root, path) // not by column: every read of a record comes here
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

// placeOf is the place of a reader that has seen all records before pos, or all
// that exist.
func (x *index) placeOf(pos uint64) (file *appendlog.File, p appendlog.Place, err error) {
	err = x.askAnyway(func(error) error {
		if file, p = x.file, x.seen.Place; x.open != nil {
			p = x.open.Place
		}
		i := max(pos, x.format.First) - x.format.First
		if i >= p.Records {
			return nil
		}
		offset, err := x.offset(i)
		if err != nil {
			return err
		}
		p = appendlog.Place{Lines: int64(i), Records: i}
		p.Guard, err = appendlog.GuardAt(x.file, offset)
		return err
	})
	return file, p, err
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
	if c := x.base.list(list); c != nil {
		if k < c.Count {
			if positions, err = x.values(x.shelf.list(&x.base, c), k, min(n, c.Count-k)); err != nil {
				return nil, err
			}
			k, n = c.Count, n-uint64(len(positions))
		}
		k -= c.Count
	}
	return append(positions, x.recent.lists[list][k:k+n]...), nil
}

// upTo is how many records of a list are at pos or before it.
func (x *index) upTo(list string, pos uint64) (n uint64, err error) {
	recent := x.recent.lists[list]
	n = uint64(sort.Search(len(recent), func(i int) bool { return recent[i] > pos }))
	c := x.base.list(list)
	if c == nil {
		return n, nil
	}
	if n > 0 { // those on the disk come before
		return c.Count + n, nil
	}
	err = x.column(x.shelf.list(&x.base, c), func(col column) (err error) {
		n, err = search(c.Count, func(i uint64) (bool, error) {
			p, err := col.at(i)
			return p > pos, err
		})
		return err
	})
	return n, err
}

// withHash returns the positions of the records with a key of that hash.
func (x *index) withHash(hash uint64) (found []uint64, err error) {
	for _, r := range x.base.Runs {
		err := x.column(x.shelf.keys(&x.base, r), func(c column) error {
			in, err := c.withHash(r.Count, hash)
			found = append(found, in...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, k := range x.recent.keys {
		if k.hash == hash {
			found = append(found, k.pos)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// lastKey is the last key before another one, but not before the lowest; ok is
// false if there is none.
func (x *index) lastKey(lowest, below key) (last key, ok bool, err error) {
	better := func(k key) {
		if k.compare(below) < 0 && k.compare(lowest) >= 0 && (!ok || last.compare(k) < 0) {
			last, ok = k, true
		}
	}
	for _, r := range x.base.Runs {
		err := x.column(x.shelf.keys(&x.base, r), func(c column) error {
			n, err := c.before(r.Count, below)
			if err != nil || n == 0 {
				return err
			}
			k, err := c.key(n - 1)
			if err == nil {
				better(k)
			}
			return err
		})
		if err != nil {
			return key{}, false, err
		}
	}
	for _, k := range x.recent.keys {
		better(k)
	}
	return last, ok, nil
}
