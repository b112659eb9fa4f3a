package documents

import (
	"context"
	"fmt"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/parse"
	"handoff/workspace"
	"handoff/workspace/reconcile"
)

// Bundle reads a document and makes its bundle. It stores nothing.
func Bundle(w *workspace.Workspace, e Entry) (*handoff.Document, bundle.Handoff, error) {
	if !bundle.ValidPath(e.Path) {
		return nil, bundle.Handoff{}, fmt.Errorf("%s: outside the workspace %s: nothing can refer to it", e.Path, w.Root)
	}
	doc, err := Read(w, e)
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

// FilesIn returns the files that the bundle of a document with this text refers to.
func FilesIn(text string) []bundle.FileRef {
	return reconcile.Bundle(reconcile.Document{Doc: parse.Document([]byte(text))}).Refs.Files
}

// LinkedBundle is the bundle that the task's metadata names for a document. It
// returns fs.ErrNotExist if there is none, or it is not in the store.
func LinkedBundle(w *workspace.Workspace, e Entry) (id artifact.ID, src []byte, err error) {
	if e.Name.Dir == "" {
		return id, nil, workspace.NotFound(fmt.Sprintf("%s: not in a task: nothing links it", e.Path))
	}
	store, err := w.Artifacts()
	if err != nil {
		return id, nil, err
	}
	defer store.Close()
	state, err := Load(context.Background(), w, nil, store, e.Name.Dir) // what is linked needs no git
	if err != nil {
		return id, nil, err
	}
	if id, err = state.Linked(e.Path); err != nil {
		return id, nil, err
	}
	if state.Metadata.Src == nil && !state.Metadata.Unreadable {
		return id, nil, workspace.NotFound(fmt.Sprintf("%s: %s does not exist, so nothing links the handoff (`handoff bundle create %s` makes its bundle)",
			e.Path, state.Metadata.Path, e.Path))
	}
	if id.IsZero() {
		return id, nil, workspace.NotFound(fmt.Sprintf("%s: the metadata has no bundle for it (run `handoff sync %s`)", e.Path, e.Name.Dir))
	}
	src, err = store.Get(id)
	return id, src, err
}

// Links are the bundles that the metadata of a task folder names, by the path of the
// document. They need not exist; invalid ids are left out.
func Links(w *workspace.Workspace, dir string) (map[string]artifact.ID, error) {
	src, err := Metadata(w, dir)
	if err != nil {
		return nil, err
	}
	path := dir + "/" + handoff.MetadataFile
	named, err := reconcile.State{Dir: dir, Metadata: reconcile.File{Path: path, Src: src}}.Bundles()
	links := make(map[string]artifact.ID, len(named))
	for path, text := range named {
		if id, err := artifact.ParseID(text); err == nil {
			links[path] = id
		}
	}
	return links, err
}
