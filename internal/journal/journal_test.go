package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
)

// entry is the record of the tests.
type entry struct {
	N     *uint64  `json:"n,omitempty"`
	Keys  []string `json:"keys,omitempty"`
	Lists []string `json:"lists,omitempty"`
	Marks []Mark   `json:"marks,omitempty"`
	Text  string   `json:"text,omitempty"`
}

func readEntry(line []byte) (Facts, error) {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return Facts{}, err
	}
	f := Facts{Number: Unnumbered, Keys: e.Keys, Lists: e.Lists, Marks: e.Marks}
	if e.N != nil {
		f.Number = *e.N
	}
	return f, nil
}

var (
	strict   = Format{Read: readEntry}
	tolerant = Format{First: 1, Read: readEntry, Tolerant: true}
)

func text(n uint64, s string) []byte { return entry{N: &n, Text: s}.line() }

func (e entry) line() []byte {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return b
}

// add returns a build function for records with these texts.
func add(texts ...string) func(uint64) ([]Line, error) {
	return func(next uint64) (lines []Line, err error) {
		for i, s := range texts {
			lines = append(lines, Line{Text: text(next+uint64(i), s)})
		}
		return lines, nil
	}
}

// disk counts flushes, and fails them with an error.
type disk struct {
	syncs int
	err   error
}

func (d *disk) sync(f *os.File) error {
	d.syncs++
	if d.err != nil {
		return d.err
	}
	return f.Sync()
}

