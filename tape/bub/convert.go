package bub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/json/jsontext"
	"handoff/tape"
)

// Converted says what became of a tape.
type Converted struct {
	Tape    string `json:"tape"`
	Path    string `json:"path"`
	Entries int    `json:"entries"`
	// Renumbered are entries whose id was not larger than that before: they
	// have got the next one, and their meta says as "origin" what it was.
	Renumbered int `json:"renumbered,omitempty"`
	// Passed are lines that could not be read, and so were left behind.
	Passed int `json:"passed,omitempty"`
	// Sidecars are the tapes that belong to this one: in them Bub keeps what it
	// has spilled.
	Sidecars []Converted `json:"sidecars,omitempty"`
}

// LeftBehind is how many lines could not be read, those of sidecars too.
func (c Converted) LeftBehind() int {
	n := c.Passed
	for _, s := range c.Sidecars {
		n += s.Passed
	}
	return n
}

// Import makes a tape of a store from one of Bub, of any age. The name must be
// free, or it is fs.ErrExist. Where the tape was once exported from a fork, its
// lineage is that of another store: such events are kept as "tape.fork.copied"
// and "tape.closed.copied", which tie the new tape to nothing.
func (h *Home) Import(stem string, to *tape.Store, name string) (Converted, error) {
	from, err := h.Tape(stem)
	if err != nil {
		return Converted{}, err
	}
	t, err := to.Tape(name)
	if err != nil {
		return Converted{}, err
	}
	move := func(from, to *tape.Tape) (Converted, error) { return convert(from, from.Name(), to, unbound) }
	sidecars, err := h.sidecars(stem)
	if err != nil {
		return Converted{}, err
	}
	return together(move, from, t, sidecars, h.Tape, to.Tape)
}

// together moves a tape and its sidecars, by their names as of. What of them is
// taken already is found before anything is written.
func together(move func(from, to *tape.Tape) (Converted, error), from, to *tape.Tape, sidecars []string, source, target func(name string) (*tape.Tape, error)) (Converted, error) {
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
	c, err := move(from, to)
	for _, p := range pairs[1:] {
		if err != nil {
			break
		}
		var s Converted
		if s, err = move(p.from, p.to); err == nil {
			c.Sidecars = append(c.Sidecars, s)
		}
	}
	return c, err
}

// sidecarMark is between the name of a tape and that of its sidecar.
const sidecarMark = "__sidecar__"

// sidecars are the names of those that a tape of the home has.
func (h *Home) sidecars(stem string) (names []string, err error) {
	files, err := h.List("")
	for _, f := range files {
		if f.Of == stem {
			names = append(names, f.Sidecar)
		}
	}
	return names, err
}

// Export makes a tape of Bub from one of a store. [SessionName] and [OldName]
// say how Bub names it; what is taken is fs.ErrExist. Bub finds all entries and
// passes over what only we know: what a fork is linked to is copied. So are the
// tape's sidecars, which stand in the store beside it.
func (h *Home) Export(store *tape.Store, from *tape.Tape, stem string) (Converted, error) {
	t, err := h.Tape(stem)
	if err != nil {
		return Converted{}, err
	}
	move := func(from, to *tape.Tape) (Converted, error) { return Convert(from, from.Name(), to) }
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
	return together(move, from, t, sidecars, store.Tape, h.Tape)
}

// convert writes all entries of a tape to the file of another, which is there
// with all of them or not at all. name says where they come from, as is tells
// what else changes.
func convert(from *tape.Tape, name string, to *tape.Tape, as func(tape.Entry) tape.Entry) (c Converted, err error) {
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
	root := nofollow.Root(to.Root())
	if err := root.MkdirAll(filepath.Dir(to.Path()), 0o755); err != nil {
		return c, err
	}
	p, err := atomicfile.Begin(root, to.Path(), 0o644)
	if err != nil {
		return c, err
	}
	if err := c.copy(from, name, as, p); err != nil {
		p.Abort()
		return c, err
	}
	return c, p.CommitNew()
}

func (c *Converted) copy(from *tape.Tape, name string, as func(tape.Entry) tape.Entry, p *atomicfile.Pending) error {
	last := int64(0)
	buf := make([]byte, 0, bufferBytes)
	for e, err := range from.Query(tape.Query{}) {
		if err != nil {
			return err
		}
		if e.ID <= last || e.ID > mostID {
			from := name
			if e.Source != "" {
				from = e.Source
			}
			e.Meta = withOrigin(e.Meta, from, e.ID)
			e.ID = last + 1
			c.Renumbered++
		}
		last = e.ID
		e = as(e)
		line, err := e.Line()
		if err != nil {
			return fmt.Errorf("entry %d: %w", e.ID, err)
		}
		c.Entries++
		if buf = append(append(buf, line...), '\n'); len(buf) >= bufferBytes/2 {
			if _, err := p.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	_, err := p.Write(buf)
	return err
}

const bufferBytes = 1 << 20

// mostID leaves room for the ids of what will be appended.
const mostID = 1 << 53

// unbound takes from an event what a store would take for the lineage of the
// tape that it stands on.
func unbound(e tape.Entry) tape.Entry {
	name := e.Name()
	if e.Kind != tape.KindEvent || name != "tape.fork" && name != "tape.closed" {
		return e
	}
	members, err := jsontext.Python.Object(string(e.Payload))
	if err != nil {
		return e
	}
	for i := range members {
		if members[i].Name == "name" {
			members[i].Value = string(jsontext.AppendText(nil, name+".copied"))
		}
	}
	e.Payload = jsontext.Python.AppendMembers(nil, members)
	return e
}

// withOrigin says of which entry this one is a copy, unless it says so already.
func withOrigin(meta json.RawMessage, tape string, id int64) json.RawMessage {
	members, err := jsontext.Python.Object(string(meta))
	if err != nil {
		return meta
	}
	for _, m := range members {
		if m.Name == "origin" {
			return meta
		}
	}
	origin := jsontext.Python.AppendMembers(nil, []jsontext.Member{
		{Name: "tape", Value: string(jsontext.AppendText(nil, tape))},
		{Name: "id", Value: strconv.FormatInt(id, 10)},
	})
	return jsontext.Python.AppendMembers(nil, append(members, jsontext.Member{Name: "origin", Value: string(origin)}))
}
