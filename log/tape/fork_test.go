package tape

import (
	"errors"
	"fmt"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
)

// phases is a tape with two phases.
func phases(t *testing.T) (*workshop, *Tape) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("a"))
	must(tape.Handoff(ctx, "p", []byte(`{"task": "x"}`), nil))(t)
	add(t, tape, message("b"), message("c"))
	return w, tape
}

func TestFork(t *testing.T) {
	for what, c := range map[string]struct {
		request ForkRequest
		want    string // what the fork has
		ids     string
		context string // after its last anchor
	}{
		"whole": {ForkRequest{}, "a:session/start e:handoff a a:p e:handoff b c e:tape.fork", "1..8", "e:handoff b c e:tape.fork"},
		"with an intention": {ForkRequest{Intention: &Intention{NextSteps: "n"}},
			"a:session/start e:handoff a a:p e:handoff b c e:tape.fork a:intention e:handoff", "1..10", "e:handoff"},
		"from an anchor":         {ForkRequest{FromAnchor: new("p")}, "a:p e:handoff b c e:tape.fork", "1..5", "e:handoff b c e:tape.fork"},
		"until the end":          {ForkRequest{FromAnchor: new("p"), Until: Latest}, "a:p e:handoff b c e:tape.fork", "1..5", "e:handoff b c e:tape.fork"},
		"until an anchor":        {ForkRequest{FromAnchor: new("session/start"), Until: "p"}, "a:session/start e:handoff a e:tape.fork", "1..4", "e:handoff a e:tape.fork"},
		"whole until an anchor":  {ForkRequest{Until: "p"}, "a:session/start e:handoff a e:tape.fork", "1..4", "e:handoff a e:tape.fork"},
		"from an entry":          {ForkRequest{FromEntry: new(int64(6))}, "a:session/start e:handoff b c e:tape.fork", "1..5", "e:handoff b c e:tape.fork"},
		"from the last entry":    {ForkRequest{FromEntry: new(int64(7))}, "a:session/start e:handoff c e:tape.fork", "1..4", "e:handoff c e:tape.fork"},
		"with links":             {ForkRequest{Link: true}, "a:session/start e:handoff a a:p e:handoff b c e:tape.fork", "", "e:handoff b c e:tape.fork"},
		"with links, in part":    {ForkRequest{Link: true, FromAnchor: new("p")}, "a:p e:handoff b c e:tape.fork", "", "e:handoff b c e:tape.fork"},
		"with links and purpose": {ForkRequest{Link: true, FromEntry: new(int64(7)), Intention: &Intention{}}, "c e:tape.fork a:intention e:handoff", "", "e:handoff"},
	} {
		w, tape := phases(t)
		before := read(t, tape.Path())
		c.request.To = "child"
		r, err := tape.Fork(ctx, c.request)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		child := w.tape("child")
		entries := must(child.All(Query{}))(t)
		if got := short(entries); got != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
		if list := ids(entries); c.ids != "" && (fmt.Sprintf("%d..%d", list[0], list[len(list)-1]) != c.ids || !slices.IsSorted(list)) {
			t.Errorf("%s: ids %v, want %s", what, list, c.ids)
		}
		s := must(child.Slice(FromLastAnchor()))(t)
		if got := short(s.Entries); got != c.context {
			t.Errorf("%s: context %q, want %q", what, got, c.context)
		}
		if read(t, tape.Path()) != before {
			t.Errorf("%s: the parent was changed", what)
		}
		if r.SessionID != "main-fork-00000001" || r.Parent != Main || r.Linked != c.request.Link {
			t.Errorf("%s: %+v", what, r)
		}
		for _, e := range entries {
			switch origin := jsontext.Get(e.Meta, "origin"); {
			case e.Source == Main && c.request.Link:
			case content(e) == "c" && origin != `{"tape": "main", "id": 7}`:
				t.Errorf("%s: %s", what, e.Raw())
			}
		}
		// neither sees entries of the other
		add(t, child, message("mine"))
		add(t, tape, message("theirs"))
		wantShort(t, child, Query{Kinds: []string{"message"}, Text: "mine"}, "mine")
		wantShort(t, child, Query{Text: "theirs"}, "")
		wantShort(t, tape, Query{Text: "mine"}, "")
	}
}

