package serving

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
	"time"

	"handoff/workspace"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// serving are the stores that a server keeps open.
type serving struct {
	ws      *workspace.Workspace
	threads *threads.Threads // nil for the tapes of a home of Bub, which are in no store
	tapes   *tapes.Tapes
	only    error // why it only reads; nil if it writes, too
}

// openServing opens the stores of a workspace. Where the server may not write, it only reads.
func openServing(ctx context.Context, ws *workspace.Workspace) (*serving, error) {
	ws.Options.Elsewhere = nil // clients read this workspace only
	th, err := threads.In(ctx, ws, true)
	only := err
	if mayNotWrite(err) {
		th, err = threads.In(ctx, ws, false)
	}
	if err != nil {
		return nil, err
	}
	ta, err := tapes.In(ws, "", only == nil)
	if err != nil {
		return nil, errors.Join(err, th.Close())
	}
	return &serving{ws, th, ta, only}, nil
}

// mayNotWrite reports whether something failed because it may not be written there.
func mayNotWrite(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

func (s *serving) close() error {
	defer s.ws.Close() // another store would write to the same files
	err := s.tapes.Close()
	if s.threads != nil {
		err = errors.Join(s.threads.Close(), err)
	}
	return err
}

// store is the address of the store.
func (s *serving) store() string { return s.ws.Config.Store.String() }

// lookEvery is the time between two looks at the configuration.
const lookEvery = 2 * time.Second

// replaced polls the configuration until it names another store, and opens that. failed
// gets the error of a store that cannot be opened, once. The result is nil if the context
// ends.
func (s *serving) replaced(ctx context.Context, every time.Duration, open func() (*workspace.Workspace, error), failed func(error)) *serving {
	seen := s.ws
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
		if s.threads == nil || !seen.Changed() {
			continue
		}
		fresh, err := open()
		if err != nil {
			continue // requests report it; it may be half written
		}
		if seen = fresh; fresh.Config.Store.String() == s.store() {
			continue
		}
		next, err := openServing(ctx, fresh)
		if err == nil {
			return next
		}
		failed(err)
	}
}
