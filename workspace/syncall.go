package workspace

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"

	"handoff/reconcile"
)

// share is some of the tasks of a run and what became of them.
type share struct {
	tasks []string
	out   []Synced
	done  chan struct{} // closed when out is complete
}

// shareTasks is enough work to be worth waking a thread for, and how many tasks
// wait for the disk together. They hold the lock meanwhile, so it is not more.
const shareTasks = 32

// all reconciles tasks, with a worker for each processor, and hands on what
// became of each, in the order of the tasks. Only the caller hands on; what
// waits for it is bounded.
func (s *syncer) all(ctx context.Context, tasks []string, emit func(Synced) error) error {
	if len(tasks) > shareTasks {
		return s.shared(ctx, slices.Chunk(tasks, shareTasks), emit)
	}
	for _, dir := range tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := emit(s.task(ctx, &reconcile.Loader{Cache: s.cache}, dir)); err != nil {
			return err
		}
	}
	return nil
}

// shared is all for tasks that come in shares, each perhaps when it is found.
func (s *syncer) shared(ctx context.Context, tasks iter.Seq[[]string], emit func(Synced) error) error {
	workers := runtime.GOMAXPROCS(0)
	s.blobs = s.store.Opened()
	defer func() {
		s.blobs.Close()
		s.blobs = nil
	}()
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	todo, sent := make(chan *share), make(chan *share, 2*workers)
	running.Go(func() { deal(ctx, tasks, todo, sent) })
	for range workers {
		running.Go(func() {
			load := reconcile.Loader{Cache: s.cache}
			for sh := range todo {
				s.do(ctx, &load, sh)
			}
		})
	}
	for sh := range sent {
		<-sh.done
		for _, one := range sh.out {
			if err := emit(one); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// deal hands out the shares until the context ends.
func deal(ctx context.Context, tasks iter.Seq[[]string], todo, sent chan<- *share) {
	defer close(sent)
	defer close(todo)
	for some := range tasks {
		sh := &share{tasks: some, done: make(chan struct{})}
		select {
		case sent <- sh:
		case <-ctx.Done():
			return
		}
		todo <- sh // a worker always comes, be it to see that there is no hurry any more
	}
}

func (s *syncer) do(ctx context.Context, load *reconcile.Loader, sh *share) {
	defer close(sh.done)
	sh.out = make([]Synced, 0, len(sh.tasks))
	var ready []int
	for i, dir := range sh.tasks {
		if ctx.Err() != nil {
			break // what is planned is carried out: that does not take long
		}
		one, something := s.look(load, dir)
		sh.out = append(sh.out, one)
		if something {
			ready = append(ready, i)
		}
	}
	for _, i := range s.applyAll(ctx, sh.out, ready) {
		sh.out[i] = s.plan(ctx, load, sh.tasks[i])
	}
	for i := range sh.out {
		sh.out[i] = s.finished(ctx, sh.out[i])
	}
}

// applyAll carries out the plans of several tasks, which wait for the disk
// together. It returns those that must be planned again, each by itself.
func (s *syncer) applyAll(ctx context.Context, all []Synced, ready []int) (again []int) {
	if len(ready) < 2 {
		return ready
	}
	var these []int
	var plans []reconcile.Plan
	err := s.Locked(ctx, func() error {
		for _, i := range ready {
			if s.clear(all[i].Plan) != nil {
				again = append(again, i)
				continue
			}
			these, plans = append(these, i), append(plans, all[i].Plan)
		}
		for n, err := range reconcile.ApplyAll(s.Root, s.store, plans) {
			s.kept.note(plans[n].Dir, err)
			if err != nil {
				again = append(again, these[n])
			}
		}
		return nil
	})
	if err != nil {
		return ready // the lock cannot be had, which each of them says
	}
	return again
}
