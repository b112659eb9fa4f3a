package documents

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
)

// sessionsAt opens a workspace whose documents are in docs/handoffs, at a time after all of them.
func sessionsAt(t *testing.T) *workspace.Workspace {
	t.Helper()
	sessions, _ := task.Preset("sessions")
	c := config.Default()
	c.Documents = task.Layouts{sessions}
	return workspace.New(t.TempDir(), c, workspace.Options{Now: func() time.Time { return time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC) }})
}

func commit(t *testing.T, root, at string) {
	t.Helper()
	needs.Tool(t, "git")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "x"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = root, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// TestWhenKnown lists documents outside of task folders by the best evidence of each, and says
// so if that does not show which one is the newest.
func TestWhenKnown(t *testing.T) {
	const a, b, c = "docs/handoffs/a.md", "docs/handoffs/b.md", "docs/handoffs/c.md"
	type file struct{ path, text, committed, changed string }
	dated := func(day string) string { return "---\ndate: " + day + "\n---\n# H\n" }
	for name, tt := range map[string]struct {
		files []file
		want  []string // base names and what shows the time
		doubt string
	}{
		"frontmatter": {[]file{{path: a, text: dated("2026-06-20T10:00:00Z")}, {path: b, text: dated("2026-06-01T10:00:00Z")}}, []string{"a frontmatter", "b frontmatter"}, ""},
		"frontmatter, the other way": {[]file{{path: b, text: dated("2026-06-20T10:00:00Z")}, {path: a, text: dated("2026-06-01T10:00:00Z")}},
			[]string{"b frontmatter", "a frontmatter"}, ""},
		"names": {[]file{{path: "docs/handoffs/NOTES_2025-11-02.md"}, {path: "docs/handoffs/HANDOFF_2025-11-06.md"}}, []string{"HANDOFF_2025-11-06 name", "NOTES_2025-11-02 name"}, ""},
		"numbers": {[]file{{path: "docs/handoffs/session-07.md", changed: "2026-11-02T10:00:00Z"}, {path: "docs/handoffs/session-08.md", changed: "2026-11-01T10:00:00Z"}},
			[]string{"session-08 file", "session-07 file"}, ""},
		"commits": {[]file{{path: a, committed: "2026-11-01T10:00:00Z"}, {path: b, committed: "2026-11-02T10:00:00Z"}}, []string{"b commit", "a commit"}, ""},
		"one commit": {[]file{{path: a}, {path: b, committed: "2026-11-02T10:00:00Z"}}, []string{"b commit", "a commit"},
			"cannot tell whether a.md is newer than b.md"},
		"a commit and a date": {[]file{{path: a, text: dated("2026-10-01")}, {path: b, committed: "2026-11-02T10:00:00Z"}}, []string{"b commit", "a frontmatter"},
			"cannot tell whether a.md is newer than b.md"}, // b may have been written at any time before
		"a later commit than that of the date": {[]file{{path: a, text: dated("2026-10-01"), committed: "2026-11-01T10:00:00Z"}, {path: b, committed: "2026-11-02T10:00:00Z"}},
			[]string{"b commit", "a frontmatter"}, ""},
		"changed after its commit": {[]file{{path: a, committed: "2026-11-01T10:00:00Z"}, {path: b, committed: "2026-11-02T10:00:00Z"}, {path: a, text: "# changed\n", changed: "2026-11-20T10:00:00Z"}},
			[]string{"a file", "b commit"}, ""},
		"files": {[]file{{path: a, changed: "2026-11-02T10:00:00Z"}, {path: b, changed: "2026-11-01T10:00:00Z"}}, []string{"a file", "b file"}, ""},
		"copied files": {[]file{{path: a, changed: "2026-11-01T10:00:00Z"}, {path: b, changed: "2026-11-01T10:00:02Z"}}, []string{"b file", "a file"},
			"cannot tell whether a.md is newer than b.md"},
		"a copied file and a date": {[]file{{path: a, text: dated("2026-06-20"), changed: "2026-11-01T10:00:00Z"}, {path: b, changed: "2026-11-01T10:00:01Z"}}, []string{"b file", "a frontmatter"},
			"cannot tell whether a.md is newer than b.md"},
		"a new file and a date":       {[]file{{path: a, text: dated("2026-06-20"), changed: "2026-11-01T10:00:00Z"}, {path: b, changed: "2026-11-02T10:00:00Z"}}, []string{"b file", "a frontmatter"}, ""},
		"an old file and a date":      {[]file{{path: a, text: dated("2026-06-20")}, {path: b, changed: "2026-06-01T10:00:00Z"}}, []string{"a frontmatter", "b file"}, ""},
		"one day in names":            {[]file{{path: "docs/handoffs/2026-06-20-a.md"}, {path: "docs/handoffs/2026-06-20-b.md"}}, []string{"2026-06-20-b name", "2026-06-20-a name"}, "have the same time in their names"},
		"one day in names, and dates": {[]file{{path: "docs/handoffs/2026-06-20-a.md", text: dated("2026-06-20T12:00:00Z")}, {path: "docs/handoffs/2026-06-20-b.md", text: dated("2026-06-20T11:00:00Z")}}, []string{"2026-06-20-a frontmatter", "2026-06-20-b frontmatter"}, ""},
		"in the future":               {[]file{{path: a, text: dated("2027-06-20"), changed: "2026-06-02T10:00:00Z"}, {path: b, text: dated("2026-06-20")}}, []string{"b frontmatter", "a file"}, ""},
		"three":                       {[]file{{path: a, text: dated("2026-06-01")}, {path: b, text: dated("2026-06-03")}, {path: c, text: dated("2026-06-02")}}, []string{"b frontmatter", "c frontmatter", "a frontmatter"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := sessionsAt(t)
			for _, f := range tt.files {
				text := f.text
				if text == "" {
					text = "# " + path.Base(f.path) + "\n"
				}
				treetest.Write(t, w.Root, f.path, text)
				if f.committed != "" {
					commit(t, w.Root, f.committed)
				}
				if f.changed != "" {
					at, err := time.Parse(time.RFC3339, f.changed)
					if err == nil {
						err = os.Chtimes(filepath.Join(w.Root, f.path), at, at)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
			list, err := List(t.Context(), w, Filter{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range list {
				got = append(got, strings.TrimSuffix(path.Base(e.Path), ".md")+" "+string(e.When.By))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if doubt := list[0].Doubt; (doubt == "") != (tt.doubt == "") || !strings.Contains(doubt, tt.doubt) {
				t.Errorf("doubt %q, want %q", doubt, tt.doubt)
			}
			if e, err := Find(t.Context(), w, w.Root, "latest"); err != nil || e.Path != list[0].Path || e.Doubt != list[0].Doubt {
				t.Errorf("latest: %+v, %v", e, err)
			}
			chains, err := (&Dates{}).ListChains(t.Context(), w, func(handoff.Name) bool { return true })
			if err != nil || len(chains) != 1 || chains[0].Entry.Path != list[0].Path || chains[0].Doubt != list[0].Doubt {
				t.Errorf("chains: %+v, %v", chains, err)
			}
		})
	}
}

// A shallow clone does not know when a file was changed: its only commit has all of them.
func TestUnknownWhen(t *testing.T) {
	w := sessionsAt(t)
	treetest.Write(t, w.Root, "docs/handoffs/a.md", "# H\n")
	commit(t, w.Root, "2026-01-01T10:00:00Z")
	treetest.Write(t, w.Root, "x", "x")
	commit(t, w.Root, "2026-02-01T10:00:00Z")
	shallow := filepath.Join(t.TempDir(), "shallow")
	if out, err := exec.Command("git", "clone", "-q", "--depth", "1", "file://"+filepath.ToSlash(w.Root), shallow).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w = workspace.New(shallow, w.Config, w.Options)
	if got := When(t.Context(), w, EntryAt(w, "docs/handoffs/a.md"), nil); got.By != handoff.ByNothing || got.At.Known() {
		t.Errorf("%+v", got)
	}
}

// Documents of two tasks of one day are ordered by what they say, and it is told if nothing does.
func TestNewestOfDay(t *testing.T) {
	for _, tt := range []struct{ one, two, want, doubt string }{
		{"2026-03-17T12:00:00Z", "2026-03-17T11:00:00Z", "specs/1_one", ""},
		{"2026-03-17T11:00:00Z", "2026-03-17T12:00:00Z", "specs/2_two", ""},
		{"2026-03-17", "2026-03-17", "specs/1_one", "cannot tell whether specs/2_two/handoffs/phase-1-handoff-20260317.md is newer than "},
	} {
		w := open(t)
		treetest.Write(t, w.Root, "specs/1_one/handoffs/phase-1-handoff-20260317.md", "# H\n\n**Timestamp**: "+tt.one+"\n")
		treetest.Write(t, w.Root, "specs/2_two/handoffs/phase-1-handoff-20260317.md", "# H\n\n**Timestamp**: "+tt.two+"\n")
		e, err := Find(t.Context(), w, w.Root, "latest")
		if err != nil || e.Name.Dir != tt.want || !strings.HasPrefix(e.Doubt, tt.doubt) || (e.Doubt == "") != (tt.doubt == "") {
			t.Errorf("%s and %s: %s, %q, %v", tt.one, tt.two, e.Path, e.Doubt, err)
		}
	}
}

// drawn is a document with any time, as far as that is known.
func drawn(t *rapid.T) Entry {
	layout, _ := task.Preset("sessions")
	day := rapid.IntRange(1, 3).Draw(t, "day")
	paths := []string{
		fmt.Sprintf("specs/%d_x/handoffs/phase-%d-handoff-2026021%d.md", rapid.IntRange(1, 2).Draw(t, "task"), rapid.IntRange(1, 3).Draw(t, "phase"), day),
		fmt.Sprintf("specs/1_x/handoffs/phase-%d-handoff-2026021%dT143022Z.md", rapid.IntRange(1, 3).Draw(t, "phase"), day),
		fmt.Sprintf("specs/1_x/handoffs/phase-1-handoff-2026021%dT143022.0%dZ.md", day, rapid.IntRange(1, 3).Draw(t, "count")),
		"specs/1_x/handoffs/notes.md", "docs/handoffs/a.md", "docs/handoffs/session-07.md",
		fmt.Sprintf("docs/handoffs/2026-02-1%d-a.md", day),
	}
	p := rapid.SampledFrom(paths).Draw(t, "path")
	e := Entry{Path: p, Name: (task.Layouts{layout}).NameOf(p)}
	e.When = handoff.WrittenBy(e.Name, nil).When()
	at := time.Date(2026, 2, 10+day, rapid.IntRange(0, 2).Draw(t, "hour"), 0, 0, 0, time.UTC)
	if by := rapid.SampledFrom([]handoff.Source{"", handoff.ByFront, handoff.ByCommit, handoff.ByFile}).Draw(t, "by"); by != "" && e.Name.Time.IsZero() {
		e.When = handoff.When{At: handoff.Moment{Time: at, Unit: rapid.SampledFrom([]time.Duration{time.Second, time.Minute, handoff.Day}).Draw(t, "unit"), Zoned: true}, By: by}
		e.commit = at
	}
	return e
}

// The order of lists is a strict weak order, so sorting has one result, whatever the order before.
func TestOrderIsStrictWeak(t *testing.T) {
	less := func(a, b Entry) bool { return Compare(&a, &b) < 0 }
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawn(t), drawn(t), drawn(t)
		same := func(a, b Entry) bool { return !less(a, b) && !less(b, a) }
		switch {
		case less(a, a):
			t.Fatalf("%v before itself", a)
		case less(a, b) && less(b, a):
			t.Fatalf("%v and %v: each before the other", a, b)
		case less(a, b) && less(b, c) && !less(a, c):
			t.Fatalf("%v, %v, %v: not transitive", a, b, c)
		case same(a, b) && same(b, c) && !same(a, c):
			t.Fatalf("%v, %v, %v: equality is not transitive", a, b, c)
		}
	})
}

// However the files are found, the list is the same, and no older document of a folder without
// numbers is above a newer one.
func TestArrangedAlike(t *testing.T) {
	w := open(t)
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.Custom(drawn), 1, 12, func(e Entry) string { return e.Path }).Draw(t, "list")
		for i := range list {
			if list[i].When.By == "" { // as after looking at the file
				list[i].When.By = handoff.ByNothing
			}
		}
		one, other := slices.Clone(list), slices.Clone(list)
		rand.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		(*Dates)(nil).arrange(context.Background(), w, one, 0, nil)
		(*Dates)(nil).arrange(context.Background(), w, other, 0, nil)
		for i := range one {
			if one[i].Path != other[i].Path || one[i].Doubt != other[i].Doubt {
				t.Fatalf("%d: %s, %q or %s, %q", i, one[i].Path, one[i].Doubt, other[i].Path, other[i].Doubt)
			}
		}
		few := rapid.IntRange(1, len(list)).Draw(t, "few")
		(*Dates)(nil).arrange(context.Background(), w, list, few, nil)
		for i := range few {
			if one[i].Path != list[i].Path || one[i].Doubt != list[i].Doubt {
				t.Fatalf("%d of the first %d: %s, %q or %s, %q", i, few, one[i].Path, one[i].Doubt, list[i].Path, list[i].Doubt)
			}
		}
		if a, b := newest(one), newest(list); a.Path != b.Path || a.Doubt != b.Doubt {
			t.Fatalf("the newest: %s, %q or %s, %q", a.Path, a.Doubt, b.Path, b.Doubt)
		}
		var last time.Time
		for _, e := range one {
			if e.Name.Layout == "" || e.numbered() || !e.When.At.Known() {
				continue
			}
			if !last.IsZero() && e.When.At.Time.After(last) && e.Path != one[0].Path {
				t.Fatalf("%s at %s is below %s", e.Path, e.When.At, last)
			}
			last = e.When.At.Time
		}
	})
}
