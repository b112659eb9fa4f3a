package receipt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/regular"
	"handoff/internal/journal"
)

// Store is the receipts of a repository, or of a workspace without one. It
// keeps no file open, and any number of goroutines and processes may use it.
type Store struct {
	place Place
	// Healed, if not nil, is called after a torn last line, which a killed process
	// left, was moved to another file.
	Healed func(movedTo string)
	// Upstream, if not nil, returns the log of a store that a file is a copy of. Claims
	// are then safe among all that use that store. Histories are read from the files:
	// the caller brings them up to date.
	Upstream func(path string) journal.Upstream
	// Pending, if not nil, returns the steps on a handoff that were acknowledged here and are
	// not recorded yet, because the store was away. Reading a life includes them. They do not
	// count for the store, which decides on them when they are recorded.
	Pending func(path string) []Pending
	// Unchecked allows the first step on a handoff whose document is in no working tree of this
	// repository: the caller has looked, or another machine has it.
	Unchecked bool
}

// Pending is a step that is not recorded yet. It is not allowed if Decide fails.
type Pending struct{ Decide Decision }

// Open returns the receipts at a place. It reads nothing yet.
func Open(place Place) *Store { return &Store{place: place} }

// Place is where the receipts are.
func (s *Store) Place() Place { return s.place }

func (s *Store) file(key string) string { return filepath.Join(s.place.Dir, key+extension) }

const extension = ".jsonl"

func (s *Store) options(key string) journal.Options {
	o := journal.Options{Root: s.place.Root, MaxLine: 1 << 16, Healed: func(torn journal.Torn) {
		if s.Healed != nil {
			s.Healed(torn.Aside)
		}
	}}
	if s.Upstream != nil {
		o.Upstream = s.Upstream(s.file(key))
	}
	return o
}

// Owns reports whether a name in the folder of a [Place] is the name of a history.
func Owns(name string) bool {
	key, ok := strings.CutSuffix(name, extension)
	return ok && len(key) == 2*keyBytes && strings.Trim(key, "0123456789abcdef") == ""
}

// Life is the history of a handoff, by the path of [Place.Path]. A handoff
// without receipts has the zero value.
func (s *Store) Life(path string) (Life, error) {
	l, err := s.read(keyOf(path), path)
	if err == nil {
		s.pending(path, &l)
	}
	return l, err
}

// pending adds the steps that are not recorded yet.
func (s *Store) pending(path string, l *Life) {
	if s.Pending == nil {
		return
	}
	for _, p := range s.Pending(path) {
		steps, err := p.Decide(path, l)
		if err == nil {
			l.Queue(path, steps)
		}
	}
}

// Queue adds steps that are not recorded yet.
func (l *Life) Queue(path string, steps []Step) {
	for _, step := range steps {
		if l.number(path, &step); step.Name() == path {
			l.Apply(step)
			l.queued++
		}
	}
}

// number completes a step that follows: its number, and what it is about unless that is another
// lease of the log.
func (l *Life) number(path string, s *Step) {
	s.Seq = l.lines
	if s.Handoff == "" {
		s.Handoff, s.Part = logOf(path)
	}
}

// Recorded are the steps without those that are not recorded yet.
func (l *Life) Recorded() []Step { return l.Steps[:len(l.Steps)-l.queued] }

// Lives reads the histories of many handoffs.
type Lives struct {
	store  *Store
	listed map[string]bool // the files at the time of the listing; nil without one
	works  bool            // one of them may be of work
}

// few is the number of handoffs for which looking for each file is faster than a
// listing.
const few = 16

// Lives is for reading the histories of some number of handoffs. It lists the
// receipts once, so that a handoff without receipts, as most are, costs no system
// call. It does not for a few handoffs, or if there are many more receipts than
// handoffs.
func (s *Store) Lives(handoffs int) Lives {
	if handoffs < few {
		return Lives{store: s}
	}
	listed := map[string]bool{}
	dir, err := os.Open(s.place.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Lives{store: s, listed: listed}
	}
	if err != nil {
		return Lives{store: s}
	}
	defer dir.Close()
	most := 4 * handoffs
	names, err := dir.Readdirnames(most + 1)
	if len(names) > most || err != nil && !errors.Is(err, io.EOF) {
		return Lives{store: s}
	}
	works := false
	for _, name := range names {
		listed[name] = true
		works = works || strings.HasPrefix(name, workKey)
	}
	return Lives{s, listed, works}
}

