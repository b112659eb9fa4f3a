package tape

import (
	"errors"
	"fmt"
	"handoff/log/tape/entry"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
)

// tapes for queries, and the expected entries. The cases are those of
// republic's contract test for all stores and of the Redis store, and rules that
// are only in republic's code.
var queries = []struct {
	tape, what string
	query      Query
	want       string
}{
	{"seed", "after the last anchor", Query{Window: FromLastAnchor()}, "task2"},
	{"seed", "all", Query{}, "before a:a1 task1 answer1 a:a2 task2"},
	{"seed", "after a named one, later ones included", Query{Window: AfterAnchor("a1")}, "task1 answer1 a:a2 task2"},
	{"seed", "missing", Query{Window: AfterAnchor("missing")}, "[not_found] Anchor 'missing' was not found."},
	{"seed", "the empty name means all", Query{Window: AfterAnchor("")}, "before a:a1 task1 answer1 a:a2 task2"},
	{"seed", "between, kinds, limit", Query{Window: BetweenAnchors("a1", "a2"), Kinds: []string{"message"}, Limit: new(1)}, "task1"},
	{"seed", "no start", Query{Window: BetweenAnchors("x", "a2")}, "[not_found] Anchor 'x' was not found."},
	{"seed", "no end", Query{Window: BetweenAnchors("a1", "y")}, "[not_found] Anchor 'y' was not found."},
	{"seed", "reversed", Query{Window: BetweenAnchors("a2", "a1")}, "[not_found] Anchor 'a1' was not found."},
	{"seed", "between itself", Query{Window: BetweenAnchors("a1", "a1")}, "[not_found] Anchor 'a1' was not found."},
	{"seed", "limit 0", Query{Limit: new(0)}, ""},
	{"seed", "limit below 0", Query{Limit: new(-2)}, "before a:a1 task1 answer1"},
	{"seed", "limit far below 0", Query{Limit: new(-20)}, ""},
	{"seed", "limit beyond", Query{Limit: new(50)}, "before a:a1 task1 answer1 a:a2 task2"},
	{"seed", "kinds", Query{Kinds: []string{"anchor", "none"}}, "a:a1 a:a2"},
	{"none", "all", Query{}, ""},
	{"none", "the last anchor", Query{Window: FromLastAnchor()}, "[not_found] No anchors found in tape."},
	{"none", "a named one", Query{Window: AfterAnchor("x")}, "[not_found] Anchor 'x' was not found."},
	{"none", "between", Query{Window: BetweenAnchors("x", "y")}, "[not_found] Anchor 'x' was not found."},
	{"twice", "start is the last of its name", Query{Window: AfterAnchor("start")}, "kept a:end after a:end"},
	{"twice", "end is the first one after it", Query{Window: BetweenAnchors("start", "end")}, "kept"},
	{"twice", "last", Query{Window: FromLastAnchor()}, ""},
	{"search", "payload", Query{Text: "timeout"}, "Database-timeout"},
	{"search", "meta", Query{Text: "SYSTEM"}, "e:run"},
	{"search", "kind", Query{Text: "event"}, "e:run"},
	{"noted", "the name of a key", Query{Text: "append_request"}, ""},
	{"noted", "a key", Query{Text: "k-1"}, ""},
	{"noted", "where a copy is from", Query{Text: "worker"}, ""},
	{"noted", "what others wrote beside them", Query{Text: "mine"}, "b"},
	{"noted", "the same words in a text", Query{Text: "key"}, "the key"},
	{"search", "date", Query{Text: "2026-02-21t"}, "Database-timeout e:run Straße Ärger q\"q"},
	{"search", "as it is written out", Query{Text: `"kind": "event"`}, "e:run"},
	{"search", "not ASCII", Query{Text: "STRASSE"}, "Straße"},
	{"search", "not ASCII, in capitals", Query{Text: "äRGER"}, "Ärger"},
	{"search", "what is escaped", Query{Text: `q"q`}, `q"q`},
	{"search", "wildcards are letters", Query{Text: "%"}, ""},
	{"dates", "both days included", Query{From: "2026-03-02", To: "2026-03-03"}, "during"},
	{"dates", "from", Query{From: "2026-03-02"}, "during after late"},
	{"dates", "to", Query{To: "2026-03-02"}, "before during"},
	{"dates", "to the moment", Query{From: "2026-03-02T09:30:00Z", To: "20260302T093000+0000"}, "during"},
	{"dates", "another zone", Query{From: "2026-03-02 10:30+01:00", To: "2026-03-02T10:30+01"}, "during"},
	{"dates", "by the week", Query{From: "2026-W10-1", To: "2026W101"}, "during"},
	{"dates", "up to the last microsecond of a day", Query{From: "2026-03-05", To: "2026-03-05"}, "late"},
	{"dates", "and not beyond", Query{From: "2026-03-05T23:59:59.999999Z", To: "2026-03-05T23:59:59.999998Z"}, "[invalid_input] Start date must be earlier than or equal to end date."},
	{"dates", "no date", Query{From: "soon"}, "[invalid_input] Invalid ISO date or datetime: 'soon'."},
	{"dates", "reversed", Query{From: "2026-03-03", To: "2026-03-02"}, "[invalid_input] Start date must be earlier than or equal to end date."},
	{"dates", "the anchor is missed first", Query{Window: FromLastAnchor(), From: "x"}, "[not_found] No anchors found in tape."},
	{"combined", "all filters", Query{Window: AfterAnchor("a2"), From: "2026-03-02", To: "2026-03-02", Text: "timeout"}, "new-timeout"},
}

