package workspace

import (
	"context"
	"errors"
	"io"

	"handoff/artifact"
)

// PutArtifact stores the content of r, at most [artifact.DefaultMax] bytes. Unless
// want is the zero ID, the bytes must hash to it, else the error is
// [*artifact.MismatchError] and nothing is stored.
func (w *Workspace) PutArtifact(r io.Reader, want artifact.ID) (id artifact.ID, size int64, outcome artifact.Outcome, err error) {
	CreateStateDir(w.Root)
	store, err := w.Artifacts()
	if err != nil {
		return id, 0, 0, err
	}
	defer store.Close()
	return store.PutFrom(r, want)
}

// CheckedArtifact is a blob and its problem.
type CheckedArtifact struct {
	ID  artifact.ID // zero for a file that is not a blob
	Err error       // nil if its bytes hash to its id
}

// VerifyArtifacts compares blobs with their ids: the given ones, or all if none is given.
func (w *Workspace) VerifyArtifacts(ctx context.Context, ids []artifact.ID, emit func(CheckedArtifact) error) error {
	store, err := w.Artifacts()
	if err != nil {
		return err
	}
	defer store.Close()
	for _, id := range ids {
		if err := emit(CheckedArtifact{id, store.Verify(id)}); err != nil {
			return err
		}
	}
	if len(ids) > 0 {
		return nil
	}
	for info, err := range store.List() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = store.Verify(info.ID)
		}
		if err := emit(CheckedArtifact{info.ID, err}); err != nil {
			return err
		}
	}
	return nil
}

// ReadArtifact writes the bytes of a blob from offset on: at most n, or all if n is
// negative. A damaged blob is an [*artifact.DamagedError] and nothing is written, unless
// only a part was requested.
func (w *Workspace) ReadArtifact(ctx context.Context, out io.Writer, id artifact.ID, offset, n int64) error {
	store, err := w.Artifacts()
	if err != nil {
		return err
	}
	defer store.Close()
	if offset == 0 && n < 0 {
		if err := store.Verify(id); err != nil && !errors.Is(err, artifact.ErrNotHashed) {
			return err
		}
	}
	for n != 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		page := int64(1 << 20)
		if n > 0 {
			page = min(page, n)
		}
		data, _, err := store.Range(id, offset, page)
		if err != nil {
			return err
		}
		if len(data) == 0 {
			return nil
		}
		if _, err := out.Write(data); err != nil {
			return err
		}
		offset += int64(len(data))
		if n > 0 {
			n -= int64(len(data))
		}
	}
	return nil
}
