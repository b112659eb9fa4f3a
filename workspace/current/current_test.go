package current_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/receipt"
	"handoff/workspace/current"
)

var (
	s1    = receipt.Session{Host: "claude", ID: "s1"}
	s2    = receipt.Session{Host: "codex", ID: "s2"}
	at    = time.Date(2026, 2, 12, 15, 0, 0, 0, time.FixedZone("", 3600))
	in1   = current.Caller{Sessions: []receipt.Session{s1}, User: "ada@m", Terminal: "pts/1"}
	in2   = current.Caller{Sessions: []receipt.Session{s2}}
	both  = current.Caller{Sessions: []receipt.Session{s1, s2}}
	tty1  = current.Caller{User: "ada@m", Terminal: "pts/1"}
	tty2  = current.Caller{User: "ada@m", Terminal: "pts/2"}
	other = current.Caller{User: "bob@m", Terminal: "pts/1"}
	bare  = current.Caller{User: "ada@m"}
	none  = current.Caller{}
)

// TestMade: who finds a claim again, and what everybody else is told about it.
func TestMade(t *testing.T) {
	for name, c := range map[string]struct {
		by, asks current.Caller
		made     bool
		where    string // for one who did not make it
	}{
		"the same session":                {in1, in1, true, ""},
		"the session, another shell":      {in1, current.Caller{Sessions: []receipt.Session{s1}}, true, ""},
		"another session":                 {in1, in2, false, "claimed in another session, claude s1"},
		"a session inside of it":          {in1, both, false, "claimed in another session, claude s1"},
		"the outer of two sessions":       {both, in1, false, "claimed in another session, claude s1 in codex s2"},
		"a person, of a session":          {in1, tty1, false, "claimed in a session, claude s1"},
		"no claim is known, of a session": {in1, none, false, "claimed in a session, claude s1"},
		"a session, of a person":          {tty1, in1, false, "claimed outside of this session"},
		"the same terminal":               {tty1, tty1, true, ""},
		"another terminal":                {tty1, tty2, false, "claimed in another terminal (run this there, or set HANDOFF_CLAIM)"},
		"another user there":              {tty1, other, false, "claimed by another user, or on another machine"},
		"no terminal, the same user":      {bare, bare, true, ""},
		"no terminal, of a terminal":      {tty1, bare, false, "claimed in another terminal (run this there, or set HANDOFF_CLAIM)"},
		"no claim is known, no caller":    {none, none, false, "claimed in another terminal (run this there, or set HANDOFF_CLAIM)"},
		"a session and its terminals":     {in1, current.Caller{Sessions: []receipt.Session{s1}, User: "bob@m"}, true, ""},
	} {
		e := c.by.Of("a.md", "id", "ada", at)
		if got := c.asks.Made(e); got != c.made {
			t.Errorf("%s: made %t, want %t", name, got, c.made)
		}
		if where := c.asks.Elsewhere(e); !c.made && where != c.where {
			t.Errorf("%s: %q, want %q", name, where, c.where)
		}
	}
}

// TestCaller: who can be recognized later, and who is one program for certain.
func TestCaller(t *testing.T) {
	for name, c := range map[string]struct {
		caller                 current.Caller
		known, alone, oneInUse bool
	}{
		"a session":      {in2, true, true, true},
		"two sessions":   {both, true, true, false},
		"a terminal":     {tty1, true, true, false},
		"only a user":    {bare, true, false, false},
		"no caller":      {none, false, false, false},
		"only a tty":     {current.Caller{Terminal: "pts/1"}, false, true, false},
		"a passed claim": {current.Caller{Claim: "1.x"}, false, false, false},
	} {
		s, ok := c.caller.Session()
		if c.caller.Known() != c.known || c.caller.Alone() != c.alone || ok != c.oneInUse || ok && s != c.caller.Sessions[0] || !ok && s != (receipt.Session{}) {
			t.Errorf("%s: known %t, alone %t, session %v %t", name, c.caller.Known(), c.caller.Alone(), s, ok)
		}
	}
	e := in1.Of("a.md", "id", "ada", at)
	if e.User+e.Terminal != "" || e.At.Location() != time.UTC {
		t.Errorf("%+v: a claim of a session has no terminal, and its time is in UTC", e)
	}
	if !e.Claim("3.id") || e.Claim("3.xid") || e.Claim("id") || e.Claim("") {
		t.Error("a claim is known by the last part of its id")
	}
}

// places are the receipts of two working trees of a repository.
func places(t *testing.T) (one, two receipt.Place) {
	t.Helper()
	git := t.TempDir()
	make := func(tree string) receipt.Place {
		return receipt.Place{Root: nofollow.Root(git), Dir: filepath.Join(git, "handoff", "receipts"),
			Own: nofollow.Root(git), OwnDir: filepath.Join(git, "worktrees", tree)}
	}
	return make("one"), make("two")
}

// TestBook: claims of sessions are seen from all working trees, those of terminals from one.
func TestBook(t *testing.T) {
	one, two := places(t)
	book, beside := current.Open(one), current.Open(two)
	if got := book.All(); got != nil {
		t.Fatalf("%+v before the first entry", got)
	}
	session, person := in1.Of("a.md", "1", "ada", at), tty1.Of("a.md", "2", "ada", at)
	for _, e := range []current.Entry{session, person, session} { // again: no second file
		if err := book.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := said(book.All()); got != "a.md 1, a.md 2" {
		t.Errorf("this working tree sees %s", got)
	}
	if got := said(beside.All()); got != "a.md 1" {
		t.Errorf("the other one sees %s", got)
	}
	beside.Remove(person) // it is of the other tree
	if beside.Remove(session); said(book.All()) != "a.md 2" {
		t.Errorf("%s are left, want a.md 2", said(book.All()))
	}
	book.Remove(session) // again: no error to show
	if book.Remove(person); len(book.All()) != 0 {
		t.Errorf("%s are left", said(book.All()))
	}
}

func said(list []current.Entry) string {
	var names []string
	for _, e := range list {
		names = append(names, e.Handoff+" "+e.ID)
	}
	return strings.Join(names, ", ")
}

// TestDamagedBook: what cannot be read, or is not where it belongs, counts as lost, and hides nothing else.
func TestDamagedBook(t *testing.T) {
	place, _ := places(t)
	book := current.Open(place)
	whole := in1.Of("a.md", "1", "ada", at)
	if err := book.Add(whole); err != nil {
		t.Fatal(err)
	}
	shared, own := place.Beside("current"), place.Apart("current")
	files, err := os.ReadDir(shared)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	src, err := os.ReadFile(filepath.Join(shared, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(shared, "0.json"):               "{",
		filepath.Join(shared, "1.json"):               string(src), // the name of another entry
		filepath.Join(own, files[0].Name()):           string(src), // of a session, where those of terminals are
		filepath.Join(shared, files[0].Name()+".tmp"): string(src),
		filepath.Join(shared, "2.json"):               `{"handoff":"a.md","sessions":[{"host":"claude","id":"s1"}]}`,
		filepath.Join(shared, "3.json"):               `{"id":"1","sessions":[{"host":"claude","id":"s1"}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := said(book.All()); got != "a.md 1" {
		t.Errorf("%s, want a.md 1", got)
	}
}
