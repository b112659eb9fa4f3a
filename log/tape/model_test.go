package tape

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"handoff/document/handoff"
)

// modelTape is the expected content of a tape: short names of its entries,
// without events of operations.
type modelTape struct {
	entries []string // "m3", "@name" for an anchor
	own     int      // entries before this index come from the parent
	parent  string
	linked  []string // the tapes that it refers to
}

// machine is a store and a model of it.
type machine struct {
	w     *workshop
	both  []*workshop // of two machines of a store; nil for files
	model map[string]*modelTape
	kept  int // archives
	n     int
}

func (m *machine) pick(t *rapid.T) string {
	return rapid.SampledFrom(slices.Sorted(func(yield func(string) bool) {
		for name := range m.model {
			if !yield(name) {
				return
			}
		}
	})).Draw(t, "tape")
}

func (m *machine) fresh(prefix string) string {
	m.n++
	return fmt.Sprint(prefix, m.n)
}

func (m *machine) append(t *rapid.T) {
	name, text := m.pick(t), m.fresh("m")
	if _, err := m.w.tape(name).Append(ctx, message(text)); err != nil {
		t.Fatal(err)
	}
	m.model[name].entries = append(m.model[name].entries, text)
}

func (m *machine) handoff(t *rapid.T) {
	name := m.pick(t)
	anchor := rapid.SampledFrom([]string{"p", "q", "größe/1"}).Draw(t, "anchor")
	if _, err := m.w.tape(name).Handoff(ctx, anchor, nil, nil); err != nil {
		t.Fatal(err)
	}
	m.model[name].entries = append(m.model[name].entries, "@"+anchor)
}

func (m *machine) fork(t *rapid.T) {
	name, child := m.pick(t), m.fresh("fork")
	r := ForkRequest{To: child, Link: rapid.Bool().Draw(t, "link")}
	from := 0
	if rapid.Bool().Draw(t, "from an anchor") {
		r.FromAnchor = new(rapid.SampledFrom([]string{"p", "q"}).Draw(t, "anchor"))
		from = lastIndex(m.model[name].entries, "@"+*r.FromAnchor)
	}
	_, err := m.w.tape(name).Fork(ctx, r)
	if (err == nil) != (from >= 0) {
		t.Fatalf("fork of %s from %d: %v", name, from, err)
	}
	if err != nil {
		return
	}
	taken := slices.Clone(m.model[name].entries[from:])
	if !r.Link && !slices.ContainsFunc(taken, func(s string) bool { return s[0] == '@' }) {
		taken = append([]string{"@session/start"}, taken...)
	}
	m.model[child] = &modelTape{entries: taken, own: len(taken), parent: name}
	if r.Link {
		m.model[child].linked = append(slices.Clone(m.model[name].linked), name)
	}
}

func lastIndex(list []string, s string) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == s {
			return i
		}
	}
	return -1
}

