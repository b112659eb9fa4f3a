package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

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
	writes    bool
}

// Tapes opens the workspace's tapes, or with the folder of a home those that
// Bub keeps there. Nothing is read or made before it is needed. The caller
// closes the tapes; a server keeps them open.
func (w *Workspace) Tapes(home string, writes bool) (*Tapes, error) {
	if err := w.enter(writes && home == ""); err != nil {
		return nil, err
	}
	o := tape.Options{Root: w.Root, Workspace: w.Config.Label, Now: w.Now, NewID: w.Options.NewID, Progress: w.Options.Progress}
	t := &Tapes{workspace: w, writes: writes}
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
	if errors.Is(err, fs.ErrNotExist) && t.writes {
		stem, err = bub.NewName(t.workspace.Root, name)
	}
	if err != nil {
		return nil, err
	}
	return t.Home.Tape(stem)
}

// List tells of all tapes of the workspace's own, sorted by name. Where some
// cannot be read, as a symbolic link is not followed, the others are listed, and
// the error says which.
func (t *Tapes) List() (list []tape.Info, err error) {
	names, err := t.named()
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

// named are the tapes of the workspace's own, also those that are symbolic links.
func (t *Tapes) named() (names []string, err error) {
	if names, err = t.Store.List(); err != nil {
		return nil, err
	}
	links, err := t.Store.Linked()
	names = append(names, links...)
	slices.Sort(names)
	return names, err
}

// InHome are the tapes that the home of Bub has of the workspace.
func (t *Tapes) InHome() ([]bub.File, error) { return t.Home.List(t.workspace.Root) }

// TapeCheck is what is wrong with a tape's file, and what was done about it.
type TapeCheck struct {
	Tape string `json:"tape"`
	Path string `json:"path"`
	bub.Report
	// Unreadable are lines of which there is nothing to be read, from 1. They
	// stay as they are, and hide no other.
	Unreadable []int64 `json:"unreadable,omitempty"`
	// Kept is where the file is as it was before it was written anew.
	Kept string `json:"kept,omitempty"`
}

// Check looks for what a reader stumbles over in one tape, or in all if name is
// "". With fix a tape of Bub is written anew, so that Bub finds what is found
// here, and checked again; one of the workspace has nothing to fix.
func (t *Tapes) Check(ctx context.Context, name string, fix bool) (list []TapeCheck, err error) {
	tapes, err := t.checked(name)
	if err != nil {
		return nil, err
	}
	for _, one := range tapes {
		c, failed := t.check(ctx, one, fix)
		if failed != nil { // the others are checked all the same
			err = errors.Join(err, fmt.Errorf("tape %s: %w", one.Name(), failed))
			continue
		}
		list = append(list, c)
	}
	return list, err
}

func (t *Tapes) check(ctx context.Context, one *tape.Tape, fix bool) (c TapeCheck, err error) {
	c = TapeCheck{Tape: one.Name(), Path: one.Path()}
	// First, as it fails for a symbolic link, which Check and Mend would follow.
	if c.Unreadable, err = one.Unreadable(); err != nil || t.Home == nil {
		return c, err
	}
	if c.Report, err = t.Home.Check(one.Name()); err != nil || !fix || c.OK() {
		return c, err
	}
	if c.Kept, _, err = t.Home.Fix(ctx, one.Name()); err == nil {
		c.Report, err = t.Home.Check(one.Name())
	}
	if err == nil {
		c.Unreadable, err = one.Unreadable()
	}
	return c, err
}

// checked are the tapes that a check is about.
func (t *Tapes) checked(name string) (tapes []*tape.Tape, err error) {
	if name != "" {
		one, err := t.Tape(name)
		if err == nil {
			var there bool
			if there, err = one.Exists(); err == nil && !there {
				err = fmt.Errorf("tape %s: no such tape here: %w", name, fs.ErrNotExist)
			}
		}
		return []*tape.Tape{one}, err
	}
	var names []string
	open := t.Store.Tape
	if t.Home == nil {
		names, err = t.named()
	} else {
		var files []bub.File
		files, err = t.InHome()
		open = t.Home.Tape
		for _, f := range files {
			names = append(names, f.Stem)
		}
	}
	for _, name := range names {
		one, err := open(name)
		if err != nil {
			return nil, err
		}
		tapes = append(tapes, one)
	}
	return tapes, err
}
