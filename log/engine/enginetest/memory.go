package enginetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"handoff/log/artifact"
	"handoff/log/engine"
)

// Answer is how an engine answers an append.
type Answer int

const (
	// Right: the append is done and answered.
	Right Answer = iota
	// Lost: the request is lost, so nothing is written. The answer is ErrUnknown.
	Lost
	// Unheard: the records are written, and the answer is lost: ErrUnknown.
	Unheard
	// Late: the answer is ErrUnknown, and the request arrives just before the next one.
	Late
	// Away: the store cannot be reached. The answer is ErrUnavailable.
	Away
)

// Memory is an engine in memory. Its zero value is an empty store. A pointer to it is
// a handle, which any number of goroutines may use.
type Memory struct {
	// Answers are the answers to the next appends. All others are Right.
	Answers []Answer

	// Most is how many bytes of records it takes at once, as a real store has a limit. 0: any.
	Most int

	mu    sync.Mutex
	logs  map[string][][]byte
	blobs map[string][]byte
	late  [][]engine.Batch
	grown chan struct{} // closed when a log grows; nil if nobody waits
}

// Name is an address that no configuration can have.
func (m *Memory) Name() string { return "memory" }

// Close has no effect.
func (m *Memory) Close() error { return nil }

// Append implements [engine.Logs], with the next of the Answers.
func (m *Memory) Append(ctx context.Context, batches ...engine.Batch) error {
	if err := engine.Check(batches...); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if size := sizeOf(batches); m.Most > 0 && size > m.Most {
		return fmt.Errorf("an append of %d bytes: %w: at most %d are possible", size, engine.ErrTooLarge, m.Most)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, request := range m.late {
		m.write(request) // a conflict is an answer that no caller receives
	}
	m.late = nil
	answer := Right
	if len(m.Answers) > 0 {
		answer, m.Answers = m.Answers[0], m.Answers[1:]
	}
	switch answer {
	case Lost:
		return fmt.Errorf("%w: lost", engine.ErrUnknown)
	case Late:
		m.late = append(m.late, batches)
		return fmt.Errorf("%w: late", engine.ErrUnknown)
	case Away:
		return fmt.Errorf("%w: away", engine.ErrUnavailable)
	case Unheard:
		m.write(batches)
		return fmt.Errorf("%w: unheard", engine.ErrUnknown)
	}
	return m.write(batches)
}

func sizeOf(batches []engine.Batch) (n int) {
	for _, b := range batches {
		for _, r := range b.Records {
			n += len(r)
		}
	}
	return n
}

func (m *Memory) write(batches []engine.Batch) error {
	for _, b := range batches {
		if n := uint64(len(m.logs[b.Log])); n != b.Expected {
			return &engine.ConflictError{Log: b.Log, Expected: b.Expected, Len: n}
		}
	}
	if m.logs == nil {
		m.logs = map[string][][]byte{}
	}
	for _, b := range batches {
		for _, record := range b.Records {
			m.logs[b.Log] = append(m.logs[b.Log], bytes.Clone(record))
		}
	}
	if m.grown != nil {
		close(m.grown)
		m.grown = nil
	}
	return nil
}

// Len implements [engine.Logs].
func (m *Memory) Len(ctx context.Context, log string) (uint64, error) {
	if err := engine.CheckLog(log); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return uint64(len(m.logs[log])), ctx.Err()
}

// Read implements [engine.Logs].
func (m *Memory) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if err := engine.CheckLog(log); err != nil {
			yield(engine.Record{}, err)
			return
		}
		m.mu.Lock()
		records := m.logs[log]
		m.mu.Unlock()
		for n := from; n < uint64(len(records)) || ctx.Err() != nil; n++ {
			if err := ctx.Err(); err != nil {
				yield(engine.Record{}, err)
				return
			}
			if !yield(engine.Record{Number: n, Data: bytes.Clone(records[n])}, nil) {
				return
			}
		}
	}
}

// Watch implements [engine.Logs].
func (m *Memory) Watch(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		for {
			m.mu.Lock()
			if m.grown == nil {
				m.grown = make(chan struct{})
			}
			grown := m.grown
			m.mu.Unlock()
			for record, err := range m.Read(ctx, log, from) {
				if !yield(record, err) || err != nil {
					return
				}
				from++
			}
			select {
			case <-grown:
			case <-ctx.Done():
				yield(engine.Record{}, ctx.Err())
				return
			}
		}
	}
}

// List implements [engine.Logs].
func (m *Memory) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	return func(yield func(engine.Info, error) bool) {
		m.mu.Lock()
		lens := map[string]uint64{}
		for log, records := range m.logs {
			lens[log] = uint64(len(records))
		}
		m.mu.Unlock()
		for _, log := range slices.Sorted(maps.Keys(lens)) {
			if strings.HasPrefix(log, prefix) && !yield(engine.Info{Log: log, Len: lens[log]}, nil) {
				return
			}
		}
	}
}

// Put implements [engine.Blobs].
func (m *Memory) Put(ctx context.Context, id string, size int64, from io.Reader) (created bool, err error) {
	if err := engine.CheckID(id); err != nil {
		return false, err
	}
	data, err := io.ReadAll(io.LimitReader(from, size+1))
	if err != nil {
		return false, err
	}
	if got := artifact.Sum(data); got.String() != id {
		want, _ := artifact.ParseID(id)
		return false, &artifact.MismatchError{Want: want, Got: got}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, stored := m.blobs[id]; stored {
		return false, nil
	}
	if m.blobs == nil {
		m.blobs = map[string][]byte{}
	}
	m.blobs[id] = data
	return true, nil
}

// Get implements [engine.Blobs].
func (m *Memory) Get(ctx context.Context, id string) (io.ReadCloser, error) {
	if err := engine.CheckID(id); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	data, stored := m.blobs[id]
	if !stored {
		return nil, fmt.Errorf("blob %s: %w", id, fs.ErrNotExist)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// Has implements [engine.Blobs].
func (m *Memory) Has(ctx context.Context, id string) (bool, error) {
	if err := engine.CheckID(id); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, stored := m.blobs[id]
	return stored, nil
}

// IDs implements [engine.Blobs].
func (m *Memory) IDs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		m.mu.Lock()
		ids := slices.Sorted(maps.Keys(m.blobs))
		m.mu.Unlock()
		for _, id := range ids {
			if !yield(id, nil) {
				return
			}
		}
	}
}
