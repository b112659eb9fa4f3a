package bub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/state/names"
	"handoff/internal/testing/needs"
	"handoff/log/tape"
)

var ctx = context.Background()

func now() time.Time { return time.Date(2026, 2, 21, 12, 0, 0, 0, time.UTC) }

func open(t testing.TB, folder string) *Home {
	t.Helper()
	h, err := Open(folder, tape.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// put writes a file of a home.
func put(t testing.TB, h *Home, name, content string) {
	t.Helper()
	err := os.MkdirAll(h.folder, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(h.folder, name), []byte(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// say returns the line of a user's message.
func say(id int, text string) string {
	return fmt.Sprintf(`{"id": %d, "kind": "message", "payload": {"role": "user", "content": "%s"}, "meta": {}, "date": "2026-02-21T00:00:00+00:00"}`, id, text)
}

// texts is the ids and contents of a tape's entries.
func texts(t testing.TB, tp *tape.Tape) string {
	t.Helper()
	var list []string
	for _, e := range must(tp.All(tape.Query{}))(t) {
		var p struct{ Content, Name string }
		if err := json.Unmarshal(e.Payload, &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(e.ID, p.Content, p.Name))
	}
	return strings.Join(list, " ")
}

// TestNames compares with file names that Bub wrote.
func TestNames(t *testing.T) {
	if name, err := SessionName("/home/u/ws", "cli:local"); err != nil || name != "36ec1eb98e4108b2__0b871d5e50e7c192" {
		t.Error(name, err)
	}
	if name, err := OldName("/home/u/ws", "bub:abc"); err != nil || name != "36ec1eb98e4108b2580852e097bb709d__bub%3Aabc" {
		t.Error(name, err)
	}
	if name := OldSession("cli:local"); name != "bub:0b871d5e50e7c192" {
		t.Error(name)
	}
	for name, want := range map[string]string{"a b+c": "a%20b%2Bc", "größe/~_-.": "gr%C3%B6%C3%9Fe%2F~_-.", "x&y=$@": "x%26y%3D%24%40"} {
		if got := names.FileName(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
		if back, ok := unquote(want); !ok || back != name {
			t.Errorf("%s: %s, %v", want, back, ok)
		}
	}
	if _, ok := unquote("%3a"); ok {
		t.Error("Bub writes upper case")
	}
}

func TestResolve(t *testing.T) {
	folder := must(filepath.EvalSymlinks(t.TempDir()))(t)
	real := filepath.Join(folder, "real", "deep")
	if err := os.MkdirAll(real, 0o755); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, real, filepath.Join(folder, "link"))
	needs.Symlink(t, "nowhere", filepath.Join(folder, "dangling"))
	t.Chdir(folder)
	for path, want := range map[string]string{
		"link":            real,
		"link/new/x":      filepath.Join(real, "new", "x"),
		"link/../x":       filepath.Join(folder, "real", "x"),
		"missing/../link": real,
		".":               folder,
		"dangling/x":      filepath.Join(folder, "nowhere", "x"),
	} {
		if got, err := resolve(path); err != nil || got != want {
			t.Errorf("%s: %s, want %s (%v)", path, got, want, err)
		}
		if got, err := resolve(folder + string(filepath.Separator) + path); err != nil || got != want {
			t.Errorf("%s: %s, want %s (%v)", path, got, want, err)
		}
	}
}

func TestResolveLoop(t *testing.T) {
	folder := t.TempDir()
	loop := filepath.Join(folder, "loop")
	needs.Symlink(t, "loop", loop)
	if _, err := SessionName(loop, "s"); err == nil {
		t.Error("no error")
	}
}

func TestList(t *testing.T) {
	h := open(t, t.TempDir())
	if files, err := h.List(""); err != nil || files != nil {
		t.Errorf("%v, %v", files, err)
	}
	session := must(SessionName("/home/u/ws", "s"))(t)
	other := must(SessionName("/home/u/other", "s"))(t)
	old := must(OldName("/home/u/ws", "bub:abc"))(t)
	for _, name := range []string{session, session + "__sidecar__spill", other, old, old + "__0123abcd", "main"} {
		put(t, h, name+".jsonl", say(1, "x")+"\n")
	}
	for _, name := range []string{session + ".jsonl.20260102T030405Z.bak", session + ".jsonl.20251231T235959Z.bak", session + ".jsonl.lock",
		session + ".jsonl.bak", old + ".jsonl.20260102T030405Z.bak", ".jsonl", "notes.txt"} {
		put(t, h, name, "")
	}
	if err := os.Mkdir(filepath.Join(h.folder, "a__b.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	show := func(files []File) (list []string) {
		for _, f := range files {
			s := f.Name
			if f.Hidden {
				s += " hidden"
			}
			if f.Sidecar != "" {
				s += " " + f.Sidecar + " of " + f.Of
			}
			if f.Old {
				s += " old"
			}
			if len(f.Archives) > 0 {
				s += fmt.Sprintf(" %d %s", len(f.Archives), filepath.Base(f.Archives[0]))
			}
			list = append(list, s)
		}
		return list
	}
	want := []string{"bub:abc old 1 " + old + ".jsonl.20260102T030405Z.bak", "bub:abc__0123abcd hidden old",
		session + " 2 " + session + ".jsonl.20251231T235959Z.bak", session + "__sidecar__spill hidden spill of " + session}
	if got := show(must(h.List("/home/u/ws"))(t)); !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if all := must(h.List(""))(t); len(all) != 6 || all[5].Stem != "main" || !all[5].Hidden || all[5].Bytes == 0 || all[5].Modified.IsZero() {
		t.Errorf("%+v", all)
	}
}

// TestListLinks: a tape that is a symbolic link is listed with its target, but
// neither read nor written: Bub follows it.
func TestListLinks(t *testing.T) {
	h := open(t, t.TempDir())
	outside := filepath.Join(t.TempDir(), "theirs.jsonl")
	const theirs = `{"id": 1, "kind": "message", "payload": {}, "meta": {}}` + "\n"
	if err := errors.Join(os.MkdirAll(h.folder, 0o755), os.WriteFile(outside, []byte(theirs), 0o644)); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, outside, h.path("a__out"))
	needs.Symlink(t, "nowhere", h.path("b__lost"))
	files := must(h.List(""))(t)
	if len(files) != 2 || files[0].Link != outside || files[1].Link != "nowhere" {
		t.Fatalf("%+v", files)
	}
	for _, f := range files {
		if stem, err := h.Find(t.TempDir(), f.Stem); err != nil || stem != f.Stem {
			t.Errorf("%s: %q, %v", f.Stem, stem, err)
		}
		tp := must(h.Tape(f.Stem))(t)
		_, readErr := tp.All(tape.Query{})
		_, writeErr := tp.Append(ctx, entry(t, "message", `{}`, ""))
		for _, err := range []error{readErr, writeErr} {
			if err == nil || !strings.Contains(err.Error(), "is a symbolic link to ") {
				t.Errorf("%s: %v", f.Stem, err)
			}
		}
	}
	if got := string(must(os.ReadFile(outside))(t)); got != theirs {
		t.Errorf("%s", got)
	}
}

func TestFind(t *testing.T) {
	h := open(t, t.TempDir())
	const ws = "/home/u/ws"
	if _, err := h.Find(ws, "cli:local"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "36ec1eb98e4108b2__0b871d5e50e7c192.jsonl") {
		t.Error(err)
	}
	names := []string{must(OldName(ws, OldSession("cli:local")))(t), must(OldName(ws, "cli:local"))(t), must(SessionName(ws, "cli:local"))(t)}
	for _, want := range names { // each sorts before the existing ones
		put(t, h, want+".jsonl", "")
		if stem, err := h.Find(ws, "cli:local"); err != nil || stem != want {
			t.Errorf("%s, want %s (%v)", stem, want, err)
		}
		if stem, err := h.Find("/elsewhere", want); err != nil || stem != want {
			t.Errorf("%s, want %s (%v)", stem, want, err)
		}
	}
	put(t, h, "../outside.jsonl", say(1, "x"))
	if _, err := h.Find(ws, "../outside"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for _, stem := range []string{"", "../outside", ".x", "a/b", `a\b`, "a\x00", strings.Repeat("x", 201)} {
		if _, err := h.Tape(stem); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", stem, err)
		}
		if _, err := h.Check(stem); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", stem, err)
		}
		if _, _, err := h.Fix(ctx, stem); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", stem, err)
		}
	}
}

// generations is the lines of each version.
var generations = `{"id": 1, "kind": "anchor", "payload": {"name": "session/start", "state": {"owner": "human"}}, "meta": {}}
{"id": 2, "kind": "message", "payload": {"role": "user", "content": "größe"}, "meta": {"run_id": "r"}, "timestamp": 1772700000.123}
{"id": 3, "kind": "message", "payload": {"x": NaN}, "meta": {}, "date": "2026-11-20T17:41:32.725057+00:00", "more": [1]}
torn {"id
{"id": 3, "kind": "event", "payload": {"name": "twice"}, "meta": {"origin": {"tape": "t", "id": 8}}, "date": "2026-11-20T17:41:33+00:00"}
{"id": 2, "kind": "event", "payload": {"name": "back"}, "meta": {}, "date": "2026-11-20T17:41:33+00:00"}
`

func TestConvert(t *testing.T) {
	h := open(t, t.TempDir())
	store, err := tape.Open(filepath.Join(t.TempDir(), ".handoff"), tape.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	old := must(OldName("/home/u/ws", "bub:abc"))(t)
	put(t, h, old+".jsonl", generations)
	c := must(h.Import(t.Context(), old, store, "from bub"))(t)
	if c.Entries != 5 || c.Renumbered != 2 || c.Passed != 1 || c.Tape != "from bub" {
		t.Errorf("%+v", c)
	}
	want := `{"id": 1, "kind": "anchor", "payload": {"name": "session/start", "state": {"owner": "human"}}, "meta": {}, "date": "1970-01-01T00:00:00+00:00"}
{"id": 2, "kind": "message", "payload": {"role": "user", "content": "größe"}, "meta": {"run_id": "r"}, "date": "2026-03-05T08:40:00.123000+00:00"}
{"id": 3, "kind": "message", "payload": {"x": null}, "meta": {}, "date": "2026-11-20T17:41:32.725057+00:00", "more": [1]}
{"id": 4, "kind": "event", "payload": {"name": "twice"}, "meta": {"origin": {"tape": "t", "id": 8}}, "date": "2026-11-20T17:41:33+00:00"}
{"id": 5, "kind": "event", "payload": {"name": "back"}, "meta": {"origin": {"tape": "` + old + `", "id": 2}}, "date": "2026-11-20T17:41:33+00:00"}
`
	if got := string(must(os.ReadFile(c.Path))(t)); got != want {
		t.Errorf("%s", got)
	}
	native := must(store.Tape("from bub"))(t)
	if stored := must(native.Handoff(ctx, "here", nil, nil))(t); stored[0].ID != 6 {
		t.Errorf("%+v", stored)
	}
	session := must(SessionName("/home/u/ws", "s"))(t)
	if c = must(h.Export(t.Context(), store, native, session))(t); c.Entries != 7 || c.Renumbered+c.Passed != 0 {
		t.Errorf("%+v", c)
	}
	if got, want := string(must(os.ReadFile(c.Path))(t)), string(must(os.ReadFile(native.Path()))(t)); got != want {
		t.Errorf("%s", got)
	}
	for what, err := range map[string]error{
		"import to an existing name": second(h.Import(t.Context(), old, store, "from bub")),
		"export to an existing name": second(h.Export(t.Context(), store, native, session)),
	} {
		if !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := h.Import(t.Context(), "none", store, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if names := must(store.List())(t); !slices.Equal(names, []string{"from bub"}) {
		t.Errorf("%q", names)
	}
}

// TestConvertFork converts a linked fork that is over to Bub and back: the copy
// has all entries once, and is not a fork.
func TestConvertFork(t *testing.T) {
	h := open(t, t.TempDir())
	store, err := tape.Open(filepath.Join(t.TempDir(), ".handoff"), tape.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	parent := must(store.Tape(tape.Main))(t)
	must(parent.Append(ctx, entry(t, "message", `{"content": "of main"}`, "")))(t)
	must(parent.Fork(ctx, tape.ForkRequest{To: "fork", Link: true}))(t)
	fork := must(store.Tape("fork"))(t)
	must(fork.Append(ctx, entry(t, "message", `{"content": "of the fork"}`, "")))(t)
	c := must(h.Export(t.Context(), store, fork, "a__b"))(t)
	const want = "1session/start 2handoff 3of main 4tape.fork 5of the fork"
	if got := texts(t, must(h.Tape("a__b"))(t)); got != want || c.Renumbered != 2 {
		t.Errorf("%q, %+v", got, c)
	}
	f := must(os.OpenFile(c.Path, os.O_APPEND|os.O_WRONLY, 0))(t)
	fmt.Fprintln(f, `{"id": 6, "kind": "event", "payload": {"name": "tape.closed", "data": {"as": "merged"}}, "meta": {}}`)
	f.Close()
	must(h.Import(t.Context(), "a__b", store, "back"))(t)
	back := must(store.Tape("back"))(t)
	must(back.Append(ctx, entry(t, "message", `{"content": "continued"}`, "")))(t)
	if got := texts(t, back); got != "1session/start 2handoff 3of main 4tape.fork.copied 5of the fork 6tape.closed.copied 7continued" {
		t.Errorf("%q", got)
	}
	if forks := must(store.Forks(ctx))(t); len(forks) != 1 || forks[0].Tape != "fork" {
		t.Errorf("%+v", forks)
	}
}

func second[A any](_ A, err error) error { return err }

// TestFix has the files of which Bub loses entries. Here each is read completely;
// testBubFixed checks that Bub does so after the fix.
func TestFix(t *testing.T) {
	for _, c := range damaged {
		h := open(t, t.TempDir())
		put(t, h, "a__b.jsonl", c.content)
		tp := must(h.Tape("a__b"))(t)
		if got := texts(t, tp); got != c.reads {
			t.Errorf("%s: reads %q", c.what, got)
		}
		report, err := h.Check("a__b")
		if err != nil || !reflect.DeepEqual(report, c.report) || report.OK() != (c.fixed == "") {
			t.Errorf("%s: %+v, %v", c.what, report, err)
		}
		archive, again, err := h.Fix(ctx, "a__b")
		if err != nil || !reflect.DeepEqual(again, report) || report.OK() != (archive == "") {
			t.Errorf("%s: %q, %+v, %v", c.what, archive, again, err)
		}
		got := string(must(os.ReadFile(tp.Path()))(t))
		if c.fixed == "" {
			if got != c.content {
				t.Errorf("%s: it needed no fix, and became %q", c.what, got)
			}
			continue
		}
		if kept := string(must(os.ReadFile(archive))(t)); got != c.fixed || kept != c.content {
			t.Errorf("%s: became %q, and %q was kept", c.what, got, kept)
		}
		if got := texts(t, tp); got != c.reads {
			t.Errorf("%s: reads %q after the fix", c.what, got)
		}
		if report, err := h.Check("a__b"); err != nil || !report.OK() {
			t.Errorf("%s: %+v after the fix, %v", c.what, report, err)
		}
		put(t, h, "a__b.jsonl", c.content)
		if _, _, err := h.Fix(ctx, "a__b"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: an archive was overwritten: %v", c.what, err)
		}
	}
}

var damaged = []struct {
	what, content, reads, fixed string
	report                      Report
}{
	{"in order", say(1, "a") + "\n\n" + say(3, "größe") + "\r\n[]\n" + say(3, "b") + "\n", "1a 3größe 3b", "", Report{}},
	{"empty", "", "", "", Report{}},
	{"an open end", say(1, "a") + "\n" + say(2, "b"), "1a 2b", say(1, "a") + "\n" + say(2, "b") + "\n", Report{Open: true}},
	{"torn within a character", say(1, "a") + "\n" + `{"id": 2, "kind": "` + "\xc3", "1a", say(1, "a") + "\n" + `{"id": 2, "kind": "` + "\ufffd\n",
		Report{NoText: []int64{2}, Open: true}},
	{"a bad byte", say(1, "a\xff") + "\n" + say(2, "b") + "\n", "1a\ufffd 2b", say(1, "a\ufffd") + "\n" + say(2, "b") + "\n", Report{NoText: []int64{1}}},
	{"joined to a torn line", say(1, "a")[:60] + say(1, "b") + "\n" + say(2, "c") + "\n", "1b 2c", say(1, "b") + "\n" + say(2, "c") + "\n", Report{Glued: []int64{1}}},
	{"joined to a complete line", say(1, "a") + say(2, "b") + "\n", "1a 2b", say(1, "a") + "\n" + say(2, "b") + "\n", Report{Glued: []int64{1}}},
	{"a byte order mark", "\ufeff" + say(1, "a") + "\n", "1a", say(1, "a") + "\n", Report{Mark: []int64{1}}},
}

// TestSidecars converts a tape with sidecars from a home to a store, and to
// another home.
func TestSidecars(t *testing.T) {
	h, other := open(t, t.TempDir()), open(t, t.TempDir())
	spilled := say(1, "chunk") + "\n" + say(2, "größe") + "\n"
	put(t, h, "a__b.jsonl", say(1, "x")+"\n")
	put(t, h, "a__b__sidecar__spill.jsonl", spilled)
	put(t, h, "a__bc__sidecar__spill.jsonl", say(1, "of another")+"\n")
	store, err := tape.Open(filepath.Join(t.TempDir(), ".handoff"), tape.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	c := must(h.Import(t.Context(), "a__b", store, "in"))(t)
	if len(c.Sidecars) != 1 || c.Sidecars[0].Entries != 2 || c.Sidecars[0].Tape != "in__sidecar__spill" {
		t.Errorf("%+v", c)
	}
	if list := must(store.List())(t); !slices.Equal(list, []string{"in", "in__sidecar__spill"}) {
		t.Errorf("%q", list)
	}
	in := must(store.Tape("in"))(t)
	c = must(other.Export(t.Context(), store, in, "c__d"))(t)
	if len(c.Sidecars) != 1 || string(must(os.ReadFile(filepath.Join(other.folder, "c__d__sidecar__spill.jsonl")))(t)) != spilled {
		t.Errorf("%+v", c)
	}
	// Existing names are found before anything is written.
	if err := os.Remove(filepath.Join(other.folder, "c__d.jsonl")); err != nil {
		t.Fatal(err)
	}
	if c, err := other.Export(t.Context(), store, in, "c__d"); !errors.Is(err, fs.ErrExist) || c.Tape != "c__d__sidecar__spill" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := os.Stat(filepath.Join(other.folder, "c__d.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestCheckEnd(t *testing.T) {
	h := open(t, t.TempDir())
	long := strings.Repeat("ü", 100_000)
	for content, torn := range map[string]bool{
		"":                 false,
		say(1, "x") + "\n": false,
		say(1, "x"):        false,
		say(1, "x") + "\n" + `{"id": 2, "payload": "gr` + "\xc3": true,
		say(1, "x\xff") + "\n": false, // not the end: Check reports it
		long:                   false,
		"a" + long:             false,
		long + "\xc3":          true,
	} {
		put(t, h, "a__b.jsonl", content)
		if err := h.CheckEnd("a__b"); errors.Is(err, ErrTorn) != torn || err != nil && !torn {
			t.Errorf("%.80q: %v", content, err)
		}
	}
}
