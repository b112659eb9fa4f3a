package tape

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"handoff/internal/journal"
	"handoff/internal/state/names"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// The log of a store only grows: its file can be neither renamed nor replaced. So a
// tape in a store is a series of logs, its generations: NAME.jsonl, NAME@2.jsonl, …
// The last record of each but the newest is its seal, an event "tape.closed" with
// "sealed": true. A seal is appended like any entry, at the length that its writer has
// seen. So if a seal and an entry are written at the same time, on any machines, one
// comes first: the entry is before the seal, or its writer finds the seal and decides
// again in the next generation.
//
// The first process that finds the seal of a reset begins the next generation. After a
// delete, merge or discard the next writer begins it; until then the tape does not
// exist. Sealed generations are archives, and stay in their place.
//
// Versions that do not know seals refuse to append after an event "tape.closed", as
// after that of a merged fork, and do not treat NAME@2 as the name of a tape.

// errSealed: the file is of a generation that is over.
var errSealed = errors.New("the tape was reset, deleted or merged at this moment: try again")

// generationPath is the file of a generation, from 1.
func (s *Store) generationPath(name string, n int) string {
	return s.inTapes(names.Generation(name, n) + suffix)
}

// newest is the newest generation that has a file, 1 if none has.
func (t *Tape) newest() int {
	s := t.store
	s.mu.Lock()
	n := max(1, s.generations[t.name])
	s.mu.Unlock()
	if n > 1 && !exists(s.generationPath(t.name, n)) { // the files were deleted
		n = 1
	}
	before := n
	for exists(s.generationPath(t.name, n+1)) {
		n++
	}
	if n != before || n == 1 {
		s.mu.Lock()
		s.generations[t.name] = n
		s.mu.Unlock()
	}
	return n
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// live is the file that the tape's entries are in, which need not exist. It begins the
// generation after a reset if that was interrupted.
func (t *Tape) live(ctx context.Context) (path string, err error) {
	if t.bare || t.pinned {
		return t.path, nil
	}
	n := t.newest()
	path = t.store.generationPath(t.name, n)
	c, sealed := t.store.sealOf(path)
	if !sealed {
		return path, nil
	}
	next := t.store.generationPath(t.name, n+1)
	if c.As == lineage.SealedReset {
		err = t.beginAfter(ctx, path, next, c)
	}
	return next, err
}

// at is live for readers: while the next generation can neither be read nor begun, as
// without the store, they read the previous one.
func (t *Tape) at() string { return t.atIn(context.Background()) }

func (t *Tape) atIn(ctx context.Context) string {
	path, err := t.live(ctx)
	if err != nil {
		return t.store.generationPath(t.name, t.newest())
	}
	return path
}

// fixed is the tape in the file that it has now.
func (t *Tape) fixed(ctx context.Context) (*Tape, error) {
	path, err := t.live(ctx)
	return t.pin(path), err
}

func (t *Tape) pin(path string) *Tape {
	pinned := *t
	pinned.path, pinned.pinned = path, true
	return &pinned
}

// likely is fixed without looking for a seal, for writers, which find it before they
// write.
func (t *Tape) likely() *Tape {
	if t.bare || t.pinned {
		return t
	}
	return t.pin(t.store.generationPath(t.name, t.newest()))
}

// movedOn reports whether an error means that the tape continues in another file than
// a writer has tried.
func (t *Tape) movedOn(ctx context.Context, from string, err error) (moved bool, _ error) {
	if !errors.Is(err, errSealed) || t.pinned {
		return false, err
	}
	now, err := t.live(ctx)
	if err == nil && now == from {
		err = fmt.Errorf("%s: the end of the tape (an event %s) is followed by something else: another program wrote to the file", from, entry.EventClosed)
	}
	return err == nil, err
}

// sealEnd is how much of a file is read to find its seal, which is shorter.
const sealEnd = 8 << 10

// sealOf is the seal that a file ends with.
func (s *Store) sealOf(path string) (c lineage.Closing, sealed bool) {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
		return c, false
	}
	s.mu.Lock()
	known, looked := s.seals[path]
	s.mu.Unlock()
	if looked && known.size == st.Size() && known.modified.Equal(st.ModTime()) {
		return known.Closing, known.sealed
	}
	c, sealed, err = s.readSeal(path, st.Size())
	if err == nil {
		s.mu.Lock()
		s.seals[path] = lookedAt{st.Size(), st.ModTime(), c, sealed}
		s.mu.Unlock()
	}
	return c, sealed
}

// lookedAt is the end of a file when it was last examined.
type lookedAt struct {
	size     int64
	modified time.Time
	lineage.Closing
	sealed bool
}

func (s *Store) readSeal(path string, size int64) (c lineage.Closing, sealed bool, err error) {
	file, err := s.rootOf(path).OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return c, false, err
	}
	defer file.Close()
	text := make([]byte, min(size, sealEnd))
	if n, err := file.ReadAt(text, size-int64(len(text))); err != nil && err != io.EOF {
		return c, false, err
	} else {
		text = text[:n]
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	line := bytes.TrimSuffix(text, []byte("\n"))
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	if !bytes.Contains(line, []byte(`"sealed"`)) {
		return c, false, nil
	}
	entries, err := entry.Parse(line)
	if err != nil || len(entries) != 1 {
		return c, false, nil
	}
	c, sealed = lineage.SealIn(&entries[0])
	return c, sealed, nil
}

