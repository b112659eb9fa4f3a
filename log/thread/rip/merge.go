package rip

import (
	"cmp"
	"container/heap"
	"context"
	"errors"

	"handoff/log/thread"
)

// merge reads several streams by time, each in its own order.
type merge []*reader

// pageBytes is about how much of each stream is in memory at once.
const pageBytes = 16 << 10

// reader reads a stream page by page, so no file stays open between pages.
type reader struct {
	key
	store *thread.Store
	next  uint64
	page  []thread.Event
}

func (r *reader) fill() error {
	if len(r.page) > 0 {
		return nil
	}
	size := 0
	r.page = nil
	for e, err := range r.store.StreamEvents(r.kind, r.id, r.next) {
		if err != nil {
			return err
		}
		r.page = append(r.page, e)
		r.next = e.Seq + 1
		line, _ := e.Line()
		if size += len(line); size > pageBytes {
			break
		}
	}
	return nil
}

func (m merge) Len() int      { return len(m) }
func (m merge) Swap(i, k int) { m[i], m[k] = m[k], m[i] }
func (m *merge) Push(x any)   { *m = append(*m, x.(*reader)) }

func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

// Less sorts threads before runs of the same time: the thread's event on a run's
// start comes before the run.
func (m merge) Less(i, k int) bool {
	a, b := m[i], m[k]
	return cmp.Or(cmp.Compare(a.page[0].TimestampMS, b.page[0].TimestampMS), cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id)) < 0
}

func (m merge) each(ctx context.Context, do func(line []byte) error) error {
	for _, r := range m {
		if err := r.fill(); err != nil {
			return err
		}
	}
	heap.Init(&m)
	for len(m) > 0 {
		r := m[0]
		line, err := r.page[0].Line()
		if err = errors.Join(err, ctx.Err()); err == nil {
			err = do(line)
		}
		if r.page = r.page[1:]; err == nil {
			err = r.fill()
		}
		if err != nil {
			return err
		}
		if len(r.page) == 0 {
			heap.Pop(&m)
		} else {
			heap.Fix(&m, 0)
		}
	}
	return nil
}