// Life is like [Store.Life], for receipts that existed when they were listed.
func (l Lives) Life(path string) (Life, error) {
	if l.listed != nil && !l.has(path) {
		life := Life{}
		l.store.pending(path, &life)
		return life, nil
	}
	return l.store.Life(path)
}

// Untouched reports whether a handoff certainly has no history. It reads none.
func (l Lives) Untouched(path string) bool {
	return l.listed != nil && !l.has(path) && (l.store.Pending == nil || len(l.store.Pending(path)) == 0)
}

// NoWork reports whether certainly no work, such as a task as a whole, has a history.
func (l Lives) NoWork() bool { return l.listed != nil && !l.works && l.store.Pending == nil }

func (l Lives) has(path string) bool {
	if len(l.listed) == 0 {
		return false
	}
	var name [2*keyBytes + len(extension)]byte
	return l.listed[string(append(appendKey(name[:0], path), extension...))]
}

// Work returns the lives of all work that somebody may hold at a time, without what has not
// changed for longer than any lease lasts. The error is about logs that cannot be read.
func (s *Store) Work(now time.Time) (list []Life, err error) {
	names, err := s.names()
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasPrefix(name, workKey) || !Owns(name) {
			continue
		}
		st, gone := os.Lstat(filepath.Join(s.place.Dir, name))
		if gone != nil || now.Sub(st.ModTime()) > maxTTL+maxSkew {
			continue
		}
		all, bad := s.readAll(strings.TrimSuffix(name, extension))
		if err = errors.Join(err, bad); bad != nil || !IsWork(all.name) {
			continue
		}
		for _, l := range all.lives() {
			s.pending(l.Name(), &l)
			list = append(list, l)
		}
	}
	return list, err
}

// Refresh brings the log of a handoff or of work up to date with the store, if there is one.
func (s *Store) Refresh(ctx context.Context, name string) error {
	if s.Upstream == nil {
		return nil
	}
	err := s.Upstream(s.file(keyOf(name))).Fetch(ctx)
	if errors.Is(err, fs.ErrNotExist) { // no such log exists
		return nil
	}
	return err
}

// Claimed is the path and the history of the handoff that a claim is for. A copy that does
// not know the claim may be behind: then the store is asked, and the error is an
// [UnsureError] if it does not answer. The error for a claim without receipts is an
// [UnknownClaimError]; whether the claim is stale is not checked.
func (s *Store) Claimed(ctx context.Context, claim string) (path string, l Life, err error) {
	key, _, err := ParseClaim(claim)
	if err != nil {
		return "", l, err
	}
	all, err := s.readAll(key)
	l = all.of(claim)
	if _, known := l.tokenOf(claim); err == nil && !known && s.Upstream != nil {
		return s.Current(ctx, claim)
	}
	return l.claimed(claim, err)
}

// Current is [Store.Claimed] with the answer of the store, for what a stale claim must not
// do: a copy may lack the claim that has replaced it.
func (s *Store) Current(ctx context.Context, claim string) (path string, l Life, err error) {
	key, _, err := ParseClaim(claim)
	if err != nil {
		return "", l, err
	}
	if s.Upstream != nil {
		err = s.Upstream(s.file(key)).Fetch(ctx)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // else no such log exists
			return "", l, &UnsureError{claim, err}
		}
	}
	all, err := s.readAll(key)
	l = all.of(claim)
	return l.claimed(claim, err)
}

// claimed is the result for a claim that has led to a history.
func (l Life) claimed(claim string, err error) (string, Life, error) {
	if err == nil && len(l.Steps) == 0 {
		err = &UnknownClaimError{claim}
	}
	if err != nil {
		return "", l, err
	}
	return l.Name(), l, nil
}

