package bub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/log/tape"
)

// Converted is the result of an import or export.
type Converted struct {
	Tape    string `json:"tape"`
	Path    string `json:"path"`
	Entries int    `json:"entries"`
	// Renumbered is how many entries had an id that was not larger than the one
	// before: they got the next id, and "origin" in their meta has the old one.
	Renumbered int `json:"renumbered,omitempty"`
	// Passed is how many lines could not be read and so were not converted.
	Passed int `json:"passed,omitempty"`
	// Sidecars are the tapes that belong to this one, for results that Bub stores
	// apart from it.
	Sidecars []Converted `json:"sidecars,omitempty"`
}

// LeftBehind is how many lines could not be read, including those of sidecars.
func (c Converted) LeftBehind() int {
	n := c.Passed
	for _, s := range c.Sidecars {
		n += s.Passed
	}
	return n
}

// Import creates a tape of a store from one of Bub, of any version. A name that
// exists is fs.ErrExist. If the tape was once exported from a fork, its lineage
// events refer to another store: they are renamed to "tape.fork.copied" and
// "tape.closed.copied", so that the new tape is not a fork.
func (h *Home) Import(ctx context.Context, stem string, to *tape.Store, name string) (Converted, error) {
	from, err := h.Tape(stem)
	if err != nil {
		return Converted{}, err
	}
	t, err := to.Tape(name)
	if err != nil {
		return Converted{}, err
	}
	one := func(from, to *tape.Tape) (Converted, error) { return convert(ctx, from, from.Name(), to, unbound) }
	sidecars, err := h.sidecars(stem)
	if err != nil {
		return Converted{}, err
	}
	return convertAll(one, from, t, sidecars, h.Tape, to.Tape)
}

// convertAll converts a tape and its sidecars. Names that exist are found before
// anything is written.
func convertAll(convert func(from, to *tape.Tape) (Converted, error), from, to *tape.Tape, sidecars []string, source, target func(name string) (*tape.Tape, error)) (Converted, error) {
	type pair struct{ from, to *tape.Tape }
	pairs := []pair{{from, to}}
	for _, name := range sidecars {
		a, err := source(from.Name() + sidecarMark + name)
		if err != nil {
			return Converted{}, err
		}
		b, err := target(to.Name() + sidecarMark + name)
		if err != nil {
			return Converted{}, err
		}
		pairs = append(pairs, pair{a, b})
	}
	for _, p := range pairs {
		if there, err := p.to.Exists(); err != nil || there {
			return Converted{Tape: p.to.Name(), Path: p.to.Path()}, errors.Join(err, fs.ErrExist)
		}
	}
	c, err := convert(from, to)
	for _, p := range pairs[1:] {
		if err != nil {
			break
		}
		var s Converted
		if s, err = convert(p.from, p.to); err == nil {
			c.Sidecars = append(c.Sidecars, s)
		}
	}
	return c, err
}

// sidecarMark is between the name of a tape and that of its sidecar.
const sidecarMark = "__sidecar__"

// sidecars is the names of the sidecars of a tape.
func (h *Home) sidecars(stem string) (names []string, err error) {
	files, err := h.List("")
	for _, f := range files {
		if f.Of == stem {
			names = append(names, f.Sidecar)
		}
	}
	return names, err
}

// Export creates a tape of Bub from one of a store. [SessionName] and [OldName]
// are Bub's names for it; a name that exists is fs.ErrExist. Bub finds all
// entries: those that a fork is linked to are copied. So are the tape's sidecars,
// which are tapes of the store.
func (h *Home) Export(ctx context.Context, store *tape.Store, from *tape.Tape, stem string) (Converted, error) {
	t, err := h.Tape(stem)
	if err != nil {
		return Converted{}, err
	}
	one := func(from, to *tape.Tape) (Converted, error) { return Convert(ctx, from, from.Name(), to) }
	all, err := store.List()
	if err != nil {
		return Converted{}, err
	}
	var sidecars []string
	for _, name := range all {
		if rest, ok := strings.CutPrefix(name, from.Name()+sidecarMark); ok {
			sidecars = append(sidecars, rest)
		}
	}
	return convertAll(one, from, t, sidecars, store.Tape, h.Tape)
}

// convert writes all entries of a tape to the file of another one, all or
// nothing. name is the origin recorded for entries that get another id; as
// returns an entry as it is to be written.
func convert(ctx context.Context, from *tape.Tape, name string, to *tape.Tape, as func(tape.Entry) tape.Entry) (c Converted, err error) {
	c = Converted{Tape: to.Name(), Path: to.Path()}
	if there, err := from.Exists(); err != nil || !there {
		_, err := os.Stat(from.Path())
		return c, err
	}
	info, err := from.Info()
	if err != nil {
		return c, err
	}
	c.Passed = info.Passed
	return c, to.CreateLines(ctx, func(add func(line []byte) error) error { return c.copy(from, name, as, add) })
}

func (c *Converted) copy(from *tape.Tape, name string, as func(tape.Entry) tape.Entry, add func(line []byte) error) error {
	last := int64(0)
	for e, err := range from.Query(tape.Query{}) {
		if err != nil {
			return err
		}
		if e.ID <= last || e.ID > mostID {
			e = e.CopiedFrom(cmp.Or(e.Source, name))
			e.ID = last + 1
			c.Renumbered++
		}
		last = e.ID
		e = as(e)
		line, err := e.Line()
		if err != nil {
			return fmt.Errorf("entry %d: %w", e.ID, err)
		}
		if err := add(line); err != nil {
			return err
		}
		c.Entries++
	}
	return nil
}

// Import creates a tape of a workspace from a file. It drops the seal of a tape that
// its store has closed.
func Import(ctx context.Context, from *tape.Tape, name string, to *tape.Tape) (Converted, error) {
	return convert(ctx, from, name, to, unsealed)
}

// Convert creates a tape from another one, which may be any file: see convert.
// A tape that exists is fs.ErrExist.
func Convert(ctx context.Context, from *tape.Tape, name string, to *tape.Tape) (Converted, error) {
	return convert(ctx, from, name, to, func(e tape.Entry) tape.Entry { return e })
}

// mostID leaves room for the ids of later entries.
const mostID = 1 << 53

// unbound renames the events that a store would read as the lineage of the tape.
func unbound(e tape.Entry) tape.Entry {
	if name := e.Name(); e.Kind != tape.KindEvent || name != "tape.fork" && name != "tape.closed" {
		return e
	}
	return copied(e)
}

// unsealed is unbound for the seal of a generation alone.
func unsealed(e tape.Entry) tape.Entry {
	if !tape.IsSeal(e) {
		return e
	}
	return copied(e)
}

// copied renames an event.
func copied(e tape.Entry) tape.Entry {
	members, err := jsontext.Python.Object(string(e.Payload))
	if err != nil {
		return e
	}
	for i := range members {
		if members[i].Name == "name" {
			members[i].Value = string(jsontext.AppendText(nil, e.Name()+".copied"))
		}
	}
	e.Payload = jsontext.Python.AppendMembers(nil, members)
	return e
}