func asked(t testing.TB, w *workshop) map[string]*Tape {
	dated := func(e Entry, date string) Entry { e.Date = date; return e }
	noted := func(e Entry, meta string) Entry { e.Meta = []byte(meta); return e }
	tapes := map[string]*Tape{}
	for name, entries := range map[string][]Entry{
		"seed":   {message("before"), anchor("a1"), message("task1"), message("answer1"), anchor("a2"), message("task2")},
		"none":   {},
		"twice":  {anchor("start"), message("old"), anchor("start"), message("kept"), anchor("end"), message("after"), anchor("end")},
		"search": {noted(message("Database-timeout"), `{"scope": "db"}`), noted(event("run"), `{"scope": "system"}`), message("Straße"), message("Ärger"), message(`q"q`)},
		"noted": {noted(message("a"), `{"append_request": {"key": "k-1", "entries": 1}}`),
			noted(message("b"), `{"scope": "mine", "origin": {"tape": "worker", "id": 5}}`), noted(message("the key"), `{"anchor_state": true}`)},
		"dates": {dated(message("before"), "2026-03-01T08:00:00+00:00"), dated(message("during"), "2026-03-02T09:30:00+00:00"),
			dated(message("after"), "2026-03-04T18:45:00+00:00"), dated(message("undated"), "some day"),
			dated(message("late"), "2026-03-05T23:59:59.999999+00:00")},
		"combined": {dated(anchor("a1"), "2026-03-01T00:00:00+00:00"), dated(message("old-timeout"), "2026-03-01T12:00:00+00:00"),
			dated(anchor("a2"), "2026-03-02T00:00:00+00:00"), dated(message("new-timeout"), "2026-03-02T12:00:00+00:00"), dated(message("new-success"), "2026-03-03T12:00:00+00:00")},
	} {
		tapes[name] = w.bare("")
		if len(entries) > 0 {
			lines, _, err := tapes[name].lines(1, entries) // no event after the anchors
			if err != nil {
				t.Fatal(err)
			}
			tapes[name] = w.bare(joined(lines))
		}
	}
	return tapes
}

func joined(lines [][]byte) string {
	var b strings.Builder
	for _, l := range lines {
		b.Write(append(l, '\n'))
	}
	return b.String()
}

func TestQueries(t *testing.T) {
	tapes := asked(t, open(t))
	for _, c := range queries {
		entries, err := tapes[c.tape].All(c.query)
		got := short(entries)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.tape, c.what, got, c.want)
		}
		kind := map[bool]error{true: fs.ErrNotExist, false: handoff.ErrInvalid}[strings.HasPrefix(c.want, "[not")]
		if strings.HasPrefix(c.want, "[") && !errors.Is(err, kind) {
			t.Errorf("%s: %s: %v", c.tape, c.what, err)
		}
	}
}

// TestAgainstPlain queries random tapes, also with joined lines, and compares
// with a query that reads the whole tape, as Bub does.
func TestAgainstPlain(t *testing.T) {
	w := open(t)
	names := []string{"a", "b", "c"}
	for seed := range 200 {
		n := seed
		next := func(most int) int { n = (n*1103515245 + 12345) & 0x7fffffff; return n >> 8 % most }
		pick := func(most int) int { return next(1<<20) % most }
		var b strings.Builder
		for i := range pick(14) {
			if pick(3) == 0 {
				fmt.Fprintf(&b, `{"id": %d, "kind": "anchor", "payload": {"name": "%s"}, "meta": {}}`, i, names[pick(3)])
			} else {
				b.WriteString(say(i, fmt.Sprint("m", i)))
			}
			if pick(3) > 0 {
				b.WriteString("\n")
			}
		}
		tape := w.bare(b.String() + "\n")
		all := must(tape.All(Query{}))(t)
		for _, win := range []Window{FromLastAnchor(), AfterAnchor("a"), AfterAnchor("b"), BetweenAnchors("a", "b"), BetweenAnchors("b", "a"), BetweenAnchors("c", "c")} {
			want, wantErr := plain(all, win)
			got, err := tape.All(Query{Window: win})
			if short(got) != short(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%+v: %q, %v, want %q, %v of\n%s", win, short(got), err, short(want), wantErr, b.String())
			}
		}
	}
}

