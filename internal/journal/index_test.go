package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/file/lockfile"
	"handoff/internal/testing/needs"
)

// large creates a journal of n records of about 300 bytes, each with a unique key
// and one that ten records share, every tenth on a list.
func large(t testing.TB, format Format, n int) *Journal {
	t.Helper()
	var lines [][]byte
	for i := range n {
		number := format.First + uint64(i)
		e := entry{N: &number, Keys: []string{fmt.Sprint("id", i), fmt.Sprint("ten", i/10)}, Text: strings.Repeat("x", 240)}
		if i%10 == 3 {
			e.Lists = []string{"tenth"}
		}
		lines = append(lines, e.line())
	}
	j, err := Create(t.Context(), filepath.Join(t.TempDir(), "log"), format, Options{}, Lines(lines))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// answers checks all kinds of queries on such a journal.
func answers(t testing.TB, j *Journal, n int) {
	t.Helper()
	first := j.format.First
	i := rand.IntN(n)
	if rec, err := j.Get(first + uint64(i)); err != nil || !bytes.Contains(rec.Line, fmt.Appendf(nil, `"id%d"`, i)) {
		t.Fatalf("get %d: %q, %v", i, rec.Line, err)
	}
	if got, err := j.Find(fmt.Sprint("id", i)); err != nil || !slices.Equal(got, []uint64{first + uint64(i)}) {
		t.Fatalf("find %d: %v, %v", i, got, err)
	}
	if got, err := j.Find(fmt.Sprint("ten", i/10)); err != nil || len(got) != 10 || got[0] != first+uint64(i/10*10) {
		t.Fatalf("find ten %d: %v, %v", i, got, err)
	}
	if got, err := j.Find("id-1"); err != nil || len(got) > 0 {
		t.Fatalf("find what is not there: %v, %v", got, err)
	}
	if count, err := j.Count("tenth"); err != nil || count != uint64(n/10) {
		t.Fatalf("count: %d, %v", count, err)
	}
	if pos, ok, err := j.Nth("tenth", uint64(i/10)); err != nil || !ok || pos != first+uint64(i/10*10+3) {
		t.Fatalf("nth: %d, %v, %v", pos, ok, err)
	}
	if pos, ok, err := j.LastOn("tenth", first+uint64(i/10*10+9)); err != nil || !ok || pos != first+uint64(i/10*10+3) {
		t.Fatalf("last on: %d, %v, %v", pos, ok, err)
	}
	if rec, ok, err := j.Last(); err != nil || !ok || rec.Pos != first+uint64(n-1) {
		t.Fatalf("last: %+v, %v, %v", rec, ok, err)
	}
}

// TestNothingIsReadTwice destroys the middle of a journal whose index exists:
// opening and querying it succeeds, because that part is not read.
func TestNothingIsReadTwice(t *testing.T) {
	for _, format := range []Format{strict, tolerant} {
		const n = 5000
		j := large(t, format, n)
		answers(t, j, n)
		b := content(t, j)
		middle := bytes.Repeat([]byte("\x00"), len(b)/2)
		f, err := os.OpenFile(j.Path(), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(middle, int64(len(b)/4)); err != nil {
			t.Fatal(err)
		}
		f.Close()
		j = reopen(t, j)
		if number := mustAppend(t, j, "new"); number != format.First+n {
			t.Errorf("the next number was %d", number)
		}
		if rec, ok, err := j.Last(); err != nil || !ok || rec.Pos != format.First+n {
			t.Errorf("last: %+v, %v, %v", rec, ok, err)
		}
		for _, i := range []uint64{0, 7, n - 1} {
			if got, err := j.Find(fmt.Sprint("id", i)); err != nil || !slices.Equal(got, []uint64{format.First + i}) {
				t.Errorf("find %d: %v, %v", i, got, err)
			}
		}
		if count, err := j.Count("tenth"); err != nil || count != n/10 {
			t.Errorf("count: %d, %v", count, err)
		}
	}
}

// TestIndexIsLookedAtAgain: another process may have replaced missing files of the
// index, so the head is read again before the index is rebuilt; if it is still
// wrong, the query fails.
func TestIndexIsLookedAtAgain(t *testing.T) {
	const n = 5000
	j := reopen(t, large(t, strict, n))
	answers(t, j, n)
	head := j.index.shelf.path("head")
	before, err := os.Open(head) // open, so that no other file gets its number
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	old, err := before.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var same []bool
	wrong := errors.New("wrong")
	err = j.index.ask(func() error {
		now, err := os.Stat(head)
		same = append(same, err == nil && os.SameFile(old, now))
		return &shelfError{wrong}
	})
	if want := []bool{true, true, false, false}; !errors.Is(err, wrong) || !slices.Equal(same, want) {
		t.Errorf("the index was the same %v, want %v; the answer is %v", same, want, err)
	}
	answers(t, j, n)
}

// TestRottenMiddle reads a damaged part: that is an error.
func TestRottenMiddle(t *testing.T) {
	const n = 2000
	j := large(t, strict, n)
	answers(t, j, n)
	rec, err := j.Get(1000)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(j.Path(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("rotten"), rec.Offset); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s:1001: ", j.Path())
	if _, err := reopen(t, j).Get(1000); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
	got, err := texts(j, 0)
	if err == nil || !strings.HasPrefix(err.Error(), want) || len(got) != 1000 {
		t.Errorf("%d served, then %v, want %s…", len(got), err, want)
	}
}

// TestIndexFollowsTheJournal replaces a journal with another one.
func TestIndexFollowsTheJournal(t *testing.T) {
	const n = 2000
	j, other := large(t, strict, n), large(t, strict, 3*n)
	answers(t, j, n)
	if err := os.Rename(other.Path(), j.Path()); err != nil {
		t.Fatal(err)
	}
	answers(t, j, 3*n)
	answers(t, reopen(t, j), 3*n)
	if err := os.Truncate(j.Path(), 0); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, j)
	mustAppend(t, j, "a")
	wantTexts(t, j, "a")
	wantTexts(t, reopen(t, j), "a")
}

// A journal is removed, and its index with it, while a process that has read it is about
// to save the index.
func TestIndexOfARemovedJournal(t *testing.T) {
	const n = 2000
	for name, write := range map[string]func(x *index){
		"save": (*index).save,
		"discard": func(x *index) {
			if err := os.Mkdir(x.shelf.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			x.discard()
		},
		"save where another process does": func(x *index) {
			if err := os.Mkdir(x.shelf.dir, 0o755); err != nil {
				t.Fatal(err)
			}
			unlock, ok, err := lockfile.Try(x.shelf.root, x.shelf.path("lock"))
			if !ok || err != nil {
				t.Fatal(err)
			}
			x.save()
			unlock()
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := large(t, strict, n)
			j.index.lag = 1 << 40
			answers(t, j, n)
			if err := os.Remove(j.Path()); err != nil {
				t.Fatal(err)
			}
			write(&j.index)
			if left, _ := filepath.Glob(j.Path() + ".idx*"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
	j, again := large(t, strict, n), large(t, strict, 2*n)
	j.index.lag = 1000
	answers(t, j, n)
	if err := errors.Join(os.Remove(j.Path()), os.RemoveAll(j.index.shelf.dir), os.Rename(again.Path(), j.Path())); err != nil {
		t.Fatal(err)
	}
	answers(t, j, 2*n)
	if !j.index.shelf.isFolder() {
		t.Error("the index of the new journal is not saved")
	}
}

// Another version of the format reads other facts from the same lines.
func TestIndexOfAnotherVersion(t *testing.T) {
	const n = 2000
	j := large(t, strict, n)
	answers(t, j, n)
	format := strict
	format.Version++
	format.Read = func(line []byte) (Facts, error) {
		f, err := readEntry(line)
		f.Keys = nil
		return f, err
	}
	newer, err := Open(t.Context(), j.Path(), format, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	if got, err := newer.Find("id5"); err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// If the index cannot be written the answers are the same.
func TestIndexInMemory(t *testing.T) {
	const n = 2000
	j := large(t, strict, n)
	if err := os.WriteFile(j.index.shelf.dir, []byte("in the way"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		answers(t, j, n)
	}
	mustAppend(t, j, "a")
	if rec, err := j.Get(n); err != nil || rec.Pos != n {
		t.Errorf("%+v, %v", rec, err)
	}
	if !j.index.unsaved {
		t.Error("an index was written")
	}
}

// Keys with the same hash are distinguished by their records.
func TestSameHash(t *testing.T) {
	j := large(t, strict, 20)
	answers(t, j, 20)
	j.index.recent.keys = append(j.index.recent.keys, key{hashOf("id3"), 8}, key{hashOf("id3"), 3}, key{hashOf("id4"), 2})
	for k, want := range map[string]uint64{"id3": 3, "id4": 4} {
		if got, err := j.Find(k); err != nil || !slices.Equal(got, []uint64{want}) {
			t.Errorf("%s: %v, %v", k, got, err)
		}
	}
}

// A key whose hash is between those of marks is not one of them.
func TestKeyAmongMarks(t *testing.T) {
	j := create(t, strict, Options{})
	for _, v := range []uint64{3, 7} {
		if _, err := j.Append(context.Background(), Any(), func(next uint64) ([]Line, error) {
			return Lines([][]byte{entry{N: &next, Marks: []Mark{{Name: "reach", Value: v}}}.line()}), nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	mustAppend(t, j, "neither")
	if _, err := j.Len(); err != nil {
		t.Fatal(err)
	}
	j.index.recent.keys = append(j.index.recent.keys, key{markHash(Mark{Name: "reach", Value: 5}), 2}, key{markHash(Mark{Name: "reach", Value: 3}), 1})
	if rec, v, ok, err := j.Floor("reach", 6, math.MaxUint64); err != nil || !ok || v != 3 || rec.Pos != 0 {
		t.Errorf("record %d, %d, %v, %v", rec.Pos, v, ok, err)
	}
	if _, _, ok, err := j.Floor("reach", 2, math.MaxUint64); err != nil || ok {
		t.Errorf("%v, %v", ok, err)
	}
}

// Appends without queries keep the index up to date within a limit.
func TestAppendsTendTheIndex(t *testing.T) {
	for _, format := range []Format{strict, tolerant} {
		j := create(t, format, Options{Batch: 1 << 40})
		for range 30 {
			mustAppend(t, j, strings.Repeat("x", 100_000))
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		head := j.index.shelf.readHead()
		if st, err := os.Stat(j.Path()); err != nil || st.Size()-head.Bytes > 2*tendBytes {
			t.Errorf("of %d bytes %d are covered, %v", st.Size(), head.Bytes, err)
		}
	}
}

// Building an index reports its progress.
func TestProgress(t *testing.T) {
	j := large(t, strict, 60_000)
	var told []int64
	j.index.progress = func(done, total int64) { told = append(told, done, total) }
	answers(t, j, 60_000)
	total := int64(len(content(t, j)))
	if len(told) < 6 || told[len(told)-2] != total {
		t.Errorf("reported %v of %d", told, total)
	}
	for i := 2; i < len(told); i += 2 {
		if told[i] < told[i-2] || told[i+1] != total {
			t.Errorf("reported %v", told)
		}
	}
	told = nil
	answers(t, reopen(t, j), 60_000)
	if len(told) > 0 {
		t.Errorf("it was built again: %v", told)
	}
}

// The index has the permissions of the journal.
func TestIndexMode(t *testing.T) {
	needs.Unix(t, "Windows has no modes of this kind")
	j, err := Create(t.Context(), filepath.Join(t.TempDir(), "log"), strict, Options{Mode: 0o600}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	j.index.lag = 0
	mustAppend(t, j, "a")
	wantTexts(t, j, "a")
	appendBytes(t, j.Path(), "torn")
	mustAppend(t, j, "b")
	names, err := filepath.Glob(j.Path() + "*")
	inside, err2 := filepath.Glob(j.Path() + ".idx/*")
	if err != nil || err2 != nil || len(names) != 4 || len(inside) < 3 {
		t.Fatalf("%q, %q, %v, %v", names, inside, err, err2)
	}
	for _, name := range append(names, inside...) {
		if st, err := os.Stat(name); err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
}