// IsSeal reports whether an entry closes a generation of a tape: nothing can be appended
// after it.
func IsSeal(e Entry) bool {
	_, sealed := lineage.SealIn(&e)
	return sealed
}

// sealing reports whether the tape's file is ended by a seal instead of being replaced.
func (t *Tape) sealing() bool {
	if t.bare {
		return false
	}
	if t.store.upstream(t.path) != nil || t.newest() > 1 {
		return true
	}
	_, sealed := t.store.sealOf(t.path)
	return sealed
}

// seal ends the tape's file, and returns it, below the store's folder. may is called
// with the tape locked, and returns an error if it must not be ended.
func (t *Tape) seal(ctx context.Context, c lineage.Closing, may func(*journal.Journal) error) (archived string, err error) {
	c.Sealed = true
	event, err := entry.NewEvent(entry.EventClosed, c)
	if err != nil {
		return "", err
	}
	for {
		here, err := t.fixed(ctx)
		if err != nil {
			return "", err
		}
		err = here.appendSeal(ctx, event, may)
		if moved, err := t.movedOn(ctx, here.path, err); !moved {
			return t.store.relative(here.path), err
		}
	}
}

func (t *Tape) appendSeal(ctx context.Context, event Entry, may func(*journal.Journal) error) error {
	j, release, err := t.openExisting(ctx)
	if err != nil {
		return err
	}
	defer release()
	_, err = t.appendTo(ctx, j, journal.Final(), func(j *journal.Journal, _ uint64) ([]Entry, error) {
		if c, ok, err := lineage.ClosingOf(j); err != nil || ok && c.Sealed {
			return nil, errors.Join(err, errSealed)
		}
		if may != nil {
			if err := may(j); err != nil {
				return nil, err
			}
		}
		return []Entry{event}, nil
	})
	return err
}

// beginAfter creates the generation after a reset, unless another process has.
func (t *Tape) beginAfter(ctx context.Context, sealed, next string, c lineage.Closing) error {
	err := fs.ErrNotExist
	if up := t.store.upstream(next); up != nil {
		err = up.Fetch(ctx)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var f lineage.Event
	isFork := false
	err = t.store.read(sealed, func(snap *journal.Snapshot) (err error) {
		f, isFork, err = lineage.EventOf(snap)
		return err
	})
	if err != nil {
		return err
	}
	r := ResetRequest{Key: c.Key}
	entries, err := r.beginning(f, isFork, t.store.relative(sealed))
	if err == nil {
		_, err = t.pin(next).create(ctx, entries)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return err
}

// sealedGenerations are the files of the generations that are over, the newest first.
func (t *Tape) sealedGenerations() (paths []string) {
	if t.bare {
		return nil
	}
	n := t.newest()
	if _, sealed := t.store.sealOf(t.store.generationPath(t.name, n)); !sealed {
		n--
	}
	for ; n > 0; n-- {
		paths = append(paths, t.store.generationPath(t.name, n))
	}
	return paths
}

// isGeneration reports whether a path is that of a generation, not of an archive.
func (s *Store) isGeneration(path string) bool { return filepath.Dir(path) == s.inTapes() }

// wasFork is an error if the tape is a fork that was merged or discarded in the store,
// perhaps by another machine.
func (t *Tape) wasFork() error {
	c, sealed := t.store.sealOf(t.store.generationPath(t.name, t.newest()))
	if !sealed || c.As != lineage.Merged && c.As != lineage.Discarded {
		return nil
	}
	return fmt.Errorf("tape %s was forked from %s and is %s: create a new fork to continue: %w", t.name, c.Into, c.As, fs.ErrNotExist)
}

// resetSealed is [Tape.Reset] for a tape that is ended by a seal.
func (t *Tape) resetSealed(ctx context.Context, r ResetRequest) (archived string, err error) {
	archived, err = t.seal(ctx, lineage.Closing{As: lineage.SealedReset, Key: r.Key}, func(*journal.Journal) error { return t.resetBefore(r) })
	if err == nil {
		_, err = t.live(ctx)
	}
	return archived, err
}

// deleteSealed is [Tape.Delete] for such a tape.
func (t *Tape) deleteSealed(ctx context.Context) (archived string, err error) {
	return t.seal(ctx, lineage.Closing{As: lineage.SealedDelete}, func(j *journal.Journal) error { return t.notAFork(j) })
}

// sealLine is the content of a file that contains only a seal.
func (t *Tape) sealLine(as string) ([]byte, error) {
	event, err := entry.NewEvent(entry.EventClosed, lineage.Closing{As: as, Sealed: true})
	if err != nil {
		return nil, err
	}
	lines, _, err := t.lines(view.Format.First, []Entry{event})
	if err != nil {
		return nil, err
	}
	return append(lines[0], '\n'), nil
}
