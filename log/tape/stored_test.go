package tape

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/json/jsontext"
	"handoff/internal/state/names"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/replica"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
)

// copyOf is a folder that is a copy of a store.
func copyOf(t testing.TB, e engine.Engine, folder string) *replica.Replica {
	t.Helper()
	r := replica.New(e, replica.Folder{Root: nofollow.Root(folder), Dir: folder, Owns: names.OfTapes}, func(line string) { t.Error(line) })
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := r.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	return r
}

// openCopy opens the tapes of a store on a machine, which is a folder.
func openCopy(t testing.TB, e engine.Engine, folder string) *workshop {
	t.Helper()
	r := copyOf(t, e, folder)
	w := openWith(t, folder, r.Upstream)
	w.engine = e
	return w
}

// twoMachines are the tapes of one store on two machines.
func twoMachines(t testing.TB) (a, b *workshop, store *enginetest.Memory) {
	t.Helper()
	store = &enginetest.Memory{}
	return openCopy(t, store, t.TempDir()), openCopy(t, store, t.TempDir()), store
}

// synced brings the copies of machines up to date.
func synced(t testing.TB, machines ...*workshop) {
	t.Helper()
	for _, w := range machines {
		copyOf(t, w.engine, w.folder)
	}
}

// sameCopies fails unless each file of the store is in all folders with the same bytes,
// and no other log.
func sameCopies(t testing.TB, e engine.Engine, machines ...*workshop) {
	t.Helper()
	synced(t, machines...)
	want := map[string]string{}
	for info, err := range e.List(ctx, "") {
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for record, err := range e.Read(ctx, info.Log, 0) {
			if err != nil {
				t.Fatal(err)
			}
			text.Write(append(record.Data, '\n'))
		}
		want[info.Log] = text.String()
	}
	for _, w := range machines {
		for log, text := range want {
			if got := read(t, filepath.Join(w.folder, filepath.FromSlash(log))); got != text {
				t.Errorf("%s in %s:\n%s\nwant:\n%s", log, w.folder, got, text)
			}
		}
		files, _ := filepath.Glob(filepath.Join(w.folder, "tape", "*.jsonl"))
		for _, path := range files {
			if want["tape/"+filepath.Base(path)] == "" {
				t.Errorf("the store does not have %s", path)
			}
		}
	}
}

// A tape that one machine resets continues in the next file on both.
func TestResetInStore(t *testing.T) {
	a, b, store := twoMachines(t)
	add(t, a.tape(Main), message("one"))
	add(t, b.tape(Main), message("two"))
	archived := must(a.tape(Main).Reset(ctx, ResetRequest{Key: "k"}))(t)
	if archived != "tape/main.jsonl" {
		t.Error(archived)
	}
	if again := must(b.tape(Main).Reset(ctx, ResetRequest{Key: "k"}))(t); again != archived {
		t.Errorf("the same request on the other machine: %s", again)
	}
	add(t, b.tape(Main), message("three"))
	synced(t, a)
	for _, w := range []*workshop{a, b} {
		wantShort(t, w.tape(Main), Query{}, "a:session/start e:handoff three")
		wantShort(t, must(w.OpenArchive(archived))(t), Query{Kinds: []string{"message"}}, "one two")
		if all := must(w.tape(Main).Archives())(t); !slices.Equal(all, []string{archived}) {
			t.Error(all)
		}
		if names := must(w.List())(t); !slices.Equal(names, []string{Main}) {
			t.Error(names)
		}
	}
	if _, err := a.OpenArchive("tape/main@2.jsonl"); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("a tape was opened as an archive: %v", err)
	}
	for name, destroy := range map[string]func() error{
		"reset":  func() error { _, err := a.tape(Main).Reset(ctx, ResetRequest{NoArchive: true}); return err },
		"delete": func() error { _, err := a.tape(Main).Delete(ctx, DeleteRequest{NoArchive: true}); return err },
	} {
		if err := destroy(); !errors.Is(err, ErrCopy) || !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	sameCopies(t, store, a, b)
}