func TestForkErrors(t *testing.T) {
	w, tape := phases(t)
	must(tape.Fork(ctx, ForkRequest{To: "taken"}))(t)
	for what, c := range map[string]struct {
		err, kind error
	}{
		"no such anchor": {second(tape.Fork(ctx, ForkRequest{FromAnchor: new("x")})), fs.ErrNotExist},
		"no such entry":  {second(tape.Fork(ctx, ForkRequest{FromEntry: new(int64(70))})), fs.ErrNotExist},
		"no such end":    {second(tape.Fork(ctx, ForkRequest{Until: "x"})), fs.ErrNotExist},
		"both":           {second(tape.Fork(ctx, ForkRequest{FromAnchor: new("p"), FromEntry: new(int64(1))})), handoff.ErrInvalid},
		"taken":          {second(tape.Fork(ctx, ForkRequest{To: "taken"})), fs.ErrExist},
		"no name":        {second(tape.Fork(ctx, ForkRequest{To: ".."})), handoff.ErrInvalid},
		"no tape":        {second(w.tape("none").Fork(ctx, ForkRequest{})), fs.ErrNotExist},
		"a file":         {second(w.bare("").Fork(ctx, ForkRequest{})), handoff.ErrInvalid},
		"no fork":        {second(tape.Merge(ctx, MergeRequest{})), handoff.ErrInvalid},
		"nothing":        {second(w.tape("none").Merge(ctx, MergeRequest{})), fs.ErrNotExist},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: %v", what, c.err)
		}
	}
	if list := must(w.List())(t); !slices.Equal(list, []string{"main", "taken"}) {
		t.Errorf("%q", list)
	}
	// an anchor of that name takes precedence over the end
	must(tape.Handoff(ctx, Latest, nil, nil))(t)
	add(t, tape, message("d"))
	must(tape.Fork(ctx, ForkRequest{To: "to-latest", Until: Latest, FromAnchor: new("p")}))(t)
	wantShort(t, w.tape("to-latest"), Query{Kinds: []string{"message"}}, "b c")
}

