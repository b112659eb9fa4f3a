package appendlog

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"handoff/internal/file/atomicfile"
)

// SetAside saves the first line of a strict log that cannot be read and all that follows
// it, and then cuts the log off before it. If nothing would be left, or the log is a copy
// that can be fetched again, the whole file is renamed. Nothing is deleted. Without damage
// it does nothing and returns the zero value.
func (l *Log) SetAside(ctx context.Context) (rest Torn, err error) {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	unlock, err := l.acquire(ctx)
	if err != nil {
		return Torn{}, err
	}
	defer unlock()
	f, size, err := l.Current()
	if err != nil {
		return Torn{}, err
	}
	damage, err := l.damage(f, size)
	if damage == nil || err != nil {
		return Torn{}, err
	}
	l.tail, l.last = tail{}, tail{}
	if damage.Offset == 0 || l.options.Upstream != nil {
		aside, err := l.renameAside()
		return Torn{aside, 0, size}, err
	}
	rest = Torn{Offset: damage.Offset, Bytes: size - damage.Offset}
	if rest.Aside, err = l.saveTorn(f, damage.Offset, size); err == nil {
		err = l.alone()
	}
	if err == nil {
		err = l.cut(f, damage.Offset)
	}
	return rest, err
}

// damage reads the whole file, without the index.
func (l *Log) damage(f *File, size int64) (damage *DamageError, err error) {
	w := l.Walk(f, 0, size, 0, 0)
	for w.Reuse = true; ; {
		_, ok, err := w.Read()
		if errors.As(err, &damage) {
			return damage, nil
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
	}
	if w.records == 0 && l.format.Begun {
		damage = &DamageError{Path: l.path, Line: 1, Err: errNotBegun}
	}
	return damage, nil
}

// renameAside renames the whole file like the rest of a damaged one.
func (l *Log) renameAside() (path string, err error) {
	for n := 1; ; n++ {
		path = l.path + ".torn-0-" + strconv.Itoa(n)
		err = atomicfile.Rename(l.Beside(), l.path, path)
		if !errors.Is(err, fs.ErrExist) {
			return path, err
		}
	}
}
