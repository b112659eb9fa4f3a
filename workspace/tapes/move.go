package tapes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/log/tape"
	"handoff/log/tape/bub"
)

// Import creates a tape of the workspace from a file or, with a home of Bub, from
// a tape there. to is its name, "" for the name of the source. If that tape
// exists, the error is fs.ErrExist.
func (t *Tapes) Import(ctx context.Context, from, to string) (c bub.Converted, err error) {
	var source *tape.Tape
	if t.Home != nil {
		source, err = t.inHome(from)
	} else {
		source, err = t.Store.File(from)
	}
	if err != nil {
		return c, err
	}
	if to == "" {
		to = source.Name()
	}
	target, err := t.Store.Tape(to)
	if err != nil {
		return c, err
	}
	if err := t.options.Prepare(); err != nil {
		return c, err
	}
	if t.Home != nil {
		return moved(t.Home.Import(ctx, source.Name(), t.Store, to))
	}
	return moved(bub.Import(ctx, source, source.Name(), target))
}

// inHome is an existing tape of the home.
func (t *Tapes) inHome(name string) (*tape.Tape, error) {
	if name == "" {
		return nil, errNoSession
	}
	stem, err := t.Home.Find(t.options.Root, name)
	if err != nil {
		return nil, err
	}
	return t.Home.Tape(stem)
}

// Export writes a whole tape of the workspace to a new file or, with a home of
// Bub, to the tape of a session there. The entries that a linked fork refers to
// are copied. If the target exists, the error is fs.ErrExist.
func (t *Tapes) Export(ctx context.Context, name, to string) (c bub.Converted, err error) {
	if name == "" {
		name = tape.Main
	}
	source, err := t.Store.Tape(name)
	if err != nil {
		return c, err
	}
	if err := exists(source, name); err != nil {
		return c, err
	}
	if t.Home == nil {
		if st, err := os.Stat(filepath.Dir(to)); err != nil || !st.IsDir() {
			return c, fmt.Errorf("%s: no such folder: %w", filepath.Dir(to), fs.ErrNotExist)
		}
		target, err := t.Store.File(to)
		if err != nil {
			return c, err
		}
		return moved(bub.Convert(ctx, source, name, target))
	}
	if to == "" {
		return c, errNoSession
	}
	stem, err := bub.SessionName(t.options.Root, to)
	if err != nil {
		return c, err
	}
	return moved(t.Home.Export(ctx, t.Store, source, stem))
}

// moved names the target if it existed before.
func moved(c bub.Converted, err error) (bub.Converted, error) {
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s already exists and is left unchanged: %w", c.Path, fs.ErrExist)
	}
	return c, err
}
