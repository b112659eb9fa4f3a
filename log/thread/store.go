package thread

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/journal"
	"handoff/internal/state/names"
	"handoff/log/artifact"
)

// Options configure a store.
type Options struct {
	// Workspace is written to the first frame of each thread: the root of the
	// workspace. "" means the folder above the store's.
	Workspace string
	// Root is the trusted folder that the store is below: no symlink is followed
	// from there on. "" means the store's own folder.
	Root string
	// Artifacts stores bundles and summaries; handoffs and compactions need it.
	Artifacts *artifact.Store
	// Now is the clock, time.Now if nil; NewID generates the ids of threads, runs
	// and events, [NewUUID] if nil. Many goroutines call both at once.
	Now   func() time.Time
	NewID func() string
	// Batch delays the flush of events to the disk: see [appendlog.Options]. 0
	// means that they are flushed before an append returns.
	Batch time.Duration
	// Progress reports how much of a journal is indexed, in bytes.
	Progress func(path string, done, total int64)
	// Healed is called after a torn last line was saved and cut off.
	Healed func(path string, torn journal.Torn)
	// Upstream, if not nil, returns the log of a store that a file is a copy of.
	Upstream func(path string) journal.Upstream
	// First, if not nil, is called before a thread is written to or cut, to carry out what was
	// requested earlier. Its error ends the operation.
	First func(ctx context.Context, id string) error
}

// Store is the threads of a workspace, and their runs:
//
//	threads/<id>.jsonl    one thread, RIP's frames
//	threads.jsonl         what frames have no place for: see catalogue
//	sessions/<id>.jsonl   one run
//	sessions.jsonl        runs that had ended before they were written: see finished
//	tasks/<id>.jsonl      one task of RIP
//
// Any number of goroutines and processes may use the same store. Errors are
// handoff.ErrInvalid for requests that are invalid for any store,
// fs.ErrNotExist, and fs.ErrExist for a key that another request used; all
// others are I/O errors.
type Store struct {
	folder    string
	options   Options
	journals  journal.Pool
	catalogue catalogue
	finished  finished
	closed    chan struct{}
	close     func() // closes that, once
}

// Open opens the store in a folder, usually `.handoff`. It reads and creates
// nothing: a store that does not exist is empty.
func Open(folder string, o Options) (*Store, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if o.Workspace == "" {
		o.Workspace = filepath.Dir(folder)
	}
	if o.Root == "" {
		o.Root = folder
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = NewUUID
	}
	s := &Store{folder: folder, options: o, closed: make(chan struct{})}
	s.close = sync.OnceFunc(func() { close(s.closed) })
	s.catalogue.storeFile = storeFile{store: s, name: names.Catalogue, format: catalogueFormat, most: maxEvent}
	s.finished.storeFile = storeFile{store: s, name: FinishedFile, format: finishedFormat, most: maxFinished}
	return s, nil
}

// Close closes all files. Followers end with fs.ErrClosed.
func (s *Store) Close() error {
	s.close()
	return s.journals.Close()
}

// Root is the trusted folder that the store is below.
func (s *Store) Root() string { return s.options.Root }

func (s *Store) root() nofollow.Root { return nofollow.Root(s.options.Root) }

// Workspace is the workspace of new threads.
func (s *Store) Workspace() string { return s.options.Workspace }

const suffix = names.Suffix

// path is the file of a stream with a valid id.
func (s *Store) path(kind StreamKind, id string) string {
	folder := names.Threads
	switch kind {
	case Session:
		folder = names.Sessions
	case Task:
		folder = names.Tasks
	}
	return filepath.Join(s.folder, folder, id+suffix)
}

