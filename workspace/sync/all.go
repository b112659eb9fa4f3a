package sync

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"

	"handoff/workspace/reconcile"
)

// share is some of the tasks of a run and what became of them.
type share struct {
	tasks []string
	out   []Result
	done  chan struct{} // closed when out is complete
}

// shareTasks is how many tasks one worker takes at once, and how many wait for one
// fsync together. It is small because the lock is held meanwhile.
const shareTasks = 32

// All reconciles tasks with a worker for each processor, and passes the results to
// emit, in the order of the tasks and on the caller's goroutine. The number of
// results that wait is bounded.
func (s *Syncer) All(ctx context.Context, tasks []string, emit func(Result) error) error {
	if len(tasks) > shareTasks {
		return s.Shared(ctx, slices.Chunk(tasks, shareTasks), emit)
	}
	for _, dir := range tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := emit(s.task(ctx, &reconcile.Loader{Cache: s.Cache}, dir)); err != nil {
			return err
		}
	}
	return nil
}

// Shared is All for tasks that come in shares, as they are found.
func (s *Syncer) Shared(ctx context.Context, tasks iter.Seq[[]string], emit func(Result) error) error {
	workers := runtime.GOMAXPROCS(0)
	s.blobs = s.Store.Opened()
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
			load := reconcile.Loader{Cache: s.Cache}
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

// deal passes the shares to the workers until the context ends.
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
		todo <- sh // workers receive until todo is closed, so this never blocks for good
	}
}

func (s *Syncer) do(ctx context.Context, load *reconcile.Loader, sh *share) {
	defer close(sh.done)
	sh.out = make([]Result, 0, len(sh.tasks))
	var ready []int
	for i, dir := range sh.tasks {
		if ctx.Err() != nil {
			break // what is planned is still carried out, which is quick
		}
		one, something := s.look(ctx, load, dir)
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

// applyAll carries out the plans of several tasks, which wait for one fsync
// together. It returns those that must be planned again, one by one.
func (s *Syncer) applyAll(ctx context.Context, all []Result, ready []int) (again []int) {
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
		for n, err := range reconcile.ApplyAll(s.Root, s.Store, plans) {
			s.SetAside.Note(plans[n].Dir, err)
			if err != nil {
				again = append(again, these[n])
			}
		}
		return nil
	})
	if err != nil {
		return ready // without the lock: each of them reports that
	}
	return again
}
