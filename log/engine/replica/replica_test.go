package replica_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/journal"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/replica"
)

// numbered is a strict format whose lines begin with their number.
var numbered = journal.Format{Version: 1, Begun: true, Read: func(line []byte) (journal.Facts, error) {
	var f journal.Facts
	_, err := fmt.Sscanf(string(line), "%d ", &f.Number)
	return f, err
}}

// whole is numbered, for a log that nothing is appended to while it is damaged.
var whole = func() journal.Format {
	f := numbered
	f.Whole = true
	return f
}()

const log = "threads/a.jsonl"

// side is a folder that is a copy of a store.
type side struct {
	t    *testing.T
	dir  string
	r    *replica.Replica
	said []string
}

func open(t *testing.T, e engine.Engine, dir string) *side {
	s := &side{t: t, dir: dir}
	owns := func(path string) bool {
		return strings.HasPrefix(path, "threads/") && strings.HasSuffix(path, ".jsonl") || path == "threads.jsonl"
	}
	s.r = replica.New(e, replica.Folder{Root: nofollow.Root(dir), Dir: dir, Owns: owns}, func(line string) { s.said = append(s.said, line) })
	return s
}

func (s *side) path() string { return filepath.Join(s.dir, filepath.FromSlash(log)) }

func (s *side) options() journal.Options {
	return journal.Options{Root: nofollow.Root(s.dir), Upstream: s.r.Upstream(s.path())}
}

func (s *side) create(texts ...string) error {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path()), 0o755); err != nil {
		s.t.Fatal(err)
	}
	j, err := journal.Create(context.Background(), s.path(), numbered, s.options(), lines(0, texts...))
	if err == nil {
		err = j.Close()
	}
	return err
}

func lines(first uint64, texts ...string) []journal.Line {
	all := make([]journal.Line, len(texts))
	for i, text := range texts {
		all[i].Text = fmt.Appendf(nil, "%d %s", first+uint64(i), text)
	}
	return all
}

func (s *side) append(expect journal.Expect, texts ...string) (uint64, error) {
	j, err := journal.Open(context.Background(), s.path(), numbered, s.options())
	if err != nil {
		return 0, err
	}
	defer j.Close()
	return j.Append(context.Background(), expect, func(next uint64) ([]journal.Line, error) { return lines(next, texts...), nil })
}

func (s *side) file() string {
	src, _ := os.ReadFile(s.path())
	return string(src)
}

// content is what a store has, as a file.
func content(t *testing.T, e engine.Logs) string {
	t.Helper()
	var b strings.Builder
	for record, err := range e.Read(context.Background(), log, 0) {
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(record.Data, '\n'))
	}
	return b.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// TestSetAside damages a copy: nothing is appended, and then it is fetched again.
func TestSetAside(t *testing.T) {
	store := &enginetest.Memory{}
	a := open(t, store, t.TempDir())
	must(t, a.create("first", "second", "third"))
	must(t, os.WriteFile(a.path(), []byte(strings.Replace(a.file(), "1 second", "x second", 1)), 0o644))
	j, err := journal.Open(t.Context(), a.path(), whole, a.options())
	must(t, err)
	defer j.Close()
	_, err = j.Append(t.Context(), journal.Any(), func(next uint64) ([]journal.Line, error) { return lines(next, "fourth"), nil })
	if !errors.As(err, new(*journal.DamageError)) {
		t.Fatalf("appended to a damaged copy: %v", err)
	}
	rest, err := j.SetAside(t.Context())
	must(t, err)
	if src, err := os.ReadFile(rest.Aside); err != nil || !strings.Contains(string(src), "x second") {
		t.Errorf("%q, %v", src, err)
	}
	n, err := a.append(journal.Any(), "fourth")
	must(t, err)
	if n != 3 {
		t.Errorf("the number was %d", n)
	}
	want(t, a.file(), content(t, store))
}

func TestTwoFoldersOfOneStore(t *testing.T) {
	store := &enginetest.Memory{}
	a, b := open(t, store, t.TempDir()), open(t, store, t.TempDir())
	must(t, a.create("first"))
	if err := b.create("other"); !errors.Is(err, fs.ErrExist) {
		t.Fatalf("created twice: %v", err)
	}
	want(t, b.file(), "0 first\n")
	for i := range 10 {
		one := []*side{a, b}[i%2]
		n, err := one.append(journal.Any(), "x", "y")
		must(t, err)
		if n != uint64(1+2*i) {
			t.Fatalf("append %d got the number %d", i, n)
		}
	}
	must(t, a.r.Sync(t.Context()))
	want(t, a.file(), content(t, store))
	want(t, b.file(), a.file())
	if _, err := a.append(journal.At(3), "z"); !errors.Is(err, journal.ErrConflict) {
		t.Fatalf("expected number 3: %v", err)
	}
	if len(a.said)+len(b.said) > 0 {
		t.Fatal(a.said, b.said)
	}
}

