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

// shareTasks is enough work to be worth waking a thread for.
const shareTasks = 16

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
		if err := emit(s.task(ctx, nil, dir)); err != nil {
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
			var load reconcile.Loader
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
	for _, dir := range sh.tasks {
		if ctx.Err() != nil {
			return
		}
		sh.out = append(sh.out, s.task(ctx, load, dir))
	}
}
