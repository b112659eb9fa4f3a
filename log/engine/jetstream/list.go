package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"handoff/log/engine"
)

// together is how many requests are sent at once.
const together = 32

// List returns the logs whose names begin with a prefix.
func (e *Engine) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	return func(yield func(engine.Info, error) bool) {
		names, err := e.names(ctx, prefix)
		for part := range slices.Chunk(names, 8*together) {
			if err != nil {
				break
			}
			var infos []listed
			infos, err = e.infos(ctx, part)
			for i := 0; i < len(infos) && err == nil; i++ {
				if !yield(infos[i].Info, infos[i].foreign) {
					return
				}
			}
		}
		if err != nil {
			yield(engine.Info{}, fmt.Errorf("%s: %w", e.Name(), err))
		}
	}
}

// names are the names of logs, in order.
func (e *Engine) names(ctx context.Context, prefix string) (names []string, err error) {
	subjects, err := e.subjects(ctx, e.filter(prefix))
	for _, subject := range subjects {
		if log, ok := e.logOf(subject); ok && strings.HasPrefix(log, prefix) {
			names = append(names, log)
		}
	}
	slices.Sort(names)
	return names, err
}

// listed is a log, and why it is not one of ours.
type listed struct {
	engine.Info
	foreign error
}

// infos asks for the lengths of logs.
func (e *Engine) infos(ctx context.Context, logs []string) ([]listed, error) {
	infos, errs := make([]listed, len(logs)), make([]error, together)
	var all sync.WaitGroup
	for worker := range together {
		all.Go(func() {
			for i := worker; i < len(logs) && errs[worker] == nil; i += together {
				m, _, err := e.tail(ctx, logs[i])
				if infos[i] = (listed{engine.Info{Log: logs[i], Len: m.end}, nil}); errors.Is(err, errForeign) {
					infos[i].Len, infos[i].foreign = 0, &engine.ForeignError{Log: logs[i], Why: err.Error()}
				} else {
					errs[worker] = err
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return infos, nil
}