func TestConcurrentAppends(t *testing.T) {
	store := &enginetest.Memory{}
	sides := []*side{open(t, store, t.TempDir()), open(t, store, t.TempDir())}
	must(t, sides[0].create("first"))
	var all sync.WaitGroup
	var mu sync.Mutex
	seen := map[uint64]bool{}
	for w := range 8 {
		all.Go(func() {
			for i := range 20 {
				n, err := sides[w%2].append(journal.Settled(), fmt.Sprintf("writer %d, %d", w, i))
				mu.Lock()
				if err != nil || seen[n] {
					t.Errorf("number %d: %v", n, err)
				}
				seen[n] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for _, s := range sides {
		must(t, s.r.Sync(t.Context()))
		want(t, s.file(), content(t, store))
	}
	if len(seen) != 160 {
		t.Fatalf("%d different numbers", len(seen))
	}
}

// build sees all records before its own, also after a conflict.
func TestDecisionAfterConflict(t *testing.T) {
	store := &enginetest.Memory{}
	a, b := open(t, store, t.TempDir()), open(t, store, t.TempDir())
	must(t, a.create("first"))
	j, err := journal.Open(t.Context(), a.path(), numbered, a.options())
	must(t, err)
	defer j.Close()
	calls := 0
	_, err = j.Append(t.Context(), journal.Settled(), func(next uint64) ([]journal.Line, error) {
		n, err := j.Len()
		if err != nil || n != next {
			return nil, fmt.Errorf("%d records before number %d: %v", n, next, err)
		}
		if calls++; calls == 1 {
			if _, err := b.append(journal.Any(), "faster"); err != nil {
				return nil, err
			}
		}
		return lines(next, "own"), nil
	})
	must(t, err)
	want(t, a.file(), "0 first\n1 faster\n2 own\n")
	want(t, content(t, store), a.file())
}

func TestOutcomes(t *testing.T) {
	for _, answer := range []enginetest.Answer{enginetest.Lost, enginetest.Unheard, enginetest.Late, enginetest.Away} {
		store := &enginetest.Memory{}
		s := open(t, store, t.TempDir())
		must(t, s.create("first"))
		store.Answers = []enginetest.Answer{answer}
		must(t, second(s.append(journal.Any(), "x")))
		want(t, s.file(), "0 first\n1 x\n")
		want(t, content(t, store), s.file())
	}
}

// unreachable is a store that cannot be reached.
type unreachable struct{ enginetest.Memory }

func (*unreachable) Append(context.Context, ...engine.Batch) error { return engine.ErrUnavailable }
func (*unreachable) Len(context.Context, string) (uint64, error)   { return 0, engine.ErrUnavailable }
func (*unreachable) Read(context.Context, string, uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) { yield(engine.Record{}, engine.ErrUnavailable) }
}

func TestUnreachable(t *testing.T) {
	dir := t.TempDir()
	must(t, open(t, &enginetest.Memory{}, dir).create("first"))
	s := open(t, &unreachable{}, dir)
	if _, err := s.append(journal.Any(), "x"); !errors.Is(err, engine.ErrUnavailable) || !strings.Contains(err.Error(), "memory") {
		t.Fatal(err)
	}
	want(t, s.file(), "0 first\n")
	j, err := journal.Open(t.Context(), s.path(), numbered, s.options())
	must(t, err)
	defer j.Close()
	if n, err := j.Len(); n != 1 || err != nil {
		t.Fatal("reading needs the store:", n, err)
	}
}

// What a killed process left: the store has the records, the file lacks them or has
// the beginning of them.
func TestBehind(t *testing.T) {
	for name, rest := range map[string]string{"whole": "", "torn": "1 sec", "torn later": "1 second\n2 th", "torn line end": "1 second"} {
		store := &enginetest.Memory{}
		s := open(t, store, t.TempDir())
		must(t, s.create("first"))
		must(t, store.Append(t.Context(), engine.Batch{Log: log, Expected: 1, Records: [][]byte{[]byte("1 second"), []byte("2 third")}}))
		must(t, os.WriteFile(s.path(), []byte("0 first\n"+rest), 0o644))
		again := open(t, store, s.dir)
		if name == "torn" { // without an append in between
			must(t, again.r.Sync(t.Context()))
			want(t, again.file(), "0 first\n1 second\n2 third\n")
		}
		if n, err := again.append(journal.Any(), "fourth"); n != 3 || err != nil {
			t.Fatal(name, n, err)
		}
		want(t, again.file(), "0 first\n1 second\n2 third\n3 fourth\n")
		want(t, content(t, store), again.file())
		if left, _ := filepath.Glob(s.path() + ".*-*"); len(left) > 0 || len(again.said) > 0 {
			t.Fatal(name, left, again.said)
		}
	}
}

func TestDifferentFileIsSetAside(t *testing.T) {
	for name, differs := range map[string]string{"other end": "0 first\n1 other\n", "other number": "0 first\n1 second\n2 more\n", "empty": "", "torn first line": "0 fi"} {
		store := &enginetest.Memory{}
		s := open(t, store, t.TempDir())
		must(t, s.create("first", "second", "third"))
		must(t, os.WriteFile(s.path(), []byte(differs), 0o644))
		n, err := s.append(journal.Any(), "fourth")
		if n != 3 || err != nil {
			t.Fatal(name, n, err)
		}
		want(t, s.file(), "0 first\n1 second\n2 third\n3 fourth\n")
		if aside, _ := os.ReadFile(s.path() + ".aside-1"); string(aside) != differs || len(s.said) > 0 == (differs == "") {
			t.Fatalf("%s: aside is %q; said %q", name, aside, s.said)
		}
	}
}

func TestStoreThatLostRecords(t *testing.T) {
	s := open(t, &enginetest.Memory{}, t.TempDir())
	must(t, s.create("first", "second", "third"))
	restored := &enginetest.Memory{}
	must(t, restored.Append(t.Context(), engine.Batch{Log: log, Records: [][]byte{[]byte("0 first")}}))
	for _, store := range []engine.Engine{restored, &enginetest.Memory{}} {
		_, err := open(t, store, s.dir).append(journal.Any(), "fourth")
		if !errors.As(err, new(*replica.AheadError)) {
			t.Fatal(err)
		}
		want(t, s.file(), "0 first\n1 second\n2 third\n")
	}
}

func TestFolderThatIsNoCopy(t *testing.T) {
	dir := t.TempDir()
	s := open(t, &enginetest.Memory{}, dir)
	must(t, os.MkdirAll(filepath.Dir(s.path()), 0o755))
	must(t, os.WriteFile(s.path(), []byte("0 own\n"), 0o644))
	for _, err := range []error{s.r.Sync(t.Context()), s.create("first"), second(s.append(journal.Any(), "x"))} {
		if !errors.As(err, new(*replica.NotCopyError)) || !strings.Contains(err.Error(), s.path()) {
			t.Fatal(err)
		}
	}
	want(t, s.file(), "0 own\n")
	if of, err := replica.StoreOf(nofollow.Root(dir), dir); of != "" || err != nil {
		t.Fatal(of, err)
	}
	// After a copy to the store, it is one.
	store := &enginetest.Memory{}
	must(t, store.Append(t.Context(), engine.Batch{Log: log, Records: [][]byte{[]byte("0 own"), []byte("1 more")}}))
	s = open(t, store, dir)
	must(t, s.r.Sync(t.Context()))
	want(t, s.file(), "0 own\n1 more\n")
	if of, err := replica.StoreOf(nofollow.Root(dir), dir); of != "memory" || err != nil {
		t.Fatal(of, err)
	}
}

func second(_ uint64, err error) error { return err }

// Sync fetches the logs of the folder, and no others; a second one reads nothing.
func TestSync(t *testing.T) {
	store := &enginetest.Memory{}
	for i := range 200 {
		must(t, store.Append(t.Context(), engine.Batch{Log: fmt.Sprintf("threads/%03d.jsonl", i), Records: [][]byte{fmt.Appendf(nil, "0 %d", i)}}))
	}
	must(t, store.Append(t.Context(), engine.Batch{Log: "threads.jsonl", Records: [][]byte{[]byte("0 x")}}, engine.Batch{Log: "other/x.jsonl", Records: [][]byte{[]byte("0 x")}}))
	dir := t.TempDir()
	must(t, open(t, store, dir).r.Sync(t.Context()))
	files, err := filepath.Glob(filepath.Join(dir, "threads", "*.jsonl"))
	must(t, err)
	if _, err := os.Stat(filepath.Join(dir, "other")); len(files) != 200 || err == nil {
		t.Fatal(len(files), err)
	}
	reading := &reads{Memory: store}
	must(t, open(t, reading, dir).r.Sync(t.Context()))
	if reading.n != 0 {
		t.Fatal("read", reading.n, "logs that are up to date")
	}
	must(t, store.Append(t.Context(), engine.Batch{Log: "threads/007.jsonl", Expected: 1, Records: [][]byte{[]byte("1 new")}}))
	must(t, open(t, reading, dir).r.Sync(t.Context()))
	got, err := os.ReadFile(filepath.Join(dir, "threads", "007.jsonl"))
	must(t, err)
	if want(t, string(got), "0 7\n1 new\n"); reading.n != 1 {
		t.Fatal("read", reading.n, "logs")
	}
}

// reads counts the reads of a store.
type reads struct {
	*enginetest.Memory
	mu sync.Mutex
	n  int
}

func (r *reads) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	return r.Memory.Read(ctx, log, from)
}

// A follower gets the records of other folders, without a sync.
func TestFollow(t *testing.T) {
	store := &enginetest.Memory{}
	a, b := open(t, store, t.TempDir()), open(t, store, t.TempDir())
	must(t, a.create("first"))
	j, err := journal.Open(t.Context(), b.path(), numbered, b.options())
	must(t, err)
	defer j.Close()
	next := uint64(0)
	for rec, err := range j.Follow(waittest.Context(t), 0) {
		must(t, err)
		if rec.Pos != next {
			t.Fatalf("record %d, want %d", rec.Pos, next)
		}
		if next++; next == 5 {
			break
		}
		must(t, second(a.append(journal.Any(), "more")))
	}
	want(t, b.file(), content(t, store))
}

// Records longer than a write, and longer than the first look at the end of a file.
func TestLongLines(t *testing.T) {
	store := &enginetest.Memory{}
	a, b := open(t, store, t.TempDir()), open(t, store, t.TempDir())
	must(t, a.create("first"))
	for range 3 {
		_, err := a.append(journal.Any(), strings.Repeat("x", 3<<20), "y", strings.Repeat("z", 5000))
		must(t, err)
		_, err = b.append(journal.Any(), "short")
		must(t, err)
	}
	must(t, a.r.Sync(t.Context()))
	if !bytes.Equal([]byte(a.file()), []byte(b.file())) {
		t.Fatal("the files differ")
	}
	want(t, a.file()[len(a.file())-8:], "2 short\n")
}

// TestOneFileApart: a file that is ahead of its log, or differs, and a log that is damaged in
// the store, block nothing but themselves, also in the next process; when the file is in order
// again, its log is used.
func TestOneFileApart(t *testing.T) {
	for name, own := range map[string]string{"ahead": "0 first\n1 own\n", "differs": "0 own\n", "only here": "0 first\n"} {
		t.Run(name, func(t *testing.T) {
			store := &enginetest.Memory{}
			other := engine.Batch{Log: "threads/b.jsonl", Records: [][]byte{[]byte("0 b"), []byte("1 b")}}
			must(t, store.Append(t.Context(), other))
			if name != "only here" {
				must(t, store.Append(t.Context(), engine.Batch{Log: log, Records: [][]byte{[]byte("0 first")}}))
			}
			s := open(t, store, t.TempDir())
			must(t, os.MkdirAll(filepath.Dir(s.path()), 0o755))
			must(t, os.WriteFile(s.path(), []byte(own), 0o644))
			fileB := filepath.Join(s.dir, "threads/b.jsonl")
			must(t, os.WriteFile(fileB, []byte("0 b\n"), 0o644))
			for range 2 {
				err := s.r.Sync(t.Context())
				if !replica.AboutLogs(err) || !errors.As(err, new(*replica.NotCopyError)) || !s.r.Adopted() {
					t.Fatal(err)
				}
				if _, current := s.r.AsOf(); !current {
					t.Error("the other logs count as old")
				}
				src, err := os.ReadFile(fileB)
				must(t, err)
				want(t, string(src), "0 b\n1 b\n")
				if _, err := s.append(journal.Any(), "x"); !errors.As(err, new(*replica.NotCopyError)) {
					t.Fatal(err)
				}
				want(t, s.file(), own)
				s = open(t, store, s.dir) // the next process
			}
			must(t, os.Rename(s.path(), s.path()+".mine"))
			must(t, store.Append(t.Context(), engine.Batch{Log: log, Expected: uint64(strings.Count(content(t, store), "\n")), Records: [][]byte{[]byte("1 next")}}))
			must(t, s.r.Sync(t.Context()))
			want(t, s.file(), content(t, store))
			must(t, open(t, store, s.dir).r.Sync(t.Context()))
		})
	}
}
