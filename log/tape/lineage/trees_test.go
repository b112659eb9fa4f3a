package lineage

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// drawn is a tree in one line: each tape with its marks, and its forks in brackets.
func drawn(nodes []*Node) string {
	var list []string
	for _, n := range nodes {
		text := n.Tape
		if n.Status != "" && n.Status != Active {
			text += "-" + n.Status
		}
		if n.Missing {
			text += "?"
		}
		if n.Focus {
			text += "!"
		}
		if len(n.Children) > 0 {
			text += "(" + drawn(n.Children) + ")"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func fork(session, parent, tape, status string) Fork {
	f := Fork{SessionID: session, Tape: tape, Status: status}
	if parent != "" {
		f.ParentSessionID = &parent
	}
	return f
}

// TestTrees: forks are below their parents, and each tape is somewhere. A missing tape has
// the mark ?, the requested one !.
func TestTrees(t *testing.T) {
	family := []Fork{fork("s1", "main", "a", Active), fork("s2", "s1", "b", Merged), fork("s3", "main", "c", Discarded)}
	for name, c := range map[string]struct {
		forks []Fork
		tapes []string
		of    string
		want  string
	}{
		"no forks":                       {nil, []string{"b", "a"}, "", "a b"},
		"a family":                       {family, []string{"main", "a", "other"}, "", "main(a(b-merged) c-discarded) other"},
		"the tree of a tape":             {family, []string{"main", "a", "other"}, "a", "main(a!(b-merged) c-discarded)"},
		"the tree of a session":          {family, []string{"main", "a", "other"}, "s2", "main(a(b-merged!) c-discarded)"},
		"the tree of a root":             {family, []string{"main", "a", "other"}, "other", "other!"},
		"a tape that is gone":            {family, []string{"main"}, "", "main(a?(b-merged) c-discarded)"},
		"a parent that is gone":          {family, []string{"a"}, "", "main?(a(b-merged) c-discarded)"},
		"a name that was used again":     {[]Fork{fork("s1", "main", "a", Merged), fork("s2", "main", "a", Active)}, []string{"main", "a"}, "a", "main(a-merged a!)"},
		"a tape with the name of a fork": {[]Fork{fork("s1", "main", "a", Merged)}, []string{"main", "a"}, "", "a main(a-merged)"},
		"a fork of nothing":              {[]Fork{fork("s1", "", "a", Active)}, []string{"a"}, "", "a"},
		"a fork of itself":               {[]Fork{fork("s1", "s1", "a", Active)}, []string{"a"}, "", "a"},
		"forks of each other":            {[]Fork{fork("s1", "s2", "a", Active), fork("s2", "s1", "b", Active)}, []string{"a", "b"}, "", "b(a)"},
		"a fork without a tape":          {[]Fork{fork("s1", "main", "", Active)}, []string{"main"}, "", "main(s1?)"},
	} {
		nodes, err := Trees(c.forks, c.tapes, c.of)
		if got := drawn(nodes); err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
	if _, err := Trees(family, []string{"main"}, "nobody"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestDrawn: what is written at a fork and at the line to it.
func TestDrawn(t *testing.T) {
	anchor, at := "phase-1", int64(7)
	forks := []Fork{fork("s1", "main", "a", Merged), fork("s2", "main", "b", Discarded), fork("s3", "main", "s3", Active), fork("s4", "", "d", Merged)}
	forks[0].FromAnchor, forks[0].FromEntry, forks[1].FromEntry, forks[1].Linked = &anchor, &at, &at, true
	nodes, err := Trees(forks, []string{"main"}, "b")
	if err != nil {
		t.Fatal(err)
	}
	roots, err := Trees(forks, []string{"main"}, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	main := nodes[0].Drawn()
	for _, d := range append(main.Children, main, roots[0].Drawn()) {
		title := "-"
		if d.Title != nil {
			title = *d.Title
		}
		got = append(got, fmt.Sprint(d.ID, " ", title, " ", d.Edge, " ", d.Dashed, d.Merged, d.Focus, d.Notes))
	}
	want := []string{"s1 a from phase-1 false true false [merged]", "s2 b from entry 7 true false true [discarded]", "s3 - from start false false false [missing]",
		"main -  false false false []", "s4 d  false false false [merged]"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("drawn\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestNext: the first entry of the parent that a fork does not have.
func TestNext(t *testing.T) {
	at := int64(5)
	if whole, part := (&Event{Entries: 3}).Next(), (&Event{Entries: 3, FromEntry: &at}).Next(); whole != 4 || part != 8 {
		t.Errorf("next %d and %d, want 4 and 8", whole, part)
	}
	for status, over := range map[string]bool{Active: false, Merged: true, Discarded: true} {
		if (Fork{Status: status}).Over() != over {
			t.Errorf("%s: over %t", status, !over)
		}
	}
}
