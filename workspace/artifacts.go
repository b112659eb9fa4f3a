package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"handoff/document/handoff"
	"handoff/log/artifact"
)

// PutArtifact stores the content of r, at most [artifact.DefaultMax] bytes. Unless
// want is the zero ID, the bytes must hash to it, else the error is
// [*artifact.MismatchError] and nothing is stored.
func (w *Workspace) PutArtifact(r io.Reader, want artifact.ID) (id artifact.ID, size int64, outcome artifact.Outcome, err error) {
	if _, err := w.CreateStateDir(); err != nil {
		return id, 0, 0, err
	}
	store, err := w.Artifacts()
	if err != nil {
		return id, 0, 0, err
	}
	defer store.Close()
	return store.PutFrom(r, want)
}

// FindArtifact returns the artifact that ref names: an id, or the beginning of one that only
// one artifact of this machine has.
func (w *Workspace) FindArtifact(ref string) (artifact.ID, error) {
	id, err := artifact.ParseID(ref)
	if err == nil {
		return id, nil
	}
	store, failed := w.Artifacts()
	if failed != nil {
		return id, err
	}
	defer store.Close()
	all, failed := store.IDs()
	whole, ambiguous := handoff.FindID(ref, "artifact", all)
	if ambiguous != nil {
		return id, ambiguous
	}
	if whole == "" && failed == nil && isBeginning(ref) {
		return id, NotFound(fmt.Sprintf("no artifact here begins with %q (`handoff artifact ls` lists them)", ref))
	}
	if whole == "" {
		return id, errors.Join(fmt.Errorf("%w, or the beginning of one (`handoff artifact ls` lists them)", err), failed)
	}
	return artifact.ParseID(whole)
}

// isBeginning reports whether a reference can be the beginning of an id.
func isBeginning(ref string) bool {
	return len(ref) >= handoff.LeastOfID && len(ref) < 2*sha256.Size && strings.Trim(ref, "0123456789abcdef") == ""
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
// negative. Of a damaged blob nothing is written: it is an [*artifact.DamagedError].
func (w *Workspace) ReadArtifact(ctx context.Context, out io.Writer, id artifact.ID, offset, n int64) error {
	store, err := w.Artifacts()
	if err != nil {
		return err
	}
	defer store.Close()
	blob, err := store.Open(id)
	if err != nil {
		return err
	}
	return copyBlob(ctx, out, blob, offset, n)
}

// SalvageArtifact is [Workspace.ReadArtifact] for a blob that may be damaged, which it
// then reports after all bytes are written.
func (w *Workspace) SalvageArtifact(ctx context.Context, out io.Writer, id artifact.ID, offset, n int64) error {
	store, err := w.Artifacts()
	if err != nil {
		return err
	}
	defer store.Close()
	blob, err := store.OpenUnverified(id)
	if err != nil {
		return err
	}
	if err := copyBlob(ctx, out, blob, offset, n); err != nil {
		return err
	}
	if err := store.Verify(id); !errors.Is(err, artifact.ErrNotHashed) {
		return err
	}
	return nil
}

// copyBlob writes a part of an open blob, and closes it.
func copyBlob(ctx context.Context, out io.Writer, blob *artifact.Blob, offset, n int64) error {
	defer blob.Close()
	if _, err := blob.Seek(min(offset, blob.Size), io.SeekStart); err != nil {
		return err
	}
	if n < 0 {
		n = blob.Size
	}
	_, err := io.Copy(out, io.LimitReader(during{ctx, blob}, n))
	return err
}

// during reads until its context ends.
type during struct {
	ctx  context.Context
	from io.Reader
}

func (d during) Read(p []byte) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, err
	}
	return d.from.Read(p)
}
