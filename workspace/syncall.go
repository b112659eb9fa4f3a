package workspace

import (
	"context"
	"runtime"
	"sync"
)

// share is some of the tasks of a run and what became of them.
type share struct {
	tasks []string
	out   []Synced
	done  chan struct{} // closed when out is complete
}

// shareTasks is enough work to be worth waking a thread for.
const shareTasks = 16

// manyTasks is when listing all blobs costs less than asking for some.
const manyTasks = 100

// all reconciles tasks, with a worker for each processor, and hands on what
// became of each, in the order of the tasks. Only the caller hands on; what
// waits for it is bounded.
func (s *syncer) all(ctx context.Context, tasks []string, emit func(Synced) error) error {
	workers := min(runtime.GOMAXPROCS(0), (len(tasks)+shareTasks-1)/shareTasks)
	if len(tasks) >= manyTasks {
		var err error
		if s.present, err = s.store.Present(); err != nil {
			return err
		}
		defer func() { s.present = nil }()
	}
	if workers < 2 {
		for _, dir := range tasks {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := emit(s.task(ctx, dir)); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	todo, sent := make(chan *share), make(chan *share, 2*workers)
	running.Go(func() { deal(ctx, tasks, todo, sent) })
	for range workers {
		running.Go(func() {
			for sh := range todo {
				s.do(ctx, sh)
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

// deal hands out the tasks in shares until the context ends.
func deal(ctx context.Context, tasks []string, todo, sent chan<- *share) {
	defer close(sent)
	defer close(todo)
	for len(tasks) > 0 {
		n := min(shareTasks, len(tasks))
		sh := &share{tasks: tasks[:n], done: make(chan struct{})}
		tasks = tasks[n:]
		select {
		case sent <- sh:
		case <-ctx.Done():
			return
		}
		todo <- sh // a worker always comes, be it to see that there is no hurry any more
	}
}

func (s *syncer) do(ctx context.Context, sh *share) {
	defer close(sh.done)
	for _, dir := range sh.tasks {
		if ctx.Err() != nil {
			return
		}
		sh.out = append(sh.out, s.task(ctx, dir))
	}
}
