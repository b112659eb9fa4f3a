package tapes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"handoff/log/tape"
	"handoff/surface/command/operations"
	"handoff/workspace"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// tapePlace is a tape of the workspace, or of a server.
type tapePlace interface {
	tapeops.Place
	Name() string
	Query(context.Context, tape.Query) iter.Seq2[tape.Entry, error]
	Follow(context.Context, tape.FollowRequest) iter.Seq2[tape.Entry, error]
}

// withTape finds the tape that a command names, in the workspace or on a server.
func withTape(k *operations.Call, ref string, do func(tapePlace, string) error) error {
	if err := operations.NamesTape(k.Tape.Given, k.Tape.Name); err != nil {
		return err
	}
	name := cmp.Or(ref, k.Tape.Name)
	if k.Server.Given {
		return withTapeServer(k, cmp.Or(name, tape.Main), do)
	}
	return withTapes(k, func(all *tapes.Tapes) error {
		one, err := tapeNamed(k, all, name)
		if err != nil {
			return err
		}
		return nearTape(all, one, do(tapeops.Here{Tape: one}, name))
	})
}

// withTapeServer is withTape for a server.
func withTapeServer(k *operations.Call, name string, do func(tapePlace, string) error) error {
	if k.Tape.BubGiven {
		return notOnServer("bub")
	}
	s, err := operations.ServerOf(k.W, &k.Server)
	if err != nil {
		return err
	}
	defer s.Close()
	ref, err := k.TapeURI()
	switch {
	case err != nil:
		return err
	case ref != nil && (k.Tape.Given || k.Tape.ArchiveGiven):
		return errors.New("the URI names the tape: leave out --tape and --archive")
	case k.Tape.ArchiveGiven && k.Tape.Given:
		return errors.New("--archive names the tape: leave out --tape")
	case k.Tape.ArchiveGiven:
		return k.TapeError(do(s.Archive(archivePath(k)), name))
	case ref != nil:
		return k.TapeError(do(s.URI(ref.String(), ref.Tape), ref.Tape))
	}
	if named := k.Tape.Given || !k.ByFlag; named && mayBeShort(k) {
		if name, err = s.Resolve(k, "tape", name); err != nil {
			return k.TapeError(err)
		}
	}
	return k.TapeError(do(s.Tape(name), name))
}

// mayBeShort reports whether the beginning of a tape's name is enough: only for what neither
// creates nor deletes a tape.
func mayBeShort(k *operations.Call) bool {
	return !k.About.Whole && !k.About.Writes || k.About.Args == "FORK"
}

// notOnServer is the error for a flag that needs the workspace.
func notOnServer(flag string) error { return fmt.Errorf("--%s cannot be combined with --server", flag) }

// tapeNamed is the tape that a command is about. One that needs none, or finds it itself, gets
// all tapes.
func tapeNamed(k *operations.Call, all *tapes.Tapes, name string) (*tapes.Tape, error) {
	switch {
	case k.About.Whole, k.About.Path == "":
		return all.Of(nil), nil
	case !k.About.Writes:
		return readable(k, all, name)
	case mayBeShort(k):
		var err error
		if name, err = all.Find(name); err != nil {
			return nil, err
		}
	}
	return all.Tape(name)
}

// readable is the tape to read: that of a URI, if there is one.
func readable(k *operations.Call, t *tapes.Tapes, name string) (*tapes.Tape, error) {
	ref, err := k.TapeURI()
	switch {
	case err != nil:
		return nil, err
	case ref != nil:
		return ofURI(k, t, *ref)
	case k.Tape.ArchiveGiven:
		return archived(k, t)
	}
	if r, ok := k.Request.(*tapes.SearchRequest); ok && r.All { // any tape of the store works
		return t.Tape(tape.Main)
	}
	if name, err = t.Find(name); err != nil {
		return nil, err
	}
	one, err := t.Tape(name)
	if err == nil {
		err = sayMissing(k, one.Tape)
	}
	return one, err
}

// ofURI is the tape of a URI.
func ofURI(k *operations.Call, t *tapes.Tapes, ref tape.Ref) (*tapes.Tape, error) {
	if ref.Entry != nil || ref.Anchor != nil {
		return t.Of(nil), nil // the entry is found by the URI
	}
	if k.Tape.Given || k.Tape.ArchiveGiven || t.Home != nil {
		return nil, errors.New("the URI names the tape: leave out --tape, --archive and --bub")
	}
	one, err := t.OfURI(ref)
	if err != nil {
		return nil, err
	}
	return one, sayMissing(k, one.Tape)
}

// archived is the tape that --archive names.
func archived(k *operations.Call, t *tapes.Tapes) (*tapes.Tape, error) {
	if k.Tape.Given || t.Home != nil {
		return nil, errors.New("--archive names the tape: leave out --tape and --bub")
	}
	one, err := t.Archived(archivePath(k))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("--archive %s: no such file", k.Tape.Archive)
	}
	return one, err
}

// archivePath is the path that --archive gives, below the folder of the tool's own files.
func archivePath(k *operations.Call) string {
	return strings.TrimPrefix(k.Tape.Archive, workspace.StateDir+"/")
}

// nearTape makes the error for a missing tape one that suggests another name.
func nearTape(all *tapes.Tapes, one *tapes.Tape, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || all.Home != nil || one.Tape == nil {
		return err
	}
	if exists, failed := one.Exists(); exists || failed != nil {
		return err
	}
	if near := all.Near(one.Name()); near != "" {
		return operations.Meant(err, near)
	}
	return err
}
