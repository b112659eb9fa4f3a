package bulk

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/tape"
	"handoff/log/tape/entry"
	"handoff/log/tape/view"
)

var ctx = context.Background()

func message(t testing.TB, text string) tape.Entry {
	t.Helper()
	e, err := tape.NewEntry(tape.KindMessage, map[string]string{"role": "user", "content": text}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// open is the main tape of a new store.
func open(t testing.TB) *tape.Tape {
	t.Helper()
	store, err := tape.Open(filepath.Join(t.TempDir(), ".handoff"), tape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	main, err := store.Tape(tape.Main)
	if err != nil {
		t.Fatal(err)
	}
	return main
}

func add(t testing.TB, to *tape.Tape, text string) {
	t.Helper()
	if _, err := to.Append(ctx, message(t, text)); err != nil {
		t.Fatal(err)
	}
}

func numbered(t testing.TB, n int) iter.Seq2[tape.Entry, error] {
	return func(yield func(tape.Entry, error) bool) {
		for i := range n {
			if !yield(message(t, fmt.Sprint("m", i)), nil) {
				return
			}
		}
	}
}

// TestAppendParts: repeating an interrupted request completes it, and nothing
// is appended twice.
func TestAppendParts(t *testing.T) {
	const all = 2*PartEntries + 10
	for _, key := range []string{"k", strings.Repeat("k", entry.MaxKey)} {
		main := open(t)
		add(t, main, "before")
		calls, broken := 0, errors.New("broken")
		send := func(ctx context.Context, r tape.AppendRequest) ([]tape.Entry, error) {
			if calls++; calls == 2 {
				return nil, broken
			}
			stored, _, err := main.AppendOnce(ctx, r)
			return stored, err
		}
		_, err := view.Collect(Append(ctx, tape.AppendRequest{Key: key}, numbered(t, all), send))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), fmt.Sprintf("only the first %d entries were appended", PartEntries)) {
			t.Errorf("%v", err)
		}
		for range 2 {
			stored, err := view.Collect(Append(ctx, tape.AppendRequest{Key: key}, numbered(t, all), send))
			if err != nil || len(stored) != all {
				t.Fatalf("%d entries, %v", len(stored), err)
			}
		}
		n := 0
		for e, err := range main.Query(tape.Query{Kinds: []string{tape.KindMessage}, FromID: new(int64(4))}) {
			if got, _ := entry.Text(e.Payload, "content"); err != nil || got != fmt.Sprint("m", n) {
				t.Fatalf("message %d is %q, %v", n, got, err)
			}
			n++
		}
		if n != all {
			t.Errorf("the tape has %d messages of %d", n, all)
		}
	}
}

// TestAppendPartsAfter: no other append may come between two parts.
func TestAppendPartsAfter(t *testing.T) {
	main := open(t)
	send := func(ctx context.Context, r tape.AppendRequest) ([]tape.Entry, error) {
		stored, _, err := main.AppendOnce(ctx, r)
		return stored, err
	}
	n := 0
	for _, err := range Append(ctx, tape.AppendRequest{After: new(int64(0))}, numbered(t, PartEntries+1), send) {
		if n++; n == PartEntries {
			add(t, main, "theirs")
		}
		if (n > PartEntries) != errors.Is(err, tape.ErrMoved) {
			t.Fatalf("entry %d: %v", n, err)
		}
	}
	if n != PartEntries+1 {
		t.Errorf("%d", n)
	}
}

// TestPartBytes: no part is larger than what a server accepts.
func TestPartBytes(t *testing.T) {
	long := message(t, strings.Repeat("x", 300<<10))
	var sizes []int
	for part := range parts(func(yield func(tape.Entry, error) bool) {
		for i := 0; i < 10 && yield(long, nil); i++ {
		}
	}) {
		size := 0
		for _, e := range part {
			line, err := e.Line()
			if err != nil {
				t.Fatal(err)
			}
			size += len(line)
		}
		sizes = append(sizes, size)
		if size > PartBytes {
			t.Errorf("a part of %d bytes", size)
		}
	}
	if len(sizes) != 4 {
		t.Errorf("%d", sizes)
	}
}
