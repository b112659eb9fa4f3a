package tapes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/log/tape"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/tapes"
)

// open opens the tapes of a new workspace, at a fixed time, with ids that count up.
func open(t *testing.T) (*tapes.Tapes, *workspace.Workspace) {
	t.Helper()
	n := 0
	now := time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{
		Now: func() time.Time { now = now.Add(time.Second); return now }, NewID: func() string { n++; return fmt.Sprintf("id-%d", n) }})
	all, err := tapes.In(w, "", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	return all, w
}

func one(t *testing.T, all *tapes.Tapes, name string) *tapes.Tape {
	t.Helper()
	tp, err := all.Tape(name)
	if err != nil {
		t.Fatal(err)
	}
	return tp
}

func message(t *testing.T, text string) tape.Entry {
	t.Helper()
	e, err := tape.NewEntry(tape.KindMessage, map[string]string{"role": "user", "content": text}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// add appends messages to a tape.
func add(t *testing.T, tp *tapes.Tape, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if _, err := tp.Append(context.Background(), tape.AppendRequest{Entries: []tape.Entry{message(t, text)}}); err != nil {
			t.Fatal(err)
		}
	}
}

// handOff hands off a tape with a summary.
func handOff(t *testing.T, tp *tapes.Tape, name, summary string) {
	t.Helper()
	if _, err := tp.HandOff(context.Background(), tapes.HandoffRequest{Name: name, Summary: &summary}); err != nil {
		t.Fatal(err)
	}
}

// kinds are the entries of a tape, in a few words.
func kinds(t *testing.T, tp *tapes.Tape, r tapes.ReadRequest) string {
	t.Helper()
	q, err := r.Query()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for e, err := range tp.Query(context.Background(), q) {
		if err != nil {
			t.Fatal(err)
		}
		word := e.Kind
		if name := e.Name(); name != "" {
			word += " " + name
		}
		list = append(list, fmt.Sprintf("%d %s", e.ID, word))
	}
	return strings.Join(list, ", ")
}

// TestWindows: which part of a tape a request selects, and which requests select two.
func TestWindows(t *testing.T) {
	all, _ := open(t)
	tp := one(t, all, "")
	add(t, tp, "a")
	handOff(t, tp, "one", "s")
	add(t, tp, "b")
	handOff(t, tp, "two", "s")
	add(t, tp, "c")
	name, missing := "one", "three"
	from := int64(9)
	limit, but := 2, -2
	for what, c := range map[string]struct {
		r    tapes.ReadRequest
		want string
	}{
		"all":           {tapes.ReadRequest{}, "1 anchor session/start, 2 event handoff, 3 message, 4 anchor one, 5 event handoff, 6 message, 7 anchor two, 8 event handoff, 9 message"},
		"the last":      {tapes.ReadRequest{WindowRequest: tapes.WindowRequest{AnchorRequest: tapes.AnchorRequest{LastAnchor: true}}}, "8 event handoff, 9 message"},
		"after one":     {tapes.ReadRequest{WindowRequest: tapes.WindowRequest{AnchorRequest: tapes.AnchorRequest{AfterAnchor: &name}}}, "5 event handoff, 6 message, 7 anchor two, 8 event handoff, 9 message"},
		"between":       {tapes.ReadRequest{WindowRequest: tapes.WindowRequest{Between: []string{"one", "two"}}}, "5 event handoff, 6 message"},
		"the first two": {tapes.ReadRequest{Limit: &limit}, "1 anchor session/start, 2 event handoff"},
		"but two":       {tapes.ReadRequest{WindowRequest: tapes.WindowRequest{Between: []string{"session/start", "two"}}, Limit: &but}, "2 event handoff, 3 message, 4 anchor one"},
		"of a kind":     {tapes.ReadRequest{ChoiceRequest: tapes.ChoiceRequest{Kind: []string{tape.KindMessage}}}, "3 message, 6 message, 9 message"},
		"with a text":   {tapes.ReadRequest{ChoiceRequest: tapes.ChoiceRequest{Text: "SESSION/START"}}, "1 anchor session/start, 2 event handoff"},
		"from an id":    {tapes.ReadRequest{ChoiceRequest: tapes.ChoiceRequest{FromID: &from}}, "9 message"},
		"of tomorrow":   {tapes.ReadRequest{ChoiceRequest: tapes.ChoiceRequest{Since: "2026-02-13"}}, ""},
		"of yesterday":  {tapes.ReadRequest{ChoiceRequest: tapes.ChoiceRequest{Until: "2026-02-11"}}, ""},
	} {
		if got := kinds(t, tp, c.r); got != c.want {
			t.Errorf("%s: %s\nwant %s", what, got, c.want)
		}
	}
	for what, c := range map[string]struct {
		r    tapes.ContextRequest
		want error
	}{
		"two ways":       {tapes.ContextRequest{WindowRequest: tapes.WindowRequest{AnchorRequest: tapes.AnchorRequest{LastAnchor: true, AfterAnchor: &name}}}, tapes.ErrWindows},
		"one name":       {tapes.ContextRequest{WindowRequest: tapes.WindowRequest{Between: []string{"one"}}}, tapes.ErrBetween},
		"no names":       {tapes.ContextRequest{WindowRequest: tapes.WindowRequest{Between: []string{}}}, tapes.ErrBetween},
		"three names":    {tapes.ContextRequest{WindowRequest: tapes.WindowRequest{Between: []string{"a", "b", "c"}}}, tapes.ErrBetween},
		"all and a part": {tapes.ContextRequest{All: true, WindowRequest: tapes.WindowRequest{AnchorRequest: tapes.AnchorRequest{LastAnchor: true}}}, tapes.ErrAll},
		"no such anchor": {tapes.ContextRequest{WindowRequest: tapes.WindowRequest{AnchorRequest: tapes.AnchorRequest{AfterAnchor: &missing}}}, fs.ErrNotExist},
		"another form":   {tapes.ContextRequest{For: "gemini"}, handoff.ErrInvalid},
	} {
		if _, err := tp.Context(context.Background(), c.r); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
}

// TestContext: the messages for a model begin at the last anchor, and say how full its context is.
func TestContext(t *testing.T) {
	all, _ := open(t)
	tp := one(t, all, "")
	add(t, tp, "before")
	handOff(t, tp, "one", "the summary")
	add(t, tp, "after", strings.Repeat("long ", 2000))
	for name, c := range map[string]struct {
		r        tapes.ContextRequest
		has, not string
		full     bool
	}{
		"from the last anchor": {tapes.ContextRequest{For: "openai"}, "the summary", "before", false},
		"without its state":    {tapes.ContextRequest{For: "openai", WithoutState: true}, "after", "the summary", false},
		"all":                  {tapes.ContextRequest{For: "openai", All: true}, "before", "system", false},
		"with the contract":    {tapes.ContextRequest{For: "openai", Contract: true}, "system", "before", false},
		"a small window":       {tapes.ContextRequest{For: "anthropic", Limit: 2000}, "after", "before", true},
	} {
		got, err := tp.Context(context.Background(), c.r)
		if err != nil || !strings.Contains(string(got.Request), c.has) || strings.Contains(string(got.Request), c.not) || got.Full != c.full {
			t.Errorf("%s: full %t, %v: %.300s", name, got.Full, err, got.Request)
		}
		if got.Dropped == nil || got.Messages == 0 || got.Tokens < 1000 || got.Limit != 200_000 && got.Limit != c.r.Limit {
			t.Errorf("%s: %d messages, %d tokens of %d, dropped %v", name, got.Messages, got.Tokens, got.Limit, got.Dropped)
		}
	}
}

// TestNames: how tapes are listed and found, also by the beginning of a name or a misspelled one.
func TestNames(t *testing.T) {
	all, w := open(t)
	for _, name := range []string{"main", "parser", "parsing", "lexer"} {
		if _, err := one(t, all, name).Create(context.Background(), tapes.CreateRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := all.List()
	var names []string
	for _, i := range list {
		names = append(names, i.Name)
	}
	if got := strings.Join(names, " "); err != nil || got != "lexer main parser parsing" {
		t.Errorf("%s, %v", got, err)
	}
	for ref, want := range map[string]string{"lex": "lexer", "lexer": "lexer", "parser": "parser", "": "", "nope": "nope"} {
		if got, err := all.Find(ref); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", ref, got, err, want)
		}
	}
	if _, err := all.Find("pars"); err == nil {
		t.Error("two tapes have names that begin so")
	}
	if all.Near("lexr") != "lexer" || all.Near("something else") != "" {
		t.Errorf("near: %q, %q", all.Near("lexr"), all.Near("something else"))
	}
	again, err := one(t, all, "main").Create(context.Background(), tapes.CreateRequest{})
	if err != nil || again.Created || !again.Existed {
		t.Errorf("%+v, %v: the tape existed", again, err)
	}
	bare, err := one(t, all, "bare").Create(context.Background(), tapes.CreateRequest{Bare: true})
	if err != nil || !bare.Created || bare.Existed || kinds(t, one(t, all, "bare"), tapes.ReadRequest{}) != "" {
		t.Errorf("%+v, %v: a bare tape has no anchor", bare, err)
	}
	needs.Symlink(t, filepath.Join(t.TempDir(), "x"), filepath.Join(w.Root, workspace.StateDir, "tape", "linked.jsonl"))
	if list, err := all.List(); err == nil || !strings.Contains(err.Error(), "tape linked:") || len(list) != 5 {
		t.Errorf("%d tapes, %v: a link is named, and hides no other tape", len(list), err)
	}
}

// TestLost: what would destroy entries needs the tape's name, and everything else is archived.
func TestLost(t *testing.T) {
	no, yes := false, true
	for name, c := range map[string]struct {
		archive  *bool
		confirm  string
		refused  bool
		archived bool
	}{
		"by default":              {nil, "", false, true},
		"archived":                {&yes, "", false, true},
		"without an archive":      {&no, "", true, false},
		"another name":            {&no, "other", true, false},
		"confirmed":               {&no, "t", false, false},
		"confirmed, but archived": {&yes, "t", false, true},
	} {
		for what, do := range map[string]func(*tapes.Tape) (tapes.Archived, error){
			"reset": func(tp *tapes.Tape) (tapes.Archived, error) {
				return tp.Reset(context.Background(), tapes.ResetRequest{Archive: c.archive, Confirm: c.confirm})
			},
			"delete": func(tp *tapes.Tape) (tapes.Archived, error) {
				return tp.Delete(context.Background(), tapes.DeleteRequest{Archive: c.archive, Confirm: c.confirm})
			},
		} {
			all, w := open(t)
			tp := one(t, all, "t")
			add(t, tp, "kept")
			got, err := do(tp)
			if errors.Is(err, tapes.ErrUnconfirmed) != c.refused || !c.refused && err != nil || (got.Archived != "") != c.archived {
				t.Errorf("%s, %s: %+v, %v", name, what, got, err)
			}
			ok, failed := tp.Exists()
			if failed != nil || ok != (c.refused || what == "reset") {
				t.Errorf("%s, %s: the tape exists: %t, %v", name, what, ok, failed)
			}
			if c.refused && !strings.Contains(kinds(t, tp, tapes.ReadRequest{}), "message") {
				t.Errorf("%s, %s: refused, and the entry is lost", name, what)
			}
			want := "ok"
			if c.archived {
				want = "Archived: " + got.Archived
				src, err := os.ReadFile(filepath.Join(w.Root, workspace.StateDir, filepath.FromSlash(got.Archived)))
				if err != nil || !strings.Contains(string(src), "kept") {
					t.Errorf("%s, %s: %v: the archive has not the entry", name, what, err)
				}
			}
			if !c.refused && got.Text() != want {
				t.Errorf("%s, %s: %q", name, what, got.Text())
			}
		}
	}
}

// TestLists: what is empty is an empty list in JSON.
func TestLists(t *testing.T) {
	all, _ := open(t)
	tp := one(t, all, "")
	anchors, _ := tp.Anchors(context.Background(), tapes.AnchorsRequest{})
	hits, _ := tp.Search(context.Background(), tapes.SearchRequest{Text: "x"})
	recovery, _ := tp.Recover(context.Background())
	for name, v := range map[string]any{"anchors": anchors, "hits": hits, "entries": recovery.Entries, "unfinished": recovery.Unfinished} {
		if src, err := json.Marshal(v); err != nil || string(src) != "[]" {
			t.Errorf("%s: %s, %v", name, src, err)
		}
	}
}