func plain(all []Entry, w Window) ([]Entry, error) {
	find := func(name string, from, to, step int) int {
		for i := from; i != to; i += step {
			if all[i].Kind == KindAnchor && (name == "" || all[i].Name() == name) {
				return i
			}
		}
		return -1
	}
	last, from, to := w.Bounds()
	name := ""
	if from != nil {
		name = *from
	}
	start := find(name, len(all)-1, -1, -1)
	if start < 0 && last {
		return nil, entry.NoAnchors()
	} else if start < 0 {
		return nil, entry.NoAnchor(name)
	}
	if to == nil {
		return all[start+1:], nil
	}
	end := find(*to, start+1, len(all), 1)
	if end < 0 {
		return nil, entry.NoAnchor(*to)
	}
	return all[start+1 : end], nil
}

// TestLongNames: an anchor's name may be as long as an entry, a tape's has 4096 bytes. If that is too long for a file,
// the first entry of each of its files has it. Longer names are refused before anything is written.
func TestLongNames(t *testing.T) {
	for _, long := range []string{strings.Repeat("ß", 180/6), strings.Repeat("ß", 180/6+1), "room__" + strings.Repeat("x", 2048), strings.Repeat("y.", 200) + "z"} {
		testLongName(t, long)
	}
	if _, err := open(t).Tape(strings.Repeat("x", 4097)); !errors.Is(err, handoff.ErrInvalid) {
		t.Error(err)
	}
}

func testLongName(t *testing.T, long string) {
	w := open(t)
	tape := w.tape(long)
	name := "anchor-" + strings.Repeat("y", 4096) + "/größe"
	must(tape.Handoff(ctx, name, nil, nil))(t)
	add(t, tape, message("after"))
	wantShort(t, tape, Query{Window: AfterAnchor(name)}, "e:handoff after")
	anchors := must(tape.Anchors(1))(t)
	if e := must(w.Resolve(must(ParseRef(anchors[0].URI))(t)))(t); e.Name() != name {
		t.Error(e.Raw())
	}
	ref := Ref{Tape: tape.Name(), Anchor: &name}
	if e := must(w.Resolve(must(ParseRef(ref.String()))(t)))(t); e.ID != 3 {
		t.Error(e.Raw())
	}
	fork := must(tape.Fork(ctx, ForkRequest{To: long + "-fork"}))(t)
	add(t, w.tape(fork.Tape), message("in the fork"))
	must(w.tape(fork.Tape).Merge(ctx, MergeRequest{}))(t)
	must(tape.Reset(ctx, ResetRequest{}))(t) // the name of the archive is longer
	bare := w.tape(long + "-bare")
	must(bare.Create(ctx, true))(t)
	add(t, bare, message("first"))
	err := w.tape(long+"-lines").CreateLines(ctx, func(add func([]byte) error) error {
		return add([]byte(`{"id":1,"kind":"event","payload":{},"meta":{},"tape":"other"}`))
	})
	if err != nil {
		t.Error(err)
	}
	want := []string{long, long + "-bare", long + "-lines"}
	if list := must(w.List())(t); !slices.Equal(list, want) {
		t.Errorf("%q, want %q", list, want)
	}
	if paths := must(tape.Archives())(t); len(paths) != 1 || must(must(w.OpenArchive(paths[0]))(t).Info())(t).Entries == 0 {
		t.Errorf("%q", paths)
	}
}