func create(t testing.TB, format Format, options Options) *Journal {
	t.Helper()
	j, err := Create(t.Context(), filepath.Join(t.TempDir(), "log"), format, options, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// quickDir is a folder in memory, if the system has one: random tests then try
// more.
func quickDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "journal-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func reopen(t testing.TB, j *Journal) *Journal {
	t.Helper()
	again, err := Open(t.Context(), j.Path(), j.format, j.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

func mustAppend(t testing.TB, j *Journal, texts ...string) uint64 {
	t.Helper()
	first, err := j.Append(context.Background(), Any(), add(texts...))
	if err != nil {
		t.Fatal(err)
	}
	return first
}

// texts collects what Since yields.
func texts(j *Journal, pos uint64) (list []string, err error) {
	for rec, err := range j.Since(pos) {
		if err != nil {
			return list, err
		}
		var e entry
		if err := json.Unmarshal(rec.Line, &e); err != nil {
			return list, err
		}
		list = append(list, e.Text)
	}
	return list, nil
}

func wantTexts(t testing.TB, j *Journal, want ...string) {
	t.Helper()
	got, err := texts(j, 0)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("served %q, %v; want %q", got, err, want)
	}
}

func content(t testing.TB, j *Journal) []byte {
	t.Helper()
	b, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAppendAndRead(t *testing.T) {
	for _, format := range []Format{strict, tolerant} {
		j := create(t, format, Options{})
		first := format.First
		if n := mustAppend(t, j, "a"); n != first {
			t.Errorf("the first record has number %d", n)
		}
		if n := mustAppend(t, reopen(t, j), "b", "c"); n != first+1 {
			t.Errorf("the second has %d", n)
		}
		if n := mustAppend(t, j, "d"); n != first+3 { // another handle has written
			t.Errorf("the fourth has %d", n)
		}
		for _, j := range []*Journal{j, reopen(t, j)} {
			wantTexts(t, j, "a", "b", "c", "d")
			if rec, err := j.Get(first + 2); err != nil || !bytes.Contains(rec.Line, []byte(`"c"`)) || rec.Pos != first+2 || rec.Number != first+2 {
				t.Errorf("Get: %+v, %v", rec, err)
			}
			if rec, ok, err := j.Last(); err != nil || !ok || rec.Pos != first+3 {
				t.Errorf("Last: %+v, %v, %v", rec, ok, err)
			}
			if _, err := j.Get(first + 4); !errors.Is(err, ErrNoRecord) {
				t.Errorf("Get beyond the end: %v", err)
			}
			if got, err := texts(j, first+4); err != nil || len(got) > 0 {
				t.Errorf("Since the end: %q, %v", got, err)
			}
		}
	}
}

func TestExpect(t *testing.T) {
	j := create(t, strict, Options{})
	ctx := context.Background()
	if _, err := j.Append(ctx, At(0), add("a", "b")); err != nil {
		t.Error(err)
	}
	_, err := j.Append(ctx, At(1), add("late"))
	if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "the next number is 2, not 1") {
		t.Errorf("a stale condition: %v", err)
	}
	if n, err := j.Append(ctx, At(2), add("c")); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	wantTexts(t, j, "a", "b", "c")
}

// A refused append does not change the file, and its error is not ErrUnknown.
func TestRefused(t *testing.T) {
	j := create(t, strict, Options{MaxLine: 100})
	mustAppend(t, j, "a")
	before := content(t, j)
	why := errors.New("why")
	line := func(lines ...[]byte) func(uint64) ([]Line, error) {
		return func(uint64) ([]Line, error) { return Lines(lines), nil }
	}
	for name, build := range map[string]func(uint64) ([]Line, error){
		"the builder's error": func(uint64) ([]Line, error) { return nil, why },
		"line end":            line([]byte("{\"n\":1}\n")),
		"line end within":     line([]byte("{\"n\":\n1}")),
		"too long":            line(text(1, strings.Repeat("x", 100))),
		"wrong number":        line(text(2, "x")),
		"wrong second number": line(text(1, "x"), text(1, "x")),
		"unreadable":          line([]byte("{")),
		"not UTF-8":           line([]byte("{\"n\":1,\"text\":\"\xff\"}")),
	} {
		_, err := j.Append(context.Background(), Any(), build)
		if err == nil || errors.Is(err, ErrUnknown) || name == "the builder's error" && !errors.Is(err, why) {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(content(t, j), before) {
			t.Fatalf("%s: something was written", name)
		}
	}
	if n, err := j.Append(context.Background(), At(1), line()); n != 1 || err != nil {
		t.Errorf("no lines: %d, %v", n, err)
	}
	mustAppend(t, j, "b")
	wantTexts(t, j, "a", "b")
}

func TestPanickingBuilder(t *testing.T) {
	j := create(t, strict, Options{})
	func() {
		defer func() {
			if recover() != "why" {
				t.Error("the panic went missing")
			}
		}()
		j.Append(context.Background(), Any(), func(uint64) ([]Line, error) { panic("why") })
	}()
	mustAppend(t, j, "a")
	wantTexts(t, j, "a")
}

func TestCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if _, err := Create(t.Context(), path, strict, Options{}, Lines([][]byte{text(0, "a"), text(2, "b")})); err == nil {
		t.Error("created with a wrong number")
	}
	if _, err := Open(t.Context(), path, strict, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened what is not there: %v", err)
	}
	var wg sync.WaitGroup
	var won, lost sync.Map
	for i := range 8 {
		wg.Go(func() {
			name := fmt.Sprint(i)
			j, err := Create(t.Context(), path, strict, Options{}, Lines([][]byte{text(0, name), text(1, name)}))
			switch {
			case err == nil:
				won.Store(name, j)
			case errors.Is(err, fs.ErrExist):
				lost.Store(name, true)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n := 0
	won.Range(func(name, j any) bool {
		n++
		wantTexts(t, j.(*Journal), name.(string), name.(string))
		return true
	})
	if n != 1 {
		t.Errorf("%d created the same journal", n)
	}
}

func TestContextAndClose(t *testing.T) {
	j := create(t, strict, Options{})
	held, err := lockfile.Lock(context.Background(), nofollow.Named, j.Path()+".lock") // like another process
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var never, other sync.WaitGroup
	for range 3 {
		never.Go(func() {
			if _, err := j.Append(ctx, Any(), add("never")); !errors.Is(err, context.Canceled) {
				t.Errorf("an append that was called off: %v", err)
			}
		})
	}
	other.Go(func() { mustAppend(t, j, "a") })
	j.waitFor(4)
	cancel()
	never.Wait() // with the lock held: an append that gets the lock as it is cancelled is written
	held()
	other.Wait()
	wantTexts(t, j, "a")
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if _, err := j.Append(context.Background(), Any(), add("b")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// waitFor waits until so many appends wait for their turn.
func (j *Journal) waitFor(n int) {
	for waiting := 0; waiting < n; runtime.Gosched() {
		waiting, _ = j.log.Busy()
	}
}

// Settled appends are flushed together, and each can read all records before its
// own.
func TestSettled(t *testing.T) {
	for _, format := range []Format{strict, tolerant} {
		var d disk
		j := create(t, format, Options{sync: d.sync})
		held, err := lockfile.Lock(context.Background(), nofollow.Named, j.Path()+".lock")
		if err != nil {
			t.Fatal(err)
		}
		const n = 20
		looks := 0
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				if i%4 == 0 {
					if _, err := j.Append(context.Background(), Any(), add("any")); err != nil {
						t.Error(err)
					}
					return
				}
				_, err := j.Append(context.Background(), Settled(), func(next uint64) ([]Line, error) {
					looks++
					if count, err := j.Len(); err != nil || count+j.format.First != next {
						t.Errorf("%d records can be seen from record %d on, %v", count, next, err)
					}
					return add("settled", "settled")(next)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		j.waitFor(n)
		held()
		wg.Wait()
		if d.syncs != 1 || looks != n-n/4 {
			t.Errorf("flushed %d times for %d looks", d.syncs, looks)
		}
		if got, err := texts(j, 0); err != nil || len(got) != n/4+2*(n-n/4) {
			t.Errorf("%d records, %v", len(got), err)
		}
	}
}

// A failed flush fails all appends that shared it.
func TestFailedFlushOfMany(t *testing.T) {
	var d disk
	j := create(t, strict, Options{sync: d.sync})
	mustAppend(t, j, "a")
	held, err := lockfile.Lock(context.Background(), nofollow.Named, j.Path()+".lock")
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("why")
	d.err = why
	const n = 5
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if _, err := j.Append(context.Background(), Settled(), add("b")); !errors.Is(err, ErrUnknown) || !errors.Is(err, why) {
				t.Error(err)
			}
		})
	}
	j.waitFor(n)
	held()
	wg.Wait()
	wantTexts(t, j, "a")
	d.err = nil
	mustAppend(t, j, "c")
	wantTexts(t, j, "a", "c")
}

// Concurrent appends are written together, and a conflict fails only its own
// append.
func TestTogether(t *testing.T) {
	var d disk
	j := create(t, strict, Options{sync: d.sync})
	held, err := lockfile.Lock(context.Background(), nofollow.Named, j.Path()+".lock")
	if err != nil {
		t.Fatal(err)
	}
	const n = 50
	var wg sync.WaitGroup
	var conflicts, done sync.Map
	for i := range n {
		expect := Any()
		if i%10 == 0 {
			expect = At(1000)
		}
		wg.Go(func() {
			first, err := j.Append(context.Background(), expect, add("a", "b"))
			if errors.Is(err, ErrConflict) {
				conflicts.Store(i, true)
			} else if err != nil {
				t.Error(err)
			} else if _, twice := done.LoadOrStore(first, true); twice {
				t.Errorf("number %d was given twice", first)
			}
		})
	}
	j.waitFor(n)
	held()
	wg.Wait()
	if d.syncs != 1 {
		t.Errorf("flushed %d times", d.syncs)
	}
	if got, err := texts(j, 0); err != nil || len(got) != 2*(n-n/10) {
		t.Errorf("%d records, %v", len(got), err)
	}
	count := 0
	conflicts.Range(func(any, any) bool { count++; return true })
	if count != n/10 {
		t.Errorf("%d conflicts", count)
	}
}

func TestBatchOfFlushes(t *testing.T) {
	var d disk
	j := create(t, strict, Options{Batch: 1 << 40, sync: d.sync})
	for range 100 {
		mustAppend(t, j, "a")
	}
	if d.syncs != 0 {
		t.Errorf("%d flushes before the time", d.syncs)
	}
	if err := errors.Join(j.Flush(), j.Flush(), j.Close()); err != nil || d.syncs != 1 {
		t.Errorf("%d flushes, %v", d.syncs, err)
	}
}

// After a failed flush the records are removed from the file, because they may be
// lost later.
func TestFailedFlush(t *testing.T) {
	why := errors.New("why")
	var d disk
	j := create(t, strict, Options{sync: d.sync})
	mustAppend(t, j, "a")
	d.err = why
	if _, err := j.Append(context.Background(), Any(), add("b")); !errors.Is(err, ErrUnknown) || !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	wantTexts(t, j, "a")
	d.err = nil
	mustAppend(t, j, "c")
	wantTexts(t, j, "a", "c")

	j = create(t, strict, Options{Batch: 1 << 40, sync: d.sync})
	mustAppend(t, j, "a")
	d.err = why
	if err := j.Flush(); !errors.Is(err, ErrUnknown) || !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	if _, err := j.Append(context.Background(), Any(), add("b")); !errors.Is(err, ErrUnknown) {
		t.Errorf("after a flush that failed: %v", err)
	}
}

// TestPlain: appends to a journal without numbers neither read what others have
// appended nor build an index; a query builds it.
func TestPlain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plain.jsonl")
	format := Format{Tolerant: true, Plain: true, Read: readEntry}
	line := func(key string) []byte { return entry{Keys: []string{key}, Text: strings.Repeat("x", 1000)}.line() }
	one, err := Create(t.Context(), path, format, Options{}, Lines([][]byte{line("first")}))
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	two, err := Open(t.Context(), path, format, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	const n = 400
	for i := range n {
		for name, j := range map[string]*Journal{"one": one, "two": two} {
			if _, err := j.Append(context.Background(), Any(), func(uint64) ([]Line, error) { return Lines([][]byte{line(fmt.Sprint(name, i))}), nil }); err != nil {
				t.Fatal(err)
			}
		}
		if i == n/2 { // as a killed writer leaves it
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			f.WriteString(`{"keys":["torn"],`)
			f.Close()
		}
	}
	if _, err := os.Stat(path + ".idx"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("appends have made an index: %v", err)
	}
	if count, err := one.Len(); count != 2*n+1 || err != nil {
		t.Errorf("%d records, %v", count, err)
	}
	for _, key := range []string{"first", "one0", "two0", "one201", "two399"} {
		if found, err := two.Find(key); len(found) != 1 || err != nil {
			t.Errorf("%s: %v, %v", key, found, err)
		}
	}
	if passed, err := two.Passed(); len(passed) != 1 || err != nil {
		t.Errorf("passed over: %v, %v", passed, err)
	}
}

// After a final append, an append without a condition sees it too, although both wait for
// the same lock.
func TestFinal(t *testing.T) {
	j := create(t, strict, Options{})
	mustAppend(t, j, "a")
	held, err := lockfile.Lock(context.Background(), nofollow.Named, j.Path()+".lock")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := j.Append(context.Background(), Final(), add("final")); err != nil {
			t.Error(err)
		}
	})
	j.waitFor(1)
	seen := false
	for range 3 {
		wg.Go(func() {
			_, err := j.Append(context.Background(), Any(), func(next uint64) ([]Line, error) {
				n, err := j.Len()
				seen = seen || n == 2
				return nil, err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	j.waitFor(4)
	held()
	wg.Wait()
	if !seen {
		t.Error("what comes after a final append cannot read it")
	}
}
