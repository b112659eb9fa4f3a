package tape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"handoff/log/tape/entry"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/journal"
	"handoff/internal/state/names"
	"handoff/log/engine"
)

// workshop is a store whose clock advances by a second with each call.
type workshop struct {
	*Store
	t  testing.TB
	mu sync.Mutex
	at time.Time
	n  int

	engine engine.Engine // nil: the files are the store
}

func open(t testing.TB) *workshop { return openIn(t, filepath.Join(t.TempDir(), ".handoff")) }

func openIn(t testing.TB, folder string) *workshop { return openWith(t, folder, nil) }

func openWith(t testing.TB, folder string, upstream func(string) journal.Upstream) *workshop {
	t.Helper()
	w := &workshop{t: t, at: time.Date(2026, 2, 21, 12, 0, 0, 0, time.UTC)}
	s, err := Open(folder, Options{Now: w.now, NewID: w.newID, Batch: time.Minute, Upstream: upstream}) // flushed when it is closed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	w.Store = s
	return w
}

func (w *workshop) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(time.Second)
	return w.at
}

func (w *workshop) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return fmt.Sprintf("%08x", w.n)
}

func (w *workshop) tape(name string) *Tape {
	w.t.Helper()
	return must(w.Tape(name))(w.t)
}

// bare is a tape in a file outside the store.
func (w *workshop) bare(content string) *Tape {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), "0123456789abcdef__0123456789abcdef.jsonl")
	if content != "" {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	return must(w.File(path))(w.t)
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

var ctx = context.Background()

func message(text string) Entry {
	e, err := NewEntry(KindMessage, map[string]string{"role": "user", "content": text}, nil)
	if err != nil {
		panic(err)
	}
	return e
}

func anchor(name string) Entry {
	e, err := NewEntry(KindAnchor, map[string]string{"name": name}, nil)
	if err != nil {
		panic(err)
	}
	return e
}

func event(name string) Entry {
	e, err := entry.NewEvent(name, nil)
	if err != nil {
		panic(err)
	}
	return e
}

// add appends entries one by one.
func add(t testing.TB, tape *Tape, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		must(tape.Append(ctx, e))(t)
	}
}

// short is the texts of entries, with their kind unless they are messages.
func short(entries []Entry) string {
	var list []string
	for _, e := range entries {
		s := content(e)
		if e.Kind != KindMessage {
			s = e.Kind[:1] + ":" + s
		}
		list = append(list, s)
	}
	return strings.Join(list, " ")
}

func ids(entries []Entry) (list []int64) {
	for _, e := range entries {
		list = append(list, e.ID)
	}
	return list
}

