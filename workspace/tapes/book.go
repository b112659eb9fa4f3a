package tapes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"handoff/document/handoff"
	"handoff/internal/file/kept"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/userstate"
	"handoff/log/tape"
	"handoff/workspace"
)

// Book is the file in which a user keeps where the workspaces are that tape:// URIs name. A URI of a workspace that
// is not in it is refused: what a document says must not choose the folder.
type Book struct{ path string } // "" if the environment has no place for it

// BookOf is the book of the user whose environment this is. It reads nothing yet.
func BookOf(getenv func(string) string) Book {
	if dir := userstate.Dir(getenv); dir != "" {
		return Book{filepath.Join(dir, "workspaces.json")}
	}
	return Book{}
}

// maxBook is the most bytes of a book that are read.
const maxBook = 1 << 20

func (b Book) file() kept.File[map[string]string] {
	return kept.File[map[string]string]{Root: nofollow.Root(filepath.Dir(b.path)), Path: b.path, Max: maxBook, Mode: 0o600,
		Fix: "delete the file to begin a new book", Encode: kept.Lines[map[string]string]}
}

// Folders are the folders by the names of their workspaces.
func (b Book) Folders() (folders map[string]string, err error) {
	if b.path != "" {
		folders, err = b.file().Read()
	}
	return folders, err
}

// Folder is the folder of a workspace; fs.ErrNotExist if it is not in the book.
func (b Book) Folder(name string) (string, error) {
	folders, err := b.Folders()
	if err == nil && folders[name] == "" {
		err = fs.ErrNotExist
	}
	return folders[name], err
}

// ErrUnnamed: a workspace has no name that a URI could have.
var ErrUnnamed = fmt.Errorf("it has no name: write the line `workspace: NAME` into its .handoff.yaml: %w", handoff.ErrInvalid)

// Add adds a workspace by its names: its label, and the one that its envelopes have.
func (b Book) Add(ctx context.Context, w *workspace.Workspace) (added []string, err error) {
	all, err := In(w, "", false)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	for _, name := range []string{w.Config.Label, all.Store.GeneratedName()} {
		if name != "" {
			added = append(added, name)
		}
	}
	if len(added) == 0 {
		return nil, ErrUnnamed
	}
	return added, b.change(ctx, func(folders map[string]string) error {
		for _, name := range added {
			if at := folders[name]; at != "" && at != w.Root {
				return fmt.Errorf("%s is the name of %s in the book: %w", name, at, fs.ErrExist)
			}
			folders[name] = w.Root
		}
		return nil
	})
}

// Remove removes a name; fs.ErrNotExist if it is not in the book.
func (b Book) Remove(ctx context.Context, name string) error {
	return b.change(ctx, func(folders map[string]string) error {
		if folders[name] == "" {
			return fmt.Errorf("%s is not in the book: %w", name, fs.ErrNotExist)
		}
		delete(folders, name)
		return nil
	})
}

func (b Book) change(ctx context.Context, edit func(map[string]string) error) error {
	if b.path == "" {
		return errors.New("there is no place for the book: set HOME or XDG_STATE_HOME")
	}
	if err := nofollow.Named.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return err
	}
	var refused error
	_, err := b.file().Change(ctx, func(folders *map[string]string) bool {
		if *folders == nil {
			*folders = map[string]string{}
		}
		refused = edit(*folders)
		return refused == nil
	})
	return cmp.Or(refused, err)
}

// Named are the names in the book, sorted.
func Named(folders map[string]string) []string { return slices.Sorted(maps.Keys(folders)) }

// OfURI is the tape that a URI names, here or in a workspace of the book. It need not exist.
func (t *Tapes) OfURI(ref tape.Ref) (*Tape, error) {
	store, err := t.storeOf(ref)
	if err != nil {
		return nil, err
	}
	one, err := store.Named(ref)
	return t.Of(one), err
}

// Resolve is the entry that a URI names, here or in a workspace of the book: see [tape.Store.Resolve].
func (t *Tapes) Resolve(ref tape.Ref) (tape.Entry, error) {
	store, err := t.storeOf(ref)
	if err != nil {
		return tape.Entry{}, err
	}
	return store.Resolve(ref)
}

// storeOf has the tapes of the workspace that a URI names; those here, which refuse it, if none is known.
func (t *Tapes) storeOf(ref tape.Ref) (*tape.Store, error) {
	if t.options.Elsewhere != nil {
		if _, err := t.Store.Named(ref); errors.Is(err, fs.ErrNotExist) {
			other, err := t.options.Elsewhere(ref.Workspace)
			if other != nil || err != nil {
				return other, err
			}
		}
	}
	return t.Store, nil
}

// others opens the tapes of other workspaces, once, and closes them.
type others struct {
	options workspace.Options
	mu      sync.Mutex
	open    map[string]*Tapes
	close   []func()
}

// named are the tapes of the workspace that the book has under a name, to read; nil if it is not in the book.
func (o *others) named(name string) (*tape.Store, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t := o.open[name]; t != nil {
		return t.Store, nil
	}
	dir, err := o.options.Elsewhere(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !workspace.IsDir(dir) {
		return nil, fmt.Errorf("%s, where the book has %s, is gone: %w", dir, name, fs.ErrNotExist)
	}
	in := o.options
	in.Elsewhere = nil // a URI leads no further
	w, err := workspace.Open(dir, in)
	if err != nil {
		return nil, err
	}
	if w.Root != dir { // which is gone: a folder above is another workspace
		w.Close()
		return nil, fmt.Errorf("%s, where the book has %s, is no workspace: %w", dir, name, fs.ErrNotExist)
	}
	t, err := In(w, "", false)
	if err != nil {
		w.Close()
		return nil, err
	}
	if o.open == nil {
		o.open = map[string]*Tapes{}
	}
	o.open[name] = t
	o.close = append(o.close, func() { t.Close(); w.Close() })
	return t.Store, nil
}

func (o *others) done() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, end := range o.close {
		end()
	}
}