// names are the ids of all streams of a kind with a file, sorted.
func (s *Store) names(kind StreamKind) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(s.path(kind, "")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), suffix); ok && CheckID(id) == nil && e.Type().IsRegular() {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// maxEvent is the maximum length of a line, in bytes.
const maxEvent = 16 << 20

// sessionBatch delays the flush of a run's output: a program writes faster than
// each line can be flushed.
const sessionBatch = 20 * time.Millisecond

func (s *Store) streamOptions(kind StreamKind, path string) journal.Options {
	o := s.journalOptions(path)
	if kind == Session {
		o.Batch = max(o.Batch, sessionBatch)
	}
	return o
}

func (s *Store) journalOptions(path string) journal.Options {
	o := journal.Options{Root: s.root(), MaxLine: maxEvent, Batch: s.options.Batch}
	if s.options.Progress != nil {
		o.Progress = func(done, total int64) { s.options.Progress(path, done, total) }
	}
	if s.options.Healed != nil {
		o.Healed = func(t journal.Torn) { s.options.Healed(path, t) }
	}
	if s.options.Upstream != nil {
		o.Upstream = s.options.Upstream(path)
	}
	return o
}

// open returns the journal of an existing stream; the caller releases it.
func (s *Store) open(ctx context.Context, kind StreamKind, id string) (j *journal.Journal, release func(), err error) {
	if err := CheckID(id); err != nil {
		return nil, nil, err
	}
	path := s.path(kind, id)
	j, release, err = s.journals.Take(path, func() (*journal.Journal, error) {
		return journal.Open(ctx, path, format(kind, id), s.streamOptions(kind, path))
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, notFound(kind, id)
	}
	return j, release, err
}

// nameOf is what users call a stream of that kind.
func nameOf(kind StreamKind) string {
	switch kind {
	case Continuity:
		return "thread"
	case Session:
		return "run"
	}
	return string(kind)
}

// UnknownError: the store has no such stream. It is fs.ErrNotExist.
type UnknownError struct {
	Kind StreamKind
	ID   string // valid
}

// Name is what users call a stream of that kind.
func (e *UnknownError) Name() string { return nameOf(e.Kind) }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s %s: no such %s here: %v", e.Name(), e.ID, e.Name(), fs.ErrNotExist)
}

func (e *UnknownError) Is(target error) bool { return target == fs.ErrNotExist }

func notFound(kind StreamKind, id string) error { return &UnknownError{kind, id} }

// create creates a stream with these events, all or nothing. If it exists it is
// fs.ErrExist.
func (s *Store) create(ctx context.Context, kind StreamKind, id string, events []Event) error {
	lines, err := linesOf(kind, events)
	if err != nil {
		return err
	}
	return s.createLines(ctx, kind, id, lines)
}

func (s *Store) createLines(ctx context.Context, kind StreamKind, id string, lines []journal.Line) error {
	path := s.path(kind, id)
	if err := s.root().MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	j, err := journal.Create(ctx, path, format(kind, id), s.streamOptions(kind, path), lines)
	if err != nil {
		return err
	}
	return j.Close()
}

// frames puts envelopes around payloads.
func (s *Store) frames(id string, first uint64, payloads ...Payload) []Event {
	events := make([]Event, len(payloads))
	now := uint64(s.options.Now().UnixMilli())
	for i, p := range payloads {
		events[i] = Event{ID: s.options.NewID(), StreamID: id, TimestampMS: now, Seq: first + uint64(i), Payload: p}
		switch p := p.(type) { // their frames name themselves
		case *CheckpointCreated:
			p.CheckpointID = events[i].ID
		case *ScheduleDecided:
			p.DecisionID = events[i].ID
		}
	}
	return events
}

// linesOf encodes events. Events that cannot be encoded are the caller's error.
func linesOf(kind StreamKind, events []Event) ([]journal.Line, error) {
	lines := make([]journal.Line, len(events))
	for i, e := range events {
		line, err := e.Line()
		if err == nil && e.Kind() != kind {
			err = fmt.Errorf("%s is not an event of a %s", e.Payload.Type(), nameOf(kind))
		}
		if err == nil && len(line) > maxEvent {
			err = refuse("%s: %d bytes, at most %d: store it as an artifact instead", e.Payload.Type(), len(line), maxEvent)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", err, handoff.ErrInvalid)
		}
		facts := factsOf(e)
		lines[i] = journal.Line{Text: line, Facts: &facts}
	}
	return lines, nil
}

// first carries out what was requested earlier for a thread: see [Options.First].
func (s *Store) first(ctx context.Context, id string) error {
	if s.options.First == nil {
		return nil
	}
	return s.options.First(ctx, id)
}

// append adds events to a thread, in one write.
func (s *Store) append(ctx context.Context, id string, payloads ...Payload) ([]Event, error) {
	return onThread(ctx, s, id, func(j *journal.Journal) ([]Event, error) { return s.appendTo(ctx, j, Continuity, id, payloads...) })
}

func (s *Store) appendTo(ctx context.Context, j *journal.Journal, kind StreamKind, id string, payloads ...Payload) ([]Event, error) {
	return s.appendIf(ctx, j, kind, id, journal.Any(), func() ([]Payload, error) { return payloads, nil })
}

func (s *Store) appendIf(ctx context.Context, j *journal.Journal, kind StreamKind, id string, expect journal.Expect, build func() ([]Payload, error)) (events []Event, err error) {
	if kind == Continuity {
		if err := s.first(ctx, id); err != nil {
			return nil, err
		}
	}
	_, err = j.Append(ctx, expect, func(next uint64) ([]journal.Line, error) {
		payloads, err := build()
		if err != nil {
			return nil, err
		}
		events = s.frames(id, next, payloads...)
		return linesOf(kind, events)
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// one appends an event to a thread, with others after it.
func (s *Store) one(ctx context.Context, id string, p Payload, more ...Payload) (Event, error) {
	events, err := s.append(ctx, id, append([]Payload{p}, more...)...)
	if err != nil {
		return Event{}, err
	}
	return events[0], nil
}

// decide appends to a thread what look returns, if anything. look reads the thread
// while it is locked, so it sees everything before the events that it returns.
func (s *Store) decide(ctx context.Context, id string, look func(*journal.Journal) ([]Payload, error)) ([]Event, error) {
	return onThread(ctx, s, id, func(j *journal.Journal) ([]Event, error) {
		return s.appendIf(ctx, j, Continuity, id, journal.Settled(), func() ([]Payload, error) { return look(j) })
	})
}