// maxFile is the most bytes of a journal: a life of fullSteps steps or more. All claims of paths share one. It is not
// shortened: a program that has it open would write on to what was replaced.
const (
	maxFile   = 8 << 20
	fullSteps = 20_000
)

// read is the life of a name in its journal.
func (s *Store) read(key, name string) (Life, error) {
	all, err := s.readAll(key)
	log, part := logOf(name)
	if err == nil && all.name != "" && all.name != log {
		err = fmt.Errorf("%s: is about %q, not %q", s.file(key), all.name, log)
	}
	if err != nil {
		return Life{}, err
	}
	return all.life(part), nil
}

// readAll applies all steps of a journal. It reads the file by itself, because opening a
// journal with its index takes several times as long and `handoff next` reads a thousand. Like
// the journal, it leaves out a torn last line.
func (s *Store) readAll(key string) (l logged, err error) {
	if _, err := os.Lstat(s.file(key)); errors.Is(err, fs.ErrNotExist) {
		return l, nil // as for most handoffs; to open each folder on the way takes six calls
	}
	src, err := s.place.Root.ReadUnlinked(s.file(key), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if errors.As(err, new(*regular.TooLargeError)) {
		return l, fmt.Errorf("%s is full: %w (%d steps or more): once nothing of it is claimed, delete the file, and it begins again", s.file(key), err, fullSteps)
	}
	if err != nil {
		return l, err
	}
	l, line, err := parseLog(src)
	if err != nil {
		return logged{}, fmt.Errorf("%s:%d: %w", s.file(key), line, err)
	}
	return l, nil
}

// Record asks for a decision on a handoff while no other process can decide,
// writes its steps, and returns the life with them once they are on the disk. A
// decision without steps writes nothing. The first step on a handoff that has no document is
// handoff.ErrNoHandoff: see [Store.Unchecked].
func (s *Store) Record(ctx context.Context, path string, decide Decision) (l Life, err error) {
	for {
		l, err = s.append(ctx, path, decide)
		if !errors.Is(err, fs.ErrNotExist) {
			return l, err
		}
		l, err = s.create(ctx, path, decide)
		if !errors.Is(err, fs.ErrExist) {
			return l, err
		}
		if err := ctx.Err(); err != nil { // another process was faster: decide again
			return Life{}, err
		}
	}
}

// create decides on a handoff without receipts. It fails with fs.ErrExist if
// another process creates them first.
func (s *Store) create(ctx context.Context, path string, decide Decision) (l Life, err error) {
	steps, err := decide(path, &l)
	if err != nil || len(steps) == 0 {
		return l, err
	}
	if !s.Unchecked && !IsWork(path) {
		if err := s.place.lacks(path); err != nil {
			return Life{}, err
		}
	}
	lines, err := l.add(path, steps)
	if err != nil {
		return Life{}, err
	}
	if err := atomicfile.MkdirAll(s.place.Root, s.place.Dir, 0o755); err != nil {
		return Life{}, err
	}
	j, err := journal.Create(ctx, s.file(keyOf(path)), format, s.options(keyOf(path)), journal.Lines(lines))
	if err != nil {
		return Life{}, err
	}
	return l, j.Close()
}

// append decides on a handoff with receipts. It fails with fs.ErrNotExist if
// there are none.
func (s *Store) append(ctx context.Context, path string, decide Decision) (l Life, err error) {
	key := keyOf(path)
	j, err := journal.Open(ctx, s.file(key), format, s.options(key))
	if err != nil {
		return l, err
	}
	defer j.Close()
	_, err = j.Append(ctx, journal.Settled(), func(uint64) ([]journal.Line, error) {
		now, err := s.read(key, path)
		if err != nil {
			return nil, err
		}
		l = now
		steps, err := decide(path, &l)
		if err != nil {
			return nil, err
		}
		lines, err := l.add(path, steps)
		return journal.Lines(lines), err
	})
	return l, err
}

// add applies new steps, and returns their lines.
func (l *Life) add(path string, steps []Step) (lines [][]byte, err error) {
	for _, step := range steps {
		l.number(path, &step)
		line, err := step.line()
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
		if step.Name() == path {
			l.Apply(step)
		} else {
			l.lines++
		}
	}
	return lines, nil
}