func wantShort(t testing.TB, tape *Tape, q Query, want string) {
	t.Helper()
	entries, err := tape.All(q)
	if got := short(entries); err != nil || got != want {
		t.Errorf("%s: %+v: %q, want %q (%v)", tape.Name(), q, got, want, err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	return string(must(os.ReadFile(path))(t))
}

func TestNames(t *testing.T) {
	for name, file := range map[string]string{
		"main":            "main",
		"telegram:123":    "telegram%3A123",
		"bub:abc":         "bub%3Aabc",
		"a/../b":          "a%2F..%2Fb",
		"größe ~_-.x":     "gr%C3%B6%C3%9Fe%20~_-.x",
		"100%":            "100%25",
		`C:\x`:            "C%3A%5Cx",
		"main.jsonl.lock": "main.jsonl.lock",
	} {
		if err := CheckName(name); err != nil || names.FileName(name) != file {
			t.Errorf("%s: %s, %v", name, names.FileName(name), err)
		}
		if back, ok := names.TapeOf(file); !ok || back != name {
			t.Errorf("%s: %q, %v", file, back, ok)
		}
	}
	w := open(t)
	for _, name := range []string{"", ".", "..", "../x", ".hidden", "x.", "a\nb", "a\x00", "\xff", "con", "NUL.x", strings.Repeat("x", names.MaxName+1), strings.Repeat("ä", names.MaxName/2+1)} {
		if _, err := w.Tape(name); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, file := range []string{"a b", "%3a", "", "%", ".x"} {
		if name, ok := names.TapeOf(file); ok {
			t.Errorf("%s is the file of %q", file, name)
		}
	}
}

// TestBegin checks the layout, and what a tape starts with.
func TestBegin(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	if list, err := w.List(); err != nil || len(list) > 0 {
		t.Errorf("%q, %v", list, err)
	}
	if ok, err := tape.Exists(); ok || err != nil {
		t.Error(ok, err)
	}
	wantShort(t, tape, Query{}, "")
	stored := must(tape.Append(ctx, message("Hello"), message("Hi!")))(t)
	if !slices.Equal(ids(stored), []int64{3, 4}) || stored[0].Date != "2026-02-21T12:00:01+00:00" {
		t.Errorf("%+v", stored)
	}
	stored = must(tape.Handoff(ctx, "phase/intro", json.RawMessage(`{"summary":"Greeting done"}`), json.RawMessage(`{"run_id":"r"}`)))(t)
	if !slices.Equal(ids(stored), []int64{5, 6}) {
		t.Errorf("%+v", stored)
	}
	must(tape.Handoff(ctx, "bare", nil, nil))(t)
	want := `{"id": 1, "kind": "anchor", "payload": {"name": "session/start", "state": {"owner": "human"}}, "meta": {}, "date": "2026-02-21T12:00:01+00:00"}
{"id": 2, "kind": "event", "payload": {"name": "handoff", "data": {"name": "session/start", "state": {"owner": "human"}}}, "meta": {}, "date": "2026-02-21T12:00:01+00:00"}
{"id": 3, "kind": "message", "payload": {"content": "Hello", "role": "user"}, "meta": {}, "date": "2026-02-21T12:00:01+00:00"}
{"id": 4, "kind": "message", "payload": {"content": "Hi!", "role": "user"}, "meta": {}, "date": "2026-02-21T12:00:01+00:00"}
{"id": 5, "kind": "anchor", "payload": {"name": "phase/intro", "state": {"summary": "Greeting done"}}, "meta": {"run_id": "r"}, "date": "2026-02-21T12:00:02+00:00"}
{"id": 6, "kind": "event", "payload": {"name": "handoff", "data": {"name": "phase/intro", "state": {"summary": "Greeting done"}}}, "meta": {"run_id": "r"}, "date": "2026-02-21T12:00:02+00:00"}
{"id": 7, "kind": "anchor", "payload": {"name": "bare"}, "meta": {}, "date": "2026-02-21T12:00:03+00:00"}
{"id": 8, "kind": "event", "payload": {"name": "handoff", "data": {"name": "bare", "state": {}}}, "meta": {}, "date": "2026-02-21T12:00:03+00:00"}
`
	if got := read(t, filepath.Join(w.folder, "tape", "main.jsonl")); got != want {
		t.Errorf("%s", got)
	}
	if err := w.tape("b").Ensure(ctx); err != nil {
		t.Error(err)
	}
	if err := w.tape("b").Ensure(ctx); err != nil {
		t.Error(err)
	}
	wantShort(t, w.tape("b"), Query{}, "a:session/start e:handoff")
	if list := must(w.List())(t); !slices.Equal(list, []string{"b", "main"}) {
		t.Errorf("%q", list)
	}
	for what, err := range map[string]error{
		"a list as state": second(tape.Handoff(ctx, "x", json.RawMessage("[]"), nil)),
		"no JSON":         second(tape.Handoff(ctx, "x", json.RawMessage("{"), nil)),
		"too long":        second(tape.Append(ctx, message(strings.Repeat("x", MaxEntry)))),
	} {
		if !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := read(t, tape.Path()); got != want {
		t.Error("a refused entry was written")
	}
}

func second[A any](_ A, err error) error { return err }

// TestBubFiles is the rules of Bub's file store, from its tests: ids start at 1
// and continue those of the file; files are separate by name; appends of other
// programs and truncation are noticed.
func TestBubFiles(t *testing.T) {
	w := open(t)
	tape := w.bare("")
	if entries, err := tape.All(Query{}); err != nil || entries != nil {
		t.Errorf("%v, %v", entries, err)
	}
	add(t, tape, event("one"), event("two"), event("three"))
	if got := ids(must(tape.All(Query{}))(t)); !slices.Equal(got, []int64{1, 2, 3}) {
		t.Errorf("ids %v", got)
	}
	tape = w.bare(`{"id": 3, "kind": "event", "payload": {"name": "old"}, "meta": {}}` + "\n")
	add(t, tape, event("new"))
	if got := ids(must(tape.All(Query{}))(t)); !slices.Equal(got, []int64{3, 4}) {
		t.Errorf("ids %v", got)
	}
	appendTo(t, tape.Path(), say(9, "outside")+"\n")
	wantShort(t, tape, Query{}, "e:old e:new outside")
	add(t, tape, message("after"))
	if got := ids(must(tape.All(Query{}))(t)); !slices.Equal(got, []int64{3, 4, 9, 10}) {
		t.Errorf("ids %v", got)
	}
	if err := os.WriteFile(tape.Path(), []byte(say(1, "cut")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantShort(t, tape, Query{}, "cut")
}

func appendTo(t testing.TB, path, s string) {
	t.Helper()
	f := must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	defer f.Close()
	if _, err := f.WriteString(s); err != nil {
		t.Fatal(err)
	}
}

// TestTornTable is the table of how Bub reads damaged files: what is read here,
// and what is read after one more entry.
func TestTornTable(t *testing.T) {
	whole := say(1, "a") + "\n"
	for name, c := range map[string]struct {
		content, reads string
		next           int64
		passed         int
	}{
		"torn last line":                   {whole + say(2, "b")[:60], "a", 2, 1},
		"last line without a line end":     {whole + say(2, "b"), "a b", 3, 0},
		"torn within a character":          {whole + say(2, "ü")[:strings.Index(say(2, "ü"), "ü")+1], "a", 2, 1},
		"a bad byte in the first line":     {say(1, "\xff") + "\n" + say(2, "b") + "\n", "\ufffd b", 3, 0},
		"a bad byte outside of any text":   {"\xff\xfe" + whole + say(2, "b") + "\n", "a b", 3, 0},
		"CRLF":                             {say(1, "a") + "\r\n" + say(2, "b") + "\r\n", "a b", 3, 0},
		"CR":                               {say(1, "a") + "\r" + say(2, "b") + "\r", "a b", 3, 0},
		"U+2028 and U+0085":                {say(1, "\u2028\u0085") + "\n", "\u2028\u0085", 2, 0},
		"a byte order mark":                {"\ufeff" + whole, "a", 2, 0},
		"no entries":                       {"[1]\n5\n{\"id\": \"1\"}\n{\"id\": 1.5}\n\n{\"id\": 1}\n" + whole, "a", 2, 5},
		"id true":                          {strings.Replace(whole, "1", "true", 1), "a", 2, 0},
		"ids out of order":                 {say(9, "a") + "\n" + say(2, "b") + "\n", "a b", 10, 0},
		"ids below 0":                      {say(-5, "a") + "\n", "a", 1, 0},
		"an id after the last":             {strings.Replace(whole, "1", "99999999999999999999", 1) + say(4, "b") + "\n", "a b", 5, 0},
		"ids twice":                        {whole + say(1, "b") + "\n", "a b", 2, 0},
		"NaN":                              {`{"id": 1, "kind": "message", "payload": {"content": "a", "x": NaN}}` + "\n", "a", 2, 0},
		"half a surrogate pair":            {`{"id": 1, "kind": "message", "payload": {"content": "\ud83d"}}` + "\n", "\ufffd", 2, 0},
		"names twice":                      {`{"id": 1, "kind": "message", "payload": {"content": "a"}, "payload": {"content": "b"}}` + "\n", "b", 2, 0},
		"joined to a torn line":            {say(1, "a")[:60] + say(1, "b") + "\n" + say(2, "c") + "\n", "b c", 3, 0},
		"joined to a complete line":        {say(1, "a") + say(2, "b") + "\n" + say(3, "c") + "\n", "a b c", 4, 0},
		"a damaged line end":               {say(1, "a") + "\xff\x00" + say(2, "b") + "\n" + say(3, "c") + "\n", "a b c", 4, 0},
		"a null date":                      {`{"id": 1, "kind": "message", "payload": {"content": "a"}, "meta": {}, "date": null}` + "\n", "a", 2, 0},
		"an unknown kind and more members": {`{"id": 1, "kind": "x.y", "payload": {"content": "a"}, "meta": {}, "by": "me"}` + "\n", "x:a", 2, 0},
		"zeros after a power failure":      {whole + strings.Repeat("\x00", 9000), "a", 2, 1},
		"empty":                            {"", "", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			tape := w.bare(" ")
			if err := os.WriteFile(tape.Path(), []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
			wantShort(t, tape, Query{}, c.reads)
			stored, err := tape.Append(ctx, message("new"))
			if err != nil || stored[0].ID != c.next {
				t.Errorf("the next id was %v, want %d (%v)", ids(stored), c.next, err)
			}
			after := strings.Trim(c.reads+" new", " ")
			wantShort(t, tape, Query{}, after)
			fresh := open(t)
			wantShort(t, must(fresh.File(tape.Path()))(t), Query{}, after)
			if got := read(t, tape.Path()); !strings.HasPrefix(got, c.content) || !strings.HasSuffix(got, "\n") || strings.Count(got, "\n") > strings.Count(c.content, "\n")+2 {
				t.Errorf("the file became %q", got)
			}
			info, err := tape.Info()
			if err != nil || info.Passed != c.passed || info.Entries != len(strings.Split(after, " ")) {
				t.Errorf("%+v, %v", info, err)
			}
		})
	}
}

// A half-written line that its writer completes is read.
func TestCompletedLine(t *testing.T) {
	w := open(t)
	tape := w.bare(say(1, "a") + "\n" + say(2, "b")[:50])
	wantShort(t, tape, Query{}, "a")
	appendTo(t, tape.Path(), say(2, "b")[50:]+"\n")
	wantShort(t, tape, Query{}, "a b")
	// a replacement file that is not smaller
	other := tape.Path() + ".new"
	if err := os.WriteFile(other, []byte(say(7, "x")+"\n"+say(8, strings.Repeat("y", 500))+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, tape.Path()); err != nil {
		t.Fatal(err)
	}
	wantShort(t, tape, Query{}, "x "+strings.Repeat("y", 500))
}

// TestHalfHandoff cuts a handoff within its event, as a crash does, and
// appends.
func TestHalfHandoff(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	must(tape.Handoff(ctx, "p", json.RawMessage(`{"a": 1}`), json.RawMessage(`{"m": 2}`)))(t)
	whole := read(t, tape.Path())
	start := strings.LastIndex(whole[:len(whole)-1], "\n") + 1
	for cut := start + 1; cut < len(whole)-1; cut += 7 {
		if err := os.WriteFile(tape.Path(), []byte(whole[:cut]), 0o644); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 { // built before any of them is written
			wg.Go(func() { add(t, tape, message("m")) })
		}
		wg.Wait()
		wantShort(t, tape, Query{}, "a:session/start e:handoff a:p e:handoff m m m m")
		entries := must(tape.All(Query{}))(t)
		if got := ids(entries); !slices.Equal(got, []int64{1, 2, 3, 4, 5, 6, 7, 8}) {
			t.Errorf("cut at %d: ids %v", cut, got)
		}
		if e := entries[3]; string(e.Data()) != `{"name": "p", "state": {"a": 1}}` || string(e.Meta) != `{"m": 2}` {
			t.Errorf("%s", e.Raw())
		}
	}
}

// TestLoneAnchor appends after an anchor without an event: Bub appends the two
// one after the other. No event is added.
func TestLoneAnchor(t *testing.T) {
	pair := must(entry.Handoff("p", json.RawMessage(`{"a": 1}`), nil))(t)
	anchor, event := pair[0], pair[1]
	w := open(t)
	for _, tape := range []*Tape{w.tape(Main), w.bare("")} {
		begin := must(tape.All(Query{}))(t)
		if len(begin) == 0 && !tape.bare {
			begin = make([]Entry, 2) // session/start and its event
		}
		add(t, tape, anchor)
		add(t, tape, event)
		if all := must(tape.All(Query{}))(t); len(all) != len(begin)+2 || all[len(all)-1].ID != int64(len(all)) {
			t.Errorf("appended anchor and event: %s", short(all))
		}
		add(t, tape, anchor)
		add(t, tape, message("between"))
		add(t, tape, event)
		if all := must(tape.All(Query{}))(t); short(all[len(begin)+2:]) != "a:p between e:handoff" {
			t.Errorf("appended a message between anchor and event: %s", short(all))
		}
	}
	// No event is added in files outside a store, where another program may be
	// writing the line.
	lone := `{"id": 1, "kind": "anchor", "payload": {"name": "p"}, "meta": {}, "date": "d"}` + "\n"
	for _, torn := range []string{"", `{"id": 2, "kind": "event", "payload": {"name": "handoff"`, `{"id": 2, "kind": "mess`} {
		tape := w.bare(lone + torn)
		add(t, tape, message("n"))
		wantShort(t, tape, Query{}, "a:p n")
	}
	// No event is added after torn text that is not the anchor's event.
	tape := w.tape("torn")
	add(t, tape, anchor)
	whole := read(t, tape.Path())
	if err := os.WriteFile(tape.Path(), []byte(whole+`{"id": 4, "kind": "message", "pay`), 0o644); err != nil {
		t.Fatal(err)
	}
	add(t, tape, message("n"))
	wantShort(t, tape, Query{}, "a:session/start e:handoff a:p n")
}

func TestInfo(t *testing.T) {
	w := open(t)
	tape := w.tape("x")
	if info, err := tape.Info(); err != nil || info.Entries != 0 || info.LastAnchor != nil {
		t.Errorf("%+v, %v", info, err)
	}
	run := func(data string) Entry { return must(entry.NewEvent("run", json.RawMessage(data)))(t) }
	add(t, tape, message("a"),
		run(`{"status": "ok", "usage": {"total_tokens": 5, "prompt_tokens": 4, "prompt_tokens_details": {"cached_tokens": 1}}}`),
		run(`{"status": "error"}`))
	got, _ := json.Marshal(must(tape.Info())(t))
	want := `{"name":"x","entries":5,"anchors":1,"last_anchor":"session/start","entries_since_last_anchor":4,"last_token_usage":5,"last_token_cache_hit_rate":0.25,"uri":"tape://workspace/x"}`
	if string(got) != want {
		t.Errorf("%s", got)
	}
	add(t, tape, run(`{"status": "ok", "usage": {"input_tokens": 10, "output_tokens": 2, "reasoning_tokens": 0, "cached_tokens": 5, "cache_write_tokens": 0, "total_tokens": 12}}`)) // Bub 0.6
	if info := must(tape.Info())(t); *info.LastTokens != 12 || info.CacheHitRate == nil || *info.CacheHitRate != 0.5 {
		t.Errorf("%+v", info)
	}
	tape = w.bare(`{"id": 1, "kind": "anchor", "payload": {"name": "a"}}{"id": 2, "kind": "anchor", "payload": {"name": "b"}}{"id": 3, "kind": "k", "payload": {}}` + "\n" +
		`{"id": 4, "kind": "anchor", "payload": {"state": 5}}` + "\n")
	info := must(tape.Info())(t)
	if info.Entries != 4 || info.Anchors != 3 || info.LastAnchor != nil || info.SinceLastAnchor != 0 {
		t.Errorf("%+v", info)
	}
	anchors := must(tape.Anchors(2))(t)
	if len(anchors) != 2 || anchors[0].Name != "b" || anchors[1].Name != "-" || string(anchors[1].State) != "{}" {
		t.Errorf("%+v", anchors)
	}
	if all := must(tape.Anchors(0))(t); len(all) != 3 {
		t.Errorf("%+v", all)
	}
}

// TestInfoCounts compares the counts from the index with those of the entries, also where
// other programs have joined lines, or torn them.
func TestInfoCounts(t *testing.T) {
	const anchor, other = `{"id": 1, "kind": "anchor", "payload": {"name": "a"}}`, `{"id": 2, "kind": "k", "payload": {}}`
	w := open(t)
	for _, lines := range [][]string{
		{anchor, other, other},
		{anchor + other + other, other + other, other},
		{other + anchor, "torn", other + other + other},
		{anchor, other + anchor + other},
		{other, other + other},
		{anchor + other + anchor + other + anchor},
	} {
		tape := w.bare(strings.Join(lines, "\n") + "\n")
		since := 0
		for _, e := range must(tape.All(Query{}))(t) {
			if since++; e.Kind == KindAnchor {
				since = 0
			}
		}
		if info := must(tape.Info())(t); info.SinceLastAnchor != since {
			t.Errorf("%q: %d since the last anchor, want %d", lines, info.SinceLastAnchor, since)
		}
	}
}

func TestClosedStore(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("a"))
	w.Store.Close()
	if _, err := tape.Append(ctx, message("b")); !errors.Is(err, fs.ErrClosed) {
		t.Error(err)
	}
}
