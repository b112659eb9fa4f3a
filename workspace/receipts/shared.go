package receipts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"handoff/internal/file/regular"
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
		r.Unshared = f.doc != nil && f.Name.Dir == "" && b.ws.Config.Store.IsFiles() && hasRemote(b.ws.Root)
	}
	return r, err
}

// hasRemote reports whether the repository of a workspace has a remote, from which others have clones. It runs no git: each
// step asks.
func hasRemote(root string) bool {
	_, common, err := regular.GitDirs(regular.GitTop(root))
	if err != nil || common == "" {
		return false
	}
	src, err := os.ReadFile(filepath.Join(common, "config"))
	return err == nil && bytes.Contains(src, []byte(`[remote "`))
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
