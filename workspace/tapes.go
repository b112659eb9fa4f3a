package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"handoff/tape"
	"handoff/tape/bub"
)

// Tapes are the tapes of a workspace, or those that a home of Bub has of it.
// Its methods are the operations that the surfaces share; what else a tape can
// do they ask of the tape.
type Tapes struct {
	Store *tape.Store // the workspace's own
	Home  *bub.Home   // nil unless it is a home that is asked
	// Unrecorded keeps Exec from noting commands on the tape.
	Unrecorded bool

	workspace *Workspace
	edge      Edge
}

// Tapes opens the workspace's tapes, or with the folder of a home those that
// Bub keeps there. Nothing is read or made before it is needed. The caller
// closes the tapes; a server keeps them open.
func (w *Workspace) Tapes(e Edge, home string) (*Tapes, error) {
	if e.Now == nil {
		e.Now = time.Now
	}
	if err := w.enter(e.Writes && home == ""); err != nil {
		return nil, err
	}
	o := tape.Options{Root: w.Root, Workspace: w.Config.Label, Now: e.Now, NewID: e.NewID, Progress: e.Progress}
	t := &Tapes{workspace: w, edge: e}
	var err error
	if t.Store, err = tape.Open(filepath.Join(w.Root, StateDir), o); err != nil || home == "" {
		return t, err
	}
	t.Home, err = bub.Open(home, o)
	return t, err
}

// Close lets go of all files.
func (t *Tapes) Close() error {
	err := t.Store.Close()
	if t.Home != nil {
		err = errors.Join(err, t.Home.Close())
	}
	return err
}

// errNoSession: a home of Bub has no tape that everything is about.
var errNoSession = errors.New("which tape of Bub: name a session (cli:local), or the tape's file without its suffix")

// Tape is the tape of that name, "" for the one that everything is about. In a
// home of Bub the name is that of a session, a tape or a file, and what is not
// there is fs.ErrNotExist, unless it is going to be written.
func (t *Tapes) Tape(name string) (*tape.Tape, error) {
	switch {
	case t.Home == nil && name == "":
		return t.Store.Tape(tape.Main)
	case t.Home == nil:
		return t.Store.Tape(name)
	case name == "":
		return nil, errNoSession
	}
	stem, err := t.Home.Find(t.workspace.Root, name)
	if errors.Is(err, fs.ErrNotExist) && t.edge.Writes {
		stem, err = bub.SessionName(t.workspace.Root, name)
	}
	if err != nil {
		return nil, err
	}
	return t.Home.Tape(stem)
}

// List tells of all tapes of the workspace's own, sorted by name. Where some
// cannot be read the others are listed, and the error says which.
func (t *Tapes) List() (list []tape.Info, err error) {
	names, err := t.Store.List()
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, name := range names {
		one, err := t.Store.Tape(name)
		if err != nil {
			return nil, err
		}
		info, err := one.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // taken away in this moment
		case err != nil:
			failed = append(failed, fmt.Errorf("tape %s: %w", name, err))
		default:
			list = append(list, info)
		}
	}
	return list, errors.Join(failed...)
}

// InHome are the tapes that the home of Bub has of the workspace.
func (t *Tapes) InHome() ([]bub.File, error) { return t.Home.List(t.workspace.Root) }
