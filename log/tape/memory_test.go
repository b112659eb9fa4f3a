package tape

import (
	"strings"
	"testing"

	"handoff/internal/json/jsontext"
	"handoff/internal/testing/memtest"
)

// fill appends n entries of 16 KiB, in parts.
func fill(t *testing.T, tape *Tape, entries int) (bytes int64) {
	t.Helper()
	e := message(strings.Repeat("0123456789abcdef", 1<<10))
	for ; entries > 0; entries -= 64 {
		part := make([]Entry, min(entries, 64))
		for i := range part {
			part[i] = e
			bytes += 16 << 10
		}
		add(t, tape, part...)
	}
	return bytes
}

// TestForkMemory: a fork is written while its parent is read, and a query with
// a negative limit does not hold the entries that it leaves out.
func TestForkMemory(t *testing.T) {
	if !memtest.Alone(t) {
		return
	}
	w := open(t)
	tape := w.tape(Main)
	size := fill(t, tape, 1024)
	for what, work := range map[string]func(){
		"fork":             func() { must(tape.Fork(ctx, ForkRequest{To: "copy"}))(t) },
		"fork, no anchors": func() { must(tape.Fork(ctx, ForkRequest{To: "some", FromEntry: new(int64(3))}))(t) },
		"linked fork":      func() { must(tape.Fork(ctx, ForkRequest{To: "linked", Link: true}))(t) },
		"all but the last": func() { eachOf(t, tape, Query{Limit: new(-1000)}) },
	} {
		if peak := memtest.Peak(work); peak > size/8 {
			t.Errorf("%s of %d bytes needs %d bytes of memory, want at most an eighth", what, size, peak)
		}
	}
	for _, name := range []string{"copy", "some", "linked"} {
		n := 0
		for e := range w.tape(name).Query(Query{Kinds: []string{KindMessage}}) {
			if n++; name != "linked" && jsontext.Get(e.Meta, "origin") == "" {
				t.Fatalf("%s: %s", name, e.Raw()[:100])
			}
		}
		if n != 1024 {
			t.Errorf("%s has %d entries", name, n)
		}
	}
}

// TestMergeMemory: a merge keeps at most the lines of one write in memory.
func TestMergeMemory(t *testing.T) {
	if !memtest.Alone(t) {
		return
	}
	w := open(t)
	add(t, w.tape(Main), message("first"))
	must(w.tape(Main).Fork(ctx, ForkRequest{To: "child"}))(t)
	size := fill(t, w.tape("child"), 1024)
	var r MergeResult
	peak := memtest.Peak(func() { r = must(w.tape("child").Merge(ctx, MergeRequest{}))(t) })
	if peak > 4*outcomeWrite {
		t.Errorf("a merge of %d bytes needs %d bytes of memory, want at most four times the %d of a write", size, peak, outcomeWrite)
	}
	if r.Entries != 1024 || r.Last-r.First != 1023 {
		t.Errorf("%+v", r)
	}
}

// eachOf reads all entries of a query without keeping them.
func eachOf(t *testing.T, tape *Tape, q Query) (n int) {
	t.Helper()
	for _, err := range tape.Query(q) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}