// forks is the tapes that can be merged.
func (m *machine) forks() (names []string) {
	for name, tape := range m.model {
		if tape.parent != "" && m.model[tape.parent] != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (m *machine) merge(t *rapid.T) {
	names := m.forks()
	if len(names) == 0 {
		t.Skip("no fork")
	}
	name := rapid.SampledFrom(names).Draw(t, "fork")
	keep := rapid.Bool().Draw(t, "keep anchors")
	if _, err := m.w.tape(name).Merge(ctx, MergeRequest{KeepAnchors: keep}); err != nil {
		t.Fatal(err)
	}
	tape := m.model[name]
	into := m.model[tape.parent]
	for _, e := range tape.entries[tape.own:] {
		if keep || e[0] != '@' {
			into.entries = append(into.entries, e)
		}
	}
	m.end(name)
}

func (m *machine) discard(t *rapid.T) {
	names := m.forks()
	if len(names) == 0 {
		t.Skip("no fork")
	}
	name := rapid.SampledFrom(names).Draw(t, "fork")
	if _, err := m.w.tape(name).Discard(ctx, "why"); err != nil {
		t.Fatal(err)
	}
	m.end(name)
}

func (m *machine) end(name string) {
	delete(m.model, name)
	m.kept++
	for _, tape := range m.model { // forks without a parent do not change
		if tape.parent == name {
			tape.parent = ""
		}
	}
}

func (m *machine) reset(t *rapid.T) {
	name := m.pick(t)
	r := ResetRequest{NoArchive: rapid.Bool().Draw(t, "destroy")}
	_, err := m.w.tape(name).Reset(ctx, r)
	if m.refused(r, err) || r.NoArchive && m.linkedTo(name) && errors.Is(err, handoff.ErrInvalid) {
		return // otherwise check could not read its linked forks
	}
	if err != nil {
		t.Fatal(err)
	}
	tape := m.model[name]
	tape.entries, tape.own, tape.linked = []string{"@session/start"}, 1, nil
	if !r.NoArchive {
		m.kept++
	}
}

// linkedTo reports whether a tape may refer to entries of a tape of that name:
// it was forked from it, directly or not.
func (m *machine) linkedTo(name string) bool {
	for _, tape := range m.model {
		if slices.Contains(tape.linked, name) {
			return true
		}
	}
	return false
}

// check compares all tapes, as seen by this store and by another process.
func (m *machine) check(t *rapid.T) {
	machines := m.both
	if machines == nil {
		fresh := openIn(m.w.t, m.w.folder)
		defer fresh.Close()
		machines = []*workshop{m.w, fresh}
	} else {
		synced(m.w.t, machines...)
	}
	for name, want := range m.model {
		for _, s := range machines {
			tape, err := s.Tape(name)
			if err != nil {
				t.Fatal(err)
			}
			all, err := tape.All(Query{})
			if err != nil {
				t.Fatal(err)
			}
			if got := plainly(all); !slices.Equal(got, want.entries) {
				t.Fatalf("%s: %q, want %q", name, got, want.entries)
			}
			checkIDs(t, name, all)
			slice, err := tape.Slice(FromLastAnchor())
			last := len(want.entries)
			for last > 0 && want.entries[last-1][0] != '@' {
				last--
			}
			if got := plainly(slice.Entries); err != nil || !slices.Equal(got, want.entries[last:]) {
				t.Fatalf("%s: context %q, want %q (%v)", name, got, want.entries[last:], err)
			}
		}
	}
	for _, s := range machines {
		names, err := s.List()
		if err != nil || len(names) != len(m.model) {
			t.Fatalf("%q, want %d tapes (%v)", names, len(m.model), err)
		}
		if n := m.archives(t, s); n != m.kept {
			t.Fatalf("%d archives, want %d", n, m.kept)
		}
	}
}

// archives counts the archives of all tapes, also of those that are over.
func (m *machine) archives(t *rapid.T, s *workshop) (n int) {
	put, _ := filepath.Glob(filepath.Join(s.folder, "tape", "archived", "*.jsonl"))
	files, _ := filepath.Glob(filepath.Join(s.folder, "tape", "*.jsonl"))
	for _, path := range files {
		if _, sealed := s.sealOf(path); sealed {
			n++
		}
	}
	return n + len(put)
}

// checkIDs checks that the tape's own entries have ids from 1, and that each
// anchor is followed by its event.
func checkIDs(t *rapid.T, name string, all []Entry) {
	n := int64(0)
	for i, e := range all {
		if e.Source != "" {
			continue
		}
		if n++; e.ID != n {
			t.Fatalf("%s: entry %d has id %d", name, n, e.ID)
		}
		if e.Kind == KindAnchor && (i+1 == len(all) || !all[i+1].IsEventOf(&e)) {
			t.Fatalf("%s: %s is not followed by its event", name, e.Raw())
		}
	}
}

// plainly is the names without events of operations.
func plainly(entries []Entry) []string {
	list := []string{}
	for _, e := range entries {
		switch e.Kind {
		case KindMessage:
			list = append(list, content(e))
		case KindAnchor:
			list = append(list, "@"+e.Name())
		}
	}
	return list
}

// TestModel forks, merges, hands off and resets at random, also linked forks of
// linked forks, and compares with lists of names.
func TestModel(t *testing.T) {
	if os.Getenv("HANDOFF_MODEL") != "full" {
		checks := flag.Lookup("rapid.checks")
		defer checks.Value.Set(checks.Value.String())
		checks.Value.Set("25")
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{w: openIn(t, filepath.Join(t.TempDir(), ".handoff")), model: map[string]*modelTape{}}
		defer m.w.Close()
		if err := m.w.tape(Main).Ensure(ctx); err != nil {
			rt.Fatal(err)
		}
		m.model[Main] = &modelTape{entries: []string{"@session/start"}, own: 1}
		actions := map[string]func(*rapid.T){
			"append": m.append, "append more": m.append, "handoff": m.handoff, "fork": m.fork, "merge": m.merge, "discard": m.discard, "reset": m.reset,
			"": m.check,
		}
		rt.Repeat(actions)
	})
}
