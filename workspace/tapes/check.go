package tapes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"handoff/log/tape"
	"handoff/log/tape/bub"
)

// Checked is the damage of a tape's file, and what was fixed.
type Checked struct {
	Tape string `json:"tape"`
	Path string `json:"path"`
	bub.Report
	// Unreadable are the numbers of lines, from 1, that are not entries. They
	// are kept, and hide no other line.
	Unreadable []int64 `json:"unreadable,omitempty"`
	// Kept is the path of the old file if the file was rewritten.
	Kept string `json:"kept,omitempty"`
}

// Check checks the file of one tape for damage, or those of all if name is "".
// With fix it rewrites a damaged tape of Bub so that Bub can read it, and checks
// it again; in the workspace's own tapes there is nothing to fix.
func (t *Tapes) Check(ctx context.Context, name string, fix bool) (list []Checked, err error) {
	selected, err := t.selected(name)
	if err != nil {
		return nil, err
	}
	for _, one := range selected {
		c, failed := t.check(ctx, one, fix)
		if failed != nil { // the other tapes are still checked
			err = errors.Join(err, fmt.Errorf("tape %s: %w", one.Name(), failed))
			continue
		}
		list = append(list, c)
	}
	return list, err
}

func (t *Tapes) check(ctx context.Context, one *tape.Tape, fix bool) (c Checked, err error) {
	c = Checked{Tape: one.Name(), Path: one.Path()}
	// Unreadable comes first because it refuses symlinks, which Check and Fix would follow.
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

// selected are the tapes to check.
func (t *Tapes) selected(name string) (list []*tape.Tape, err error) {
	if name != "" {
		one, err := t.named(name)
		if err == nil {
			err = exists(one, name)
		}
		return []*tape.Tape{one}, err
	}
	names, err := t.names()
	for _, name := range names {
		one, err := t.named(name)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, err
}

// exists is nil if the tape does.
func exists(one *tape.Tape, name string) error {
	ok, err := one.Exists()
	if err == nil && !ok {
		err = fmt.Errorf("tape %s: no such tape here: %w", name, fs.ErrNotExist)
	}
	return err
}