// TestMerge is Bub's test of two forks, with the later one merged first.
func TestMerge(t *testing.T) {
	w := open(t)
	root := w.tape("root")
	add(t, root, message("root"))
	for _, name := range []string{"a", "b"} {
		must(root.Fork(ctx, ForkRequest{To: name, Intention: &Intention{NextSteps: name}}))(t)
		add(t, w.tape(name), message(name+"1"), message(name+"2"))
	}
	r := must(w.tape("b").Merge(ctx, MergeRequest{}))(t)
	if r.Entries != 2 || r.First != 5 || r.Last != 6 || r.Archived != "tape/archived/b_2026-02-21_"+r.Archived[len(r.Archived)-12:] {
		t.Errorf("%+v", r)
	}
	must(w.tape("a").Merge(ctx, MergeRequest{}))(t)
	wantShort(t, root, Query{Kinds: []string{"message"}}, "root b1 b2 a1 a2")
	all := must(root.All(Query{}))(t)
	if got := short(all); got != "a:session/start e:handoff root e:tape.merge b1 b2 e:tape.merge a1 a2" {
		t.Error(got)
	}
	if got := ids(all); !slices.Equal(got, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("ids %v", got)
	}
	if e := all[4]; string(e.Meta) != `{"origin": {"tape": "b", "id": 7}}` {
		t.Errorf("%s", e.Raw())
	}
	if list := must(w.List())(t); !slices.Equal(list, []string{"root"}) {
		t.Errorf("%q", list)
	}
	// The forks are over, and nothing is lost.
	for _, name := range []string{"a", "b"} {
		if _, err := w.tape(name).Append(ctx, message("late")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		paths := must(w.tape(name).Archives())(t)
		if len(paths) != 1 {
			t.Fatalf("%q", paths)
		}
		wantShort(t, must(w.OpenArchive(paths[0]))(t), Query{Kinds: []string{"message"}}, "root "+name+"1 "+name+"2")
	}
	graph := must(w.Forks(ctx))(t)
	if len(graph) != 2 || graph[0].Status != lineage.Merged || graph[1].Status != lineage.Merged || *graph[0].ParentSessionID != "root" || graph[0].Tape != "a" {
		t.Errorf("%+v", graph)
	}
	must(root.Fork(ctx, ForkRequest{To: "a"}))(t) // the name is free again
	add(t, w.tape("a"), message("again"))
	for _, path := range []string{"tape/main.jsonl", "tape/archived/../x.jsonl", "/etc/passwd", "tape/archived/x"} {
		if _, err := w.OpenArchive(path); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestMergeAnchors(t *testing.T) {
	for _, keep := range []bool{false, true} {
		w, tape := phases(t)
		must(tape.Fork(ctx, ForkRequest{To: "child", FromAnchor: new("p")}))(t)
		child := w.tape("child")
		must(child.Handoff(ctx, "done", []byte(`{"summary": "s"}`), nil))(t)
		add(t, child, message("m"))
		must(child.Merge(ctx, MergeRequest{KeepAnchors: keep}))(t)
		s := must(tape.Slice(FromLastAnchor()))(t)
		want, boundary := "e:handoff b c e:tape.merge e:handoff m", "p"
		if keep {
			want, boundary = "e:handoff m", "done"
		}
		if short(s.Entries) != want || s.Boundary.Name() != boundary {
			t.Errorf("keep %v: %s, %q", keep, s.Boundary.Name(), short(s.Entries))
		}
	}
}

// TestBrokenMerge interrupts a merge between its steps, and completes it.
func TestBrokenMerge(t *testing.T) {
	for steps := range 5 {
		w, tape := phases(t)
		must(tape.Fork(ctx, ForkRequest{To: "child"}))(t)
		child := w.tape("child")
		add(t, child, message("m"))
		kept := read(t, child.Path())
		parent := read(t, tape.Path())
		must(child.Merge(ctx, MergeRequest{}))(t)
		merged := read(t, tape.Path())
		switch archive := filepath.Join(w.folder, must(child.Archives())(t)[0]); steps {
		case 0: // only closed
			if err := errors.Join(os.WriteFile(tape.Path(), []byte(parent), 0o644), os.Rename(archive, child.Path())); err != nil {
				t.Fatal(err)
			}
		case 1, 3, 4: // written to the parent, too
			if err := os.Rename(archive, child.Path()); err != nil {
				t.Fatal(err)
			}
		case 2: // complete, but there is a copy of the open fork
			if err := os.WriteFile(child.Path(), []byte(kept), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if steps != 2 {
			if _, err := child.Append(ctx, message("late")); !errors.Is(err, handoff.ErrInvalid) {
				t.Errorf("%d: %v", steps, err)
			}
			if _, err := child.Discard(ctx, ""); !errors.Is(err, handoff.ErrInvalid) {
				t.Errorf("%d: %v", steps, err)
			}
		}
		switch steps {
		case 3: // and the parent was reset since
			archived := must(tape.Reset(ctx, ResetRequest{}))(t)
			tape = must(w.OpenArchive(archived))(t)
		case 4: // or archived
			archived := must(tape.replace(ctx, change{}))(t)
			tape = must(w.OpenArchive(archived))(t)
		}
		must(child.Merge(ctx, MergeRequest{}))(t)
		if steps == 3 {
			wantShort(t, w.tape(Main), Query{}, "a:session/start e:handoff")
		}
		got := read(t, tape.Path())
		if strings.Count(got, `"m"`) != 1 || steps > 0 && got != merged {
			t.Errorf("%d: %s", steps, got)
		}
	}
}

// TestMergeWithoutParent: a merge that cannot be done leaves its fork open.
func TestMergeWithoutParent(t *testing.T) {
	w, tape := phases(t)
	must(tape.Fork(ctx, ForkRequest{To: "child"}))(t)
	must(tape.Fork(ctx, ForkRequest{To: "unwanted"}))(t)
	add(t, w.tape("child"), message("m"))
	must(tape.Delete(ctx, DeleteRequest{}))(t)
	if _, err := w.tape("child").Merge(ctx, MergeRequest{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	add(t, w.tape("child"), message("n"))
	if r := must(w.tape("unwanted").Discard(ctx, "no parent"))(t); r.Archived == "" {
		t.Errorf("%+v", r)
	}
	add(t, tape, message("new"))
	must(w.tape("child").Merge(ctx, MergeRequest{}))(t)
	wantShort(t, tape, Query{}, "a:session/start e:handoff new e:tape.merge m n")
}

// TestNotifyParent: a fork with that trigger ends with a message to its parent, once.
func TestNotifyParent(t *testing.T) {
	for trigger, notified := range map[string]bool{lineage.NotifyParent: true, "something": false} {
		for broken := range 2 {
			w, tape := phases(t)
			must(tape.Fork(ctx, ForkRequest{To: "child", Intention: &Intention{NextSteps: "count", TriggerOnComplete: &trigger}}))(t)
			add(t, w.tape("child"), message("12"))
			must(w.tape("child").Fork(ctx, ForkRequest{To: "grandchild"}))(t) // copies the intention, which is not its own
			must(w.tape("grandchild").Merge(ctx, MergeRequest{}))(t)
			before := read(t, tape.Path())
			r := must(w.tape("child").Merge(ctx, MergeRequest{}))(t)
			if broken == 1 { // killed before the parent was written
				archive := filepath.Join(w.folder, r.Archived)
				if err := errors.Join(os.WriteFile(tape.Path(), []byte(before), 0o644), os.Rename(archive, w.tape("child").Path())); err != nil {
					t.Fatal(err)
				}
				r = must(w.tape("child").Merge(ctx, MergeRequest{}))(t)
			}
			last := must(tape.Last())(t)
			said := strings.HasPrefix(content(last), `[Fork completed: child]: {"next_steps": "count", `)
			if r.Notified != notified || said != notified || notified && strings.Count(read(t, tape.Path()), "Fork completed") != 1 {
				t.Errorf("%s: %+v, %s", trigger, r, last.Raw())
			}
			if e := jsontext.Get(last.Payload, "role"); notified && e != `"user"` {
				t.Errorf("role %s", e)
			}
		}
	}
}

func TestDiscard(t *testing.T) {
	w, tape := phases(t)
	must(tape.Fork(ctx, ForkRequest{To: "child"}))(t)
	add(t, w.tape("child"), message("lost"))
	r := must(w.tape("child").Discard(ctx, "wrong way"))(t)
	last := must(tape.All(Query{Kinds: []string{"event"}}))(t)
	if e := last[len(last)-1]; string(e.Data()) != `{"fork": "main-fork-00000001", "tape": "child", "entries": 1, "reason": "wrong way"}` || r.First != 0 {
		t.Errorf("%s, %+v", e.Raw(), r)
	}
	if graph := must(w.Forks(ctx))(t); graph[0].Status != lineage.Discarded {
		t.Errorf("%+v", graph)
	}
	if err := w.tape("child").Ensure(ctx); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestReset(t *testing.T) {
	w, tape := phases(t)
	before := read(t, tape.Path())
	must(tape.Fork(ctx, ForkRequest{To: "linked", Link: true, FromAnchor: new("p")}))(t)
	if _, err := tape.Reset(ctx, ResetRequest{NoArchive: true}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("a fork links to it: %v", err)
	}
	path := must(tape.Reset(ctx, ResetRequest{}))(t)
	if !strings.HasPrefix(path, "tape/archived/main_2026-02-21_1200") {
		t.Error(path)
	}
	if got := read(t, filepath.Join(w.folder, path)); got != before {
		t.Errorf("%s", got)
	}
	entries := must(tape.All(Query{}))(t)
	if short(entries) != "a:session/start e:handoff" || string(entries[0].State()) != `{"owner": "human", "archived": "`+path+`"}` || entries[0].ID != 1 {
		t.Errorf("%s", entries[0].Raw())
	}
	add(t, tape, message("new"))
	wantShort(t, tape, Query{}, "a:session/start e:handoff new")
	wantShort(t, tape, Query{Window: AfterAnchor("session/start")}, "e:handoff new")
	// The linked entries are found in the archive; another tape has the name
	// now.
	wantShort(t, w.tape("linked"), Query{}, "a:p e:handoff b c e:tape.fork")
	add(t, w.tape("linked"), message("mine"))
	must(w.tape("linked").Merge(ctx, MergeRequest{}))(t)
	wantShort(t, tape, Query{}, "a:session/start e:handoff new e:tape.merge mine")

	second := must(tape.Reset(ctx, ResetRequest{}))(t)
	if all := must(tape.Archives())(t); !slices.Equal(all, []string{second, path}) {
		t.Errorf("%q", all)
	}
	if got := must(tape.Reset(ctx, ResetRequest{NoArchive: true}))(t); got != "" || len(must(tape.Archives())(t)) != 2 {
		t.Error(got)
	}
	wantShort(t, tape, Query{}, "a:session/start e:handoff")
}

// TestResetMissing: a reset creates no tape.
func TestResetMissing(t *testing.T) {
	w := open(t)
	for _, r := range []ResetRequest{{}, {NoArchive: true}, {Key: "k"}} {
		if _, err := w.tape("typo").Reset(ctx, r); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if list := must(w.List())(t); len(list) != 0 {
		t.Errorf("it created %q", list)
	}
}

// TestKilledReset: the files that a killed reset leaves are not archives, and
// the next reset removes them.
func TestKilledReset(t *testing.T) {
	w, tape := phases(t)
	kept := must(tape.Reset(ctx, ResetRequest{}))(t)
	add(t, tape, message("d"))
	stem := strings.TrimSuffix(filepath.Join(w.folder, kept), ".jsonl")
	left := []string{stem + "-2.jsonl", stem + "-3.jsonl", stem + "-4.jsonl.tmp"}
	if err := errors.Join(os.WriteFile(left[0], nil, 0o644), os.Link(tape.Path(), left[1]), os.Link(tape.Path(), left[2])); err != nil {
		t.Fatal(err)
	}
	if list := must(tape.Archives())(t); !slices.Equal(list, []string{kept}) {
		t.Errorf("%q", list)
	}
	second := must(tape.Reset(ctx, ResetRequest{}))(t)
	if list := must(tape.Archives())(t); !slices.Equal(list, []string{second, kept}) {
		t.Errorf("%q", list)
	}
	for _, path := range left {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	wantShort(t, must(w.OpenArchive(second))(t), Query{}, "a:session/start e:handoff d")
}

// A fork stays a fork after a reset: only later entries are merged.
func TestResetFork(t *testing.T) {
	w, tape := phases(t)
	must(tape.Fork(ctx, ForkRequest{To: "child", Intention: &Intention{}}))(t)
	child := w.tape("child")
	add(t, child, message("before"))
	must(child.Reset(ctx, ResetRequest{}))(t)
	add(t, child, message("after"))
	wantShort(t, child, Query{}, "e:tape.fork a:session/start e:handoff after")
	must(child.Merge(ctx, MergeRequest{}))(t)
	wantShort(t, tape, Query{Kinds: []string{"message"}}, "a b c after")
}

// TestLinkedQueries queries a linked fork of a linked fork.
func TestLinkedQueries(t *testing.T) {
	w, tape := phases(t)
	must(tape.Fork(ctx, ForkRequest{To: "child", Link: true}))(t)
	child := w.tape("child")
	add(t, child, message("d"))
	must(child.Fork(ctx, ForkRequest{To: "grandchild", Link: true, FromEntry: new(int64(3))}))(t)
	grandchild := w.tape("grandchild")
	add(t, tape, message("not seen"))
	add(t, child, message("not seen"))
	must(grandchild.Handoff(ctx, "q", nil, nil))(t)
	add(t, grandchild, message("e"))
	wantShort(t, grandchild, Query{Kinds: []string{"message", "anchor"}}, "a a:p b c d a:q e")
	wantShort(t, grandchild, Query{Window: FromLastAnchor()}, "e:handoff e")
	wantShort(t, grandchild, Query{Window: AfterAnchor("p"), Kinds: []string{"message"}}, "b c d e")
	wantShort(t, grandchild, Query{Window: BetweenAnchors("p", "q"), Kinds: []string{"message"}}, "b c d")
	if _, err := grandchild.All(Query{Window: AfterAnchor("session/start")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it comes before the received entries: %v", err)
	}
	info := must(grandchild.Info())(t)
	if info.Entries != 5+2+1+3 || info.Anchors != 2 || *info.LastAnchor != "q" || info.SinceLastAnchor != 2 {
		t.Errorf("%+v", info)
	}
	if anchors := must(grandchild.Anchors(0))(t); len(anchors) != 2 || anchors[0].Tape != Main || anchors[1].Tape != "" {
		t.Errorf("%+v", anchors)
	}
	if hits := must(grandchild.Search(Search{Text: "p", Kinds: []string{"anchor"}}))(t); len(hits) != 1 || hits[0].Tape != Main {
		t.Errorf("%+v", hits)
	}
	if err := os.Remove(tape.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := grandchild.All(Query{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "tape grandchild continues from main") {
		t.Error(err)
	}
}

func TestGraph(t *testing.T) {
	w, tape := phases(t)
	must(tape.Fork(ctx, ForkRequest{To: "a", FromAnchor: new("p")}))(t)
	must(w.tape("a").Fork(ctx, ForkRequest{Link: true}))(t)
	must(w.tape("a").Discard(ctx, ""))(t)
	path := filepath.Join(w.folder, "session_graph.jsonl")
	want := `{"session_id": "main-fork-00000001", "parent_session_id": "main", "from_anchor": "p", "created_at": "2026-02-21T12:00:05+00:00", "status": "active", "tape": "a", "parent_tape": "main", "from_entry": 4}
{"session_id": "a-fork-00000002", "parent_session_id": "main-fork-00000001", "from_anchor": null, "created_at": "2026-02-21T12:00:07+00:00", "status": "active", "tape": "a-fork-00000002", "parent_tape": "a", "from_entry": 1, "linked": true}
{"session_id": "main-fork-00000001", "parent_session_id": "main", "from_anchor": "p", "created_at": "2026-02-21T12:00:05+00:00", "status": "discarded", "tape": "a", "parent_tape": "main", "from_entry": 4}
`
	if got := read(t, path); got != want {
		t.Errorf("%s", got)
	}
	before := must(w.Forks(ctx))(t)
	// The file is derived: here it is lost, then has a line of Bub and an
	// invalid one.
	if err := os.WriteFile(path, []byte("oops\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	after := must(w.Forks(ctx))(t)
	sorted := func(list []lineage.Fork) string {
		var lines []string
		for _, l := range list {
			lines = append(lines, fmt.Sprint(l.SessionID, l.Status, l.Tape, *l.ParentSessionID, l.Linked, *l.FromEntry))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	if sorted(after) != sorted(before) {
		t.Errorf("%s\nwant\n%s", sorted(after), sorted(before))
	}
	appendTo(t, path, `{"session_id": "x", "parent_session_id": null, "from_anchor": null, "created_at": "2026-11-20T17:40:16.987912+00:00", "status": "active"}`+"\n")
	if list := must(w.Forks(ctx))(t); len(list) != 3 || list[2].ParentSessionID != nil {
		t.Errorf("%+v", list)
	}
}

func TestManifest(t *testing.T) {
	w, tape := phases(t)
	if _, err := tape.Append(ctx, must(entry.NewEvent(entry.EventTitle, map[string]string{"title": "The <main> one"}))(t)); err != nil {
		t.Fatal(err)
	}
	must(tape.Fork(ctx, ForkRequest{To: "telegram:123", FromAnchor: new("p")}))(t)
	path := filepath.Join(w.folder, "tape", "manifest.json")
	want := `{
  "version": 1,
  "tapes": {
    "main": {
      "id": "main",
      "file": "main.jsonl",
      "title": "The <main> one",
      "created_at": "2026-02-21T12:00:01+00:00",
      "entries": 8,
      "bytes": 1115,
      "anchors": {
        "p": {
          "name": "p",
          "tape_id": "main",
          "entry_id": 4,
          "state": {
            "task": "x"
          },
          "created_at": "2026-02-21T12:00:02+00:00"
        },
`
	fork := `    "telegram:123": {
      "id": "telegram:123",
      "file": "telegram%3A123.jsonl",
      "title": null,
      "parent": [
        "main",
        9
      ],
      "created_at": "2026-02-21T12:00:02+00:00",
      "entries": 6,
      "bytes": 1172,
      "anchors": {
        "p": {
          "name": "p",
          "tape_id": "telegram:123",
          "entry_id": 1,
`
	got := read(t, path)
	if !strings.HasPrefix(got, want) || !strings.Contains(got, fork) || !strings.Contains(got, `"tape_id": "main",`+"\n      \"entry_id\": 4,\n      \"state\": {\n        \"task\": \"x\"\n      },") {
		t.Errorf("%s", got)
	}
	must(tape.Handoff(ctx, "new", nil, nil))(t) // makes it stale
	m := must(w.Manifest())(t)
	if p := m.Tapes[Main].Anchors["p"]; p.EntryID != 4 || p.TapeID != Main || len(m.Tapes[Main].Anchors) != 3 {
		t.Errorf("%+v", m.Tapes)
	}
	if m.Anchors["new"].TapeID != Main || !strings.Contains(read(t, path), `"new"`) || len(m.Anchors) != 3 {
		t.Errorf("%+v", m)
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(w.Manifest())(t)
	if again := read(t, path); !strings.HasPrefix(again, "{\n  \"version\": 1") {
		t.Errorf("%s", again)
	}
}

// TestLinkedParentIsLongAgain: a linked fork keeps the entries that it refers to when its parent is
// reset and becomes as long as before, so that its new file has entries of the same ids.
func TestLinkedParentIsLongAgain(t *testing.T) {
	w := open(t)
	main := w.tape(Main)
	add(t, main, message("a"), message("b"))
	must(main.Fork(ctx, ForkRequest{To: "child", Link: true}))(t)
	want := []string{"@session/start", "a", "b"}
	for range 2 { // the second time, two archives are as long
		must(main.Reset(ctx, ResetRequest{}))(t)
		add(t, main, message("c"), message("d"), message("e"))
		for _, s := range []*Store{w.Store, openIn(t, w.folder).Store} {
			child := must(s.Tape("child"))(t)
			if got := plainly(must(child.All(Query{}))(t)); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}
