package receipt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestParseWork: what a person types, and its name in the receipts of a repository and of a
// workspace in it.
func TestParseWork(t *testing.T) {
	top, sub := Place{}, Place{prefix: "a[1]/"}
	for text, want := range map[string][3]string{ // its form, and its names
		"issue:311":         {"issue:311", "issue://311", "issue://311"},
		"issue:#311":        {"issue:311", "issue://311", "issue://311"},
		"issue:ABC-12 / x":  {"issue:ABC-12 / x", "issue://ABC-12 / x", "issue://ABC-12 / x"},
		"task:007":          {"task:7", "task://7", "task://a[1]/7"},
		"path:src/x/**":     {"path:src/x/**", "path://src/x/**", `path://a\[1\]/src/x/**`},
		"path:././src/":     {"path:src", "path://src", `path://a\[1\]/src`},
		"path:/src/{a,b}/*": {"path:/src/{a,b}/*", "path://src/{a,b}/*", "path://src/{a,b}/*"},
	} {
		w, ok, err := ParseWork(text)
		if !ok || err != nil || w.String() != want[0] {
			t.Errorf("%s: %s %t %v", text, w, ok, err)
		}
		for i, p := range []Place{top, sub} {
			name, err := p.Work(w)
			if err != nil || name != want[i+1] || !IsWork(name) {
				t.Errorf("%s: %q %v, want %q", text, name, err, want[i+1])
			}
			if back, ok := p.WorkOf(name); !ok || back != w && !strings.HasPrefix(w.ID, "/") {
				t.Errorf("%s: %q is %q %t", text, name, back, ok)
			}
		}
	}
	for _, text := range []string{"issue:", "issue:#", "issue: 3", "issue://3", "issue:a\nb", "issue:a\u202eb", "issue:" + strings.Repeat("x", 201), "issue:\xff",
		"task:", "task:x", "task:-1", "task:9999999999", "path:", "path:/", "path:../x", "path:a/../b", "path://x", "path:[", "path:a\x00b"} {
		if _, ok, err := ParseWork(text); !ok || err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	for _, text := range []string{"259/3", "latest", "specs/1_a/handoffs/x.md", "./issue:311", "pathx", "", "issue"} {
		if _, ok, _ := ParseWork(text); ok {
			t.Errorf("%q is work", text)
		}
	}
	if w, ok := top.WorkOf("task://a/7"); ok {
		t.Errorf("%v is a task of another workspace", w)
	}
	if w, ok := sub.WorkOf("path://b/x"); !ok || w.String() != "path:/b/x" {
		t.Errorf("%v %t: paths of another workspace are named from the top", w, ok)
	}
	if _, err := (Place{prefix: strings.Repeat("a", 199) + "/"}).Work(Work{WorkPath, "x"}); err == nil {
		t.Error("a glob that is too long below its workspace is accepted")
	}
}

// TestPaths: a claim of paths excludes each other one that overlaps, whatever its own log of
// steps is, until that is over; and the holder of a displaced one is fenced off.
func TestPaths(t *testing.T) {
	s := openStore(t, realTemp(t))
	at := func(d time.Duration) Moment { return Moment{Now: noon.Add(d)} }
	all := record(t, s, "path://src/**", claim("ann", false, "")(at(0)))
	refused := func(path string, m Moment, by, common string) {
		t.Helper()
		_, err := s.Record(t.Context(), path, claim("bob", false, "")(m))
		held, is := errors.AsType[*HeldError](err)
		if !is || held.By != by || held.Common != common || !errors.Is(err, ErrRefused) {
			t.Fatalf("%s: %v", path, err)
		}
	}
	refused("path://src/x/a.go", at(0), "path://src/**", "src/x/a.go")
	docs := record(t, s, "path://docs", claim("bob", false, "")(at(0)))
	if docs.Claim.Token != 2 || all.Claim.Token != 1 {
		t.Errorf("tokens %d and %d: one log has one row of tokens", all.Claim.Token, docs.Claim.Token)
	}
	if name, l, err := s.Claimed(t.Context(), docs.Claim.ID); err != nil || name != "path://docs" || l.Claim.By != "bob" {
		t.Errorf("%s %v %v: a claim leads to its own glob", name, l.Claim, err)
	}
	forced := record(t, s, "path://src/x", claim("eve", true, "ann is ill")(at(time.Minute)))
	_, err := s.Record(t.Context(), "path://src/**", at(time.Minute).Renew(all.Claim.ID, time.Hour))
	if _, stale := errors.AsType[*StaleError](err); !stale || !strings.Contains(err.Error(), "path:src/** was taken from you by eve (token 1): ann is ill: stop") {
		t.Errorf("a displaced claim is renewed: %v", err)
	}
	if l, _ := s.Life("path://src/**"); l.State(noon.Add(time.Minute)) != Released || l.Last().Why != "ann is ill" || l.Last().By != "eve" {
		t.Errorf("%+v", l.Last())
	}
	refused("path://**/a.go", at(time.Minute), "path://docs", "docs/a.go")
	own := claim("eve", false, "")
	mine := func(path string) Decision {
		return func(name string, l *Life) ([]Step, error) {
			r := ClaimRequest{By: "eve", TTL: time.Hour, ID: func() string { return "r" }, Own: func(l *Life) bool { return l.Claim.ID == forced.Claim.ID }}
			return at(time.Minute).Claim(r)(name, l)
		}
	}
	record(t, s, "path://src/x/y", mine("path://src/x/y"))
	later := at(3 * time.Hour)
	record(t, s, "path://src/**", own(later)) // all leases are over
	if _, err := s.Record(t.Context(), "path://src/x", later.Renew(forced.Claim.ID, time.Hour)); !errors.Is(err, ErrRefused) {
		t.Errorf("a lease that another glob has replaced is revived: %v", err)
	}
	if _, err := s.Record(t.Context(), "path://docs", later.Renew(docs.Claim.ID, time.Hour)); err != nil {
		t.Errorf("a lease that nothing has replaced is not revived: %v", err)
	}
}

// TestPathsAgain: paths that are done can be claimed again, an issue that is done cannot.
func TestPathsAgain(t *testing.T) {
	s := openStore(t, realTemp(t))
	for name, again := range map[string]bool{"path://src": true, "issue://311": false, "task://7": false} {
		l := record(t, s, name, claim("ann", false, "")(Moment{Now: noon}))
		record(t, s, name, Moment{Now: noon}.Finish("", l.Claim.ID))
		_, err := s.Record(t.Context(), name, claim("bob", false, "")(Moment{Now: noon}))
		if (err == nil) != again {
			t.Errorf("%s: %v", name, err)
		}
		if !again && !strings.HasPrefix(err.Error(), strings.Replace(name, "://", ":", 1)+" is done") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWorkFiles: whatever a name has, its file is in the folder, and [Store.Changed] finds each
// lease once.
func TestWorkFiles(t *testing.T) {
	s := openStore(t, realTemp(t))
	for _, name := range []string{"issue://../../x", "issue:///etc/passwd", "path://a", "path://b", "task://7", "issue://CON"} {
		record(t, s, name, claim("ann", false, "")(Moment{Now: noon}))
		if file := s.file(keyOf(name)); filepath.Dir(file) != s.place.Dir || !Owns(filepath.Base(file)) {
			t.Errorf("%s is in %s", name, file)
		}
	}
	seen, names := Seen{}, []string{}
	for l, err := range s.Changed(seen) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, l.Name())
	}
	if len(names) != 6 {
		t.Errorf("%q", names)
	}
	for l, err := range s.Changed(seen) {
		t.Errorf("%v %v: nothing has changed", l.Name(), err)
	}
}

// TestFullLog: a log that is too long to be read says which file to delete, and when.
func TestFullLog(t *testing.T) {
	s := openStore(t, realTemp(t))
	name, err := s.Place().Work(Work{WorkPath, "src/**"})
	if err != nil {
		t.Fatal(err)
	}
	record(t, s, name, claim("ann", false, "")(Moment{Now: noon}))
	log := keyOf(name)
	if err := os.Truncate(s.file(log), maxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err = s.Life(name); err == nil || !strings.Contains(err.Error(), s.file(log)+" is full: ") || !strings.Contains(err.Error(), "delete the file") {
		t.Errorf("%v", err)
	}
}
