package receipts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"handoff/workspace/outbox"
	"handoff/workspace/sync"
)

// shared records a step that the metadata of the task shows, too, and brings it up to date. If
// the process is killed between the two, the next sync does it.
func (b *Book) shared(ctx context.Context, f found, request outbox.Request) (Record, error) {
	if err := b.owe(f); err != nil {
		return Record{}, err
	}
	r, err := b.step(ctx, f, request)
	if err == nil && !r.Later() {
		r.Unlinked = b.relinkOf(ctx, f)
	}
	return r, err
}

// owe records that the metadata of a handoff's task must show the step that follows.
func (b *Book) owe(f found) error {
	if f.Name.Dir == "" {
		return nil // in no task folder
	}
	err := sync.Owe(b.ws, f.Path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil // in the sandbox of an agent nothing but the receipts can be written there; after a kill `verify` finds it
	}
	return err
}

// relinkOf brings the metadata of a handoff's task up to date, if the document exists.
func (b *Book) relinkOf(ctx context.Context, f found) error {
	if f.doc == nil {
		return nil
	}
	return b.relink(ctx, f.Name.Dir)
}

// relink brings the metadata of a task up to date.
func (b *Book) relink(ctx context.Context, dir string) error {
	if dir == "" {
		return nil // in no task folder
	}
	err := sync.Run(ctx, b.ws, sync.Request{Tasks: []string{dir}}, func(s sync.Result) error { return s.Err })
	if err != nil {
		err = fmt.Errorf("recorded, but the metadata is not up to date: %w (`handoff sync %s` tries again)", err, dir)
	}
	return err
}