func TestSearch(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("the database migration has failed"), message("Über den Wolken"), message("second database"))
	must(tape.Handoff(ctx, "db/done", []byte(`{"summary": "database is fine"}`), nil))(t)
	other := w.tape("other")
	add(t, other, message("one more database"))
	for _, c := range []struct {
		search Search
		want   string
	}{
		{Search{Text: "DATABASE"}, "a:db/done second database the database migration has failed"},
		{Search{Text: " database ", Limit: 2}, "a:db/done second database"},
		{Search{Text: "database", Kinds: []string{"message"}}, "second database the database migration has failed"},
		{Search{Text: "über"}, "Über den Wolken"},
		{Search{Text: "ÜBER DEN"}, "Über den Wolken"},
		{Search{Text: "databse migrtion"}, ""},
		{Search{Text: "databse migrtion", Fuzzy: true}, "the database migration has failed"},
		{Search{Text: "databsae", Fuzzy: true, Limit: 1}, "a:db/done"},
		{Search{Text: "wolke", Fuzzy: true}, "Über den Wolken"},
		{Search{Text: "  "}, ""},
		{Search{Text: "??", Fuzzy: true}, ""},
		{Search{Text: "database", From: "2026-02-21T12:00:03Z", To: "2026-02-21"}, "a:db/done second database"},
		{Search{Text: "database", To: "2026-02-21T12:00:03"}, "second database the database migration has failed"},
		{Search{Text: "database", From: "2026-02-22"}, ""},
	} {
		hits, err := tape.Search(c.search)
		var entries []Entry
		for _, h := range hits {
			entries = append(entries, h.Entry)
		}
		if got := short(entries); err != nil || got != c.want {
			t.Errorf("%+v: %q, want %q (%v)", c.search, got, c.want, err)
		}
	}
	for _, s := range []Search{{Text: "x", From: "yesterday"}, {Text: "x", From: "2026-02-22", To: "2026-02-21"}} {
		if _, err := tape.Search(s); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	hits := must(w.SearchAll(Search{Text: "database", Limit: 1}))(t)
	if len(hits) != 2 || hits[0].Tape != Main || hits[1].Tape != "other" {
		t.Errorf("%+v", hits)
	}
}

// TestTimes compares with Python 3.12, which accepts any letter between date
// and time, and drops excess digits; here those are errors.
func TestTimes(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-02":                       "2026-03-02T00:00:00+00:00",
		"20260302":                         "2026-03-02T00:00:00+00:00",
		"2026-03-02T09:30":                 "2026-03-02T09:30:00+00:00",
		"2026-03-02 09:30:05.5":            "2026-03-02T09:30:05.500000+00:00",
		"2026-03-02T09:30:05.1234567Z":     "2026-03-02T09:30:05.123456+00:00",
		"2026-03-02T093005-0130":           "2026-03-02T11:00:05+00:00",
		"2026-03-02T09:30:05.725057+00:00": "2026-03-02T09:30:05.725057+00:00",
		"2024-02-29t09:30:05,5":            "2024-02-29T09:30:05.500000+00:00",
		"2026-03-02T09:30+01:00:30.5":      "2026-03-02T08:29:29.500000+00:00",
		"2026-W07-4":                       "2026-02-12T00:00:00+00:00",
		"2026W074":                         "2026-02-12T00:00:00+00:00",
		"2026-W07":                         "2026-02-09T00:00:00+00:00",
		"2026W07":                          "2026-02-09T00:00:00+00:00",
		"2026-W53-7":                       "2027-01-03T00:00:00+00:00",
		"2026-W01-1":                       "2025-12-29T00:00:00+00:00",
		"2026-W07-4T09:30Z":                "2026-02-12T09:30:00+00:00",
		"2026W07 0930":                     "2026-02-09T09:30:00+00:00",
		"0001-W01-1":                       "0001-01-01T00:00:00+00:00",
		"9999-12-31":                       "9999-12-31T00:00:00+00:00",
		"2026-W00-1":                       "", "2026-W54-1": "", "2027-W53": "", "2026-W07-0": "", "2026-W07-8": "", "2026-W074": "", "2026W07-4": "", "2026-W7-4": "", "9999-W52-7": "",
		"2026-02-29": "", "202603-02": "", "2026-0302": "", "2026-063": "", "0000-01-01": "", "10000-01-01": "", "2026-03-02T24:00": "", "2026-03-02T09:30:60": "", "2026-03-02T09:30+24:00": "", " 2026-03-02": "",
		"": "", "2026": "", "2026-13-01": "", "2026-03-02T": "", "2026-03-02T25": "", "2026-03-02T09:60": "", "2026-03-02T09:": "",
		"2026-03-02T09:30:05.": "", "2026-03-02T09:30Zx": "", "2026-03-02x09:30": "", "2026-03-02T09.5": "", "2026-03-02T09:3": "", "2026-03-02T09:30+": "",
	} {
		got := ""
		if t, ok := entry.ParseTime(text, false); ok {
			got = entry.FormatTime(t)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
