package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"handoff"
	"handoff/artifact"
	"handoff/bundle"
	"handoff/internal/file/regular"
	"handoff/reconcile"
)

// Artifacts opens the workspace's store. The caller closes it.
func (w *Workspace) Artifacts() (*artifact.Store, error) { return artifact.Open(w.Root) }

// PutArtifact stores the content of r, at most [artifact.DefaultMax] bytes. Unless
// want is the zero ID, the bytes must hash to it, else the error is
// [*artifact.MismatchError] and nothing is stored.
func (w *Workspace) PutArtifact(r io.Reader, want artifact.ID) (id artifact.ID, size int64, outcome artifact.Outcome, err error) {
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
		if err := emit(CheckedArtifact{id, MissingArtifact(id, store.Verify(id))}); err != nil {
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

// MissingArtifact is the error for an artifact, clearer if it does not exist.
func MissingArtifact(id artifact.ID, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return notFound{fmt.Sprintf("no artifact %s in %s", id, artifact.Blobs)}
	}
	return err
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
			return MissingArtifact(id, err)
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
			return MissingArtifact(id, err)
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

// Bundle makes the bundle of the document with a path or a short name;
// dir is where relative paths start. It stores nothing.
func (w *Workspace) Bundle(ctx context.Context, dir, ref string) (bundle.Handoff, Entry, error) {
	e, err := w.Find(ctx, dir, ref)
	if err != nil {
		return bundle.Handoff{}, e, err
	}
	_, b, err := w.BundleOf(e)
	return b, e, err
}

// BundleOf reads a document and makes its bundle.
func (w *Workspace) BundleOf(e Entry) (*handoff.Document, bundle.Handoff, error) {
	if !bundle.ValidPath(e.Path) {
		return nil, bundle.Handoff{}, fmt.Errorf("%s: outside the workspace %s: nothing can refer to it", e.Path, w.Root)
	}
	doc, err := w.Read(e)
	if err != nil {
		return nil, bundle.Handoff{}, err
	}
	for _, p := range doc.Problems {
		if p.Kind == handoff.BadEncoding || p.Kind == handoff.TooDeep {
			return nil, bundle.Handoff{}, fmt.Errorf("%s:%d:%d: %s", e.Path, p.Line, p.Col, p.Text)
		}
	}
	state := reconcile.State{Local: regular.Within(w.Root)}
	b := state.Bundle(reconcile.Document{Path: e.Path, Name: e.Name, Doc: doc})
	if err := b.Check(); err != nil {
		return nil, bundle.Handoff{}, fmt.Errorf("%s: %w", e.Path, err)
	}
	return doc, b, nil
}

// LinkedBundle is the bundle that the task's metadata names for a document. It
// returns fs.ErrNotExist if there is none, or it is not in the store.
func (w *Workspace) LinkedBundle(e Entry) (id artifact.ID, src []byte, err error) {
	if e.Name.Dir == "" {
		return id, nil, notFound{fmt.Sprintf("%s: not in a task: nothing links it", e.Path)}
	}
	store, err := w.Artifacts()
	if err != nil {
		return id, nil, err
	}
	defer store.Close()
	state, err := w.LoadTask(nil, store, e.Name.Dir)
	if err != nil {
		return id, nil, err
	}
	if id, err = state.Linked(e.Path); err != nil {
		return id, nil, err
	}
	if state.Metadata.Src == nil && !state.Metadata.Unreadable {
		return id, nil, notFound{fmt.Sprintf("%s: %s does not exist, so nothing links the handoff (`handoff bundle create %s` makes its bundle)",
			e.Path, state.Metadata.Path, e.Path)}
	}
	if id.IsZero() {
		return id, nil, notFound{fmt.Sprintf("%s: the metadata has no bundle for it (run `handoff sync %s`)", e.Path, e.Name.Dir)}
	}
	if err := store.Verify(id); err != nil {
		return id, nil, MissingArtifact(id, err)
	}
	src, err = store.Get(id)
	return id, src, err
}

// CheckBundle parses a bundle of any schema. It returns the name of the schema, and all
// problems of the bundle as [*bundle.Invalid].
func CheckBundle(src []byte) (schema string, err error) {
	switch schema = bundle.SchemaOf(src); schema {
	case bundle.ContextSchema:
		_, err = bundle.ParseContext(src)
	case bundle.SummarySchema:
		_, err = bundle.ParseSummary(src)
	default:
		schema = bundle.HandoffSchema // its error names the expected schema
		_, err = bundle.ParseHandoff(src)
	}
	return schema, err
}