func TestDeleteInStore(t *testing.T) {
	a, b, store := twoMachines(t)
	add(t, a.tape("x"), message("one"))
	synced(t, b)
	archived := must(b.tape("x").Delete(ctx, DeleteRequest{}))(t)
	if _, err := b.tape("x").Delete(ctx, DeleteRequest{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted twice: %v", err)
	}
	if _, err := a.tape("x").Delete(ctx, DeleteRequest{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleted by the other machine, too: %v", err)
	}
	synced(t, a)
	for _, w := range []*workshop{a, b} {
		if names := must(w.List())(t); len(names) > 0 || must(w.tape("x").Exists())(t) {
			t.Error(names)
		}
		wantShort(t, must(w.OpenArchive(archived))(t), Query{Kinds: []string{"message"}}, "one")
	}
	if created := must(a.tape("x").Create(t.Context(), true))(t); !created {
		t.Error("not created")
	}
	if created := must(b.tape("x").Create(t.Context(), false))(t); created {
		t.Error("created twice")
	}
	add(t, b.tape("x"), message("new"))
	wantShort(t, b.tape("x"), Query{}, "e:tape.created new")
	sameCopies(t, store, a, b)
}

// A fork can be ended on another machine than that where it was created, and is over on
// both.
func TestMergeInStore(t *testing.T) {
	a, b, store := twoMachines(t)
	add(t, a.tape(Main), message("root"))
	for _, name := range []string{"m", "d"} {
		must(a.tape(Main).Fork(ctx, ForkRequest{To: name}))(t)
		add(t, a.tape(name), message("in-"+name))
	}
	synced(t, b)
	must(b.Forks(ctx))(t)
	must(a.tape(Main).Reset(ctx, ResetRequest{}))(t)
	merged := must(b.tape("m").Merge(ctx, MergeRequest{}))(t)
	must(b.tape("d").Discard(ctx, "why"))(t)
	if merged.Archived != "tape/m.jsonl" {
		t.Error(merged)
	}
	synced(t, a)
	for _, w := range []*workshop{a, b} {
		wantShort(t, w.tape(Main), Query{Kinds: []string{"message"}}, "in-m")
		for _, name := range []string{"m", "d"} {
			if _, err := w.tape(name).Append(ctx, message("late")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("append to %s: %v", name, err)
			}
			if _, err := w.tape(name).Merge(ctx, MergeRequest{}); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("second merge of %s: %v", name, err)
			}
		}
		for _, f := range must(w.Forks(ctx))(t) {
			if !f.Over() {
				t.Errorf("%+v", f)
			}
		}
	}
	must(a.tape(Main).Fork(ctx, ForkRequest{To: "m"}))(t) // the name is free again
	sameCopies(t, store, a, b)
}

// An entry that is written during a reset is before its seal or in the next file.
func TestResetRaceInStore(t *testing.T) {
	a, b, store := twoMachines(t)
	add(t, a.tape(Main), message("first"))
	const each = 30
	var all sync.WaitGroup
	for i, w := range []*workshop{a, b, a, b} {
		all.Go(func() {
			for n := range each {
				if _, err := w.tape(Main).Append(ctx, message(fmt.Sprint(i, "-", n))); err != nil {
					t.Error(err)
				}
				if n%10 == i {
					if _, err := w.tape(Main).Reset(ctx, ResetRequest{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	sameCopies(t, store, a, b)
	for _, w := range []*workshop{a, b} {
		count := allOf(t, w, Main)
		for i := range 4 {
			for n := range each {
				if text := fmt.Sprint(i, "-", n); count[text] != 1 {
					t.Errorf("%s occurs %d times", text, count[text])
				}
			}
		}
		if n := len(must(w.tape(Main).Archives())(t)); n != 12 {
			t.Errorf("%d archives", n)
		}
	}
}

// Two machines receive an envelope: one of them has it, also after a kill between the
// decision and the tape.
func TestReceiveOnceInStore(t *testing.T) {
	a, b, store := twoMachines(t)
	add(t, a.tape(Main), message("x"))
	must(a.tape(Main).Handoff(ctx, "phase", []byte(`{"summary": "s"}`), nil))(t)
	for n := range 10 {
		e := must(a.tape(Main).Send(ctx, SendRequest{From: "p", To: "p", Summary: fmt.Sprint(n)}))(t)
		errs := make([]error, 2)
		var both sync.WaitGroup
		for i, w := range []*workshop{a, b} {
			both.Go(func() { _, _, errs[i] = w.tape(fmt.Sprint("of-", i)).Receive(ctx, e, "") })
		}
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), ErrReceived) {
			t.Fatalf("envelope %d: %v", n, errs)
		}
	}
	e := must(a.tape(Main).Send(ctx, SendRequest{From: "p", To: "p", Summary: "interrupted"}))(t)
	if _, err := a.tape("of-0").note(ctx, e.Digest()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.tape("of-1").Receive(ctx, e, ""); !errors.Is(err, ErrReceived) {
		t.Errorf("received by another tape: %v", err)
	}
	for i := range 2 {
		if _, existed, err := b.tape("of-0").Receive(ctx, e, ""); err != nil || existed != (i == 1) {
			t.Errorf("attempt %d: %v %v", i, existed, err)
		}
	}
	synced(t, a)
	must(a.tape("of-0").Reset(ctx, ResetRequest{}))(t)
	if _, existed, err := b.tape("of-0").Receive(ctx, e, ""); err != nil || !existed {
		t.Errorf("after a reset: %v %v", existed, err)
	}
	sameCopies(t, store, a, b)
}

// A process was killed between the seal of a reset and the next file: the next process
// that opens the tape, on any machine, begins it.
func TestInterruptedResetInStore(t *testing.T) {
	for name, next := range map[string]func(*workshop) error{
		"read":   func(w *workshop) error { _, err := w.tape(Main).All(Query{}); return err },
		"append": func(w *workshop) error { _, err := w.tape(Main).Append(ctx, message("next")); return err },
		"reset":  func(w *workshop) error { _, err := w.tape(Main).Reset(ctx, ResetRequest{Key: "k"}); return err },
		"fork":   func(w *workshop) error { _, err := w.tape(Main).Fork(ctx, ForkRequest{To: "f"}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			a, b, store := twoMachines(t)
			add(t, a.tape(Main), message("old"))
			must(a.tape(Main).seal(ctx, lineage.Closing{As: lineage.SealedReset, Key: "k"}, nil))(t)
			synced(t, b)
			if err := next(b); err != nil {
				t.Fatal(err)
			}
			sameCopies(t, store, a, b)
			for _, w := range []*workshop{a, b} {
				all := must(w.tape(Main).All(Query{Kinds: []string{KindAnchor}}))(t)
				if len(all) != 1 || string(all[0].State()) != `{"owner": "human", "archived": "tape/main.jsonl"}` {
					t.Error(all)
				}
				if archives := must(w.tape(Main).Archives())(t); len(archives) != 1 {
					t.Error(archives)
				}
			}
		})
	}
}

// A follower on one machine reads each entry once, whatever another machine resets.
func TestFollowInStore(t *testing.T) {
	a, b, _ := twoMachines(t)
	add(t, a.tape(Main), message("0"))
	synced(t, b)
	const resets = 5
	go func() {
		for n := 1; n <= 3*resets; n++ {
			if _, err := a.tape(Main).Append(ctx, message(fmt.Sprint(n))); err != nil {
				t.Error(err)
			}
			if n%3 == 0 {
				if _, err := a.tape(Main).Reset(ctx, ResetRequest{}); err != nil {
					t.Error(err)
				}
			}
		}
		if _, err := a.tape(Main).Append(ctx, message("last")); err != nil {
			t.Error(err)
		}
	}()
	var got []string
	seen := 0
	for e, err := range b.tape(Main).Follow(t.Context(), FollowRequest{Reset: func() { seen++ }}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() == entry.EventClosed {
			t.Error("a seal was yielded")
		}
		if e.Kind == KindMessage {
			got = append(got, content(e))
		}
		if len(got) > 0 && got[len(got)-1] == "last" {
			break
		}
	}
	if len(got) != 3*resets+2 || seen != resets {
		t.Errorf("%d resets: %q", seen, got)
	}
}

// The files that a store has left continue without it, in the newest generation.
func TestFilesOfAStore(t *testing.T) {
	a, _, _ := twoMachines(t)
	for _, name := range []string{Main, "x", "y"} {
		add(t, a.tape(name), message("old"))
		must(a.tape(name).Reset(ctx, ResetRequest{}))(t)
	}
	must(a.tape("y").Delete(ctx, DeleteRequest{}))(t)
	a.Close()
	w := openIn(t, a.folder)
	add(t, w.tape(Main), message("new"))
	wantShort(t, w.tape(Main), Query{}, "a:session/start e:handoff new")
	must(w.tape(Main).Reset(ctx, ResetRequest{}))(t)
	wantShort(t, w.tape(Main), Query{}, "a:session/start e:handoff")
	must(w.tape(Main).Reset(ctx, ResetRequest{NoArchive: true}))(t)
	if n := len(must(w.tape(Main).Archives())(t)); n != 2 {
		t.Errorf("%d archives", n)
	}
	must(w.tape(Main).Delete(ctx, DeleteRequest{NoArchive: true}))(t)
	must(w.tape("x").Delete(ctx, DeleteRequest{}))(t)
	again := openIn(t, a.folder)
	if names := must(again.List())(t); len(names) > 0 {
		t.Error(names)
	}
	add(t, again.tape("x"), message("again"))
	wantShort(t, again.tape("x"), Query{}, "a:session/start e:handoff again")
}

// TestLargeMerge: a fork with more entries than a store takes at once is merged by several
// appends; another call completes one that failed.
func TestLargeMerge(t *testing.T) {
	a, b, store := twoMachines(t)
	add(t, a.tape(Main), message("first"))
	must(a.tape(Main).Fork(ctx, ForkRequest{To: "child"}))(t)
	fill(t, a.tape("child"), 600)
	store.Most = 2 << 20
	if _, err := a.tape("child").Merge(ctx, MergeRequest{}); !errors.Is(err, engine.ErrTooLarge) {
		t.Fatalf("a merge into a store that takes 2 MiB at once: %v", err)
	}
	store.Most = 6 << 20
	r := must(a.tape("child").Merge(ctx, MergeRequest{}))(t)
	if r.Entries != 600 || r.Last-r.First != 599 {
		t.Errorf("%+v", r)
	}
	store.Most = 0
	sameCopies(t, store, a, b)
	n := 0
	for e, err := range b.tape(Main).Query(Query{Kinds: []string{KindMessage}}) {
		if err != nil {
			t.Fatal(err)
		}
		if id := jsontext.Get(e.Meta, "origin"); id != "" {
			n++
		}
	}
	if n != 600 {
		t.Errorf("the other machine has %d copies, want 600", n)
	}
}
