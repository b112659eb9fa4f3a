package tape

import (
	"context"
	"errors"
	"fmt"
	"handoff/tape/entry"
	"handoff/tape/view"
	"iter"
	"strings"
	"testing"
)

func numbered(n int) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i := range n {
			if !yield(message(fmt.Sprint("m", i)), nil) {
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
		w := open(t)
		tape := w.tape(Main)
		add(t, tape, message("before"))
		calls, broken := 0, errors.New("broken")
		send := func(ctx context.Context, r AppendRequest) ([]Entry, error) {
			if calls++; calls == 2 {
				return nil, broken
			}
			stored, _, err := tape.AppendOnce(ctx, r)
			return stored, err
		}
		_, err := view.Collect(AppendParts(ctx, AppendRequest{Key: key}, numbered(all), send))
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), fmt.Sprintf("only the first %d entries were appended", PartEntries)) {
			t.Errorf("%v", err)
		}
		for range 2 {
			stored, err := view.Collect(AppendParts(ctx, AppendRequest{Key: key}, numbered(all), send))
			if err != nil || len(stored) != all {
				t.Fatalf("%d entries, %v", len(stored), err)
			}
		}
		n := 0
		for _, e := range must(tape.All(Query{Kinds: []string{KindMessage}}))(t)[1:] {
			if content(e) != fmt.Sprint("m", n) {
				t.Fatalf("message %d is %q", n, content(e))
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
	w := open(t)
	tape := w.tape(Main)
	send := func(ctx context.Context, r AppendRequest) ([]Entry, error) {
		stored, _, err := tape.AppendOnce(ctx, r)
		return stored, err
	}
	n := 0
	for _, err := range AppendParts(ctx, AppendRequest{After: new(int64(0))}, numbered(PartEntries+1), send) {
		if n++; n == PartEntries {
			add(t, tape, message("theirs"))
		}
		if (n > PartEntries) != errors.Is(err, ErrMoved) {
			t.Fatalf("entry %d: %v", n, err)
		}
	}
	if n != PartEntries+1 {
		t.Errorf("%d", n)
	}
}

// TestPartBytes: no part is larger than what a server accepts.
func TestPartBytes(t *testing.T) {
	long := message(strings.Repeat("x", 300<<10))
	var sizes []int
	for part := range parts(func(yield func(Entry, error) bool) {
		for i := 0; i < 10 && yield(long, nil); i++ {
		}
	}) {
		size := 0
		for _, e := range part {
			line := must(e.Line())(t)
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
