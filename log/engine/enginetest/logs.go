package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"handoff/log/engine"
)

var logCases = []testCase{
	{"a missing log is empty", func(r *run) {
		r.holds(r, "threads/none.jsonl")
		for info, err := range r.List(r.ctx, "") {
			r.Fatalf("a new store lists %v, %v", info, err)
		}
	}},
	{"an append adds records in order", func(r *run) {
		r.must(batch("a.jsonl", 0, "one"))
		r.must(batch("a.jsonl", 1, "two", "three"))
		r.must(batch("b.jsonl", 0, "other"))
		r.holds(r, "a.jsonl", "one", "two", "three")
		r.holds(r, "b.jsonl", "other")
	}},
	{"records keep every byte", func(r *run) {
		records := []string{`{"text": "a\nb", "ünï": "日本語 🙂"}`, " leading and trailing ", "\ttab", "carriage\r", "\r", "not UTF-8: \xff\xfe", "true", "0", "nul\x00inside",
			"twice", "twice", strings.Repeat("x", 70_000), "-----BEGIN", "NATS/1.0", "\u2028", "\uFEFFbom"}
		r.must(batch("bytes.jsonl", 0, records...))
		for i, record := range records {
			r.must(batch("bytes.jsonl", uint64(len(records)+i), record))
		}
		r.holds(r, "bytes.jsonl", append(records, records...)...)
	}},
	{"names keep every character", func(r *run) {
		names := []string{"threads.jsonl", "threads/0198c5f2-7e6b-7a61-bf1f-6e8a3e5a1a11.jsonl", "tape/a b.jsonl", "tape/ünï 日本 🙂.jsonl", "tape/%2e%2e.jsonl", "tape/a.b.c.jsonl",
			"log/tape/*.jsonl", "tape/>.jsonl", "tape/$JS.API.jsonl", "tape/x.lock.jsonl", "tape/.hidden.jsonl", "tape/-f.jsonl", "tape/~1^2:3?[4].jsonl", "tape/a@{1}.jsonl", "tape/a..b.jsonl", "tape/@.jsonl",
			"tape/HEAD.jsonl", "tape/archived/main_2026-02-12_160500.jsonl", "deep/er/and/deeper.jsonl", "tape/" + strings.Repeat("n", 200) + ".jsonl", "tape/.jsonl"}
		for _, name := range names {
			r.must(batch(name, 0, name))
		}
		for _, name := range names {
			r.holds(r, name, name)
		}
		slices.Sort(names)
		r.lists("", names...)
	}},
	{"an append at another length is a conflict", func(r *run) {
		r.must(batch("a.jsonl", 0, "one", "two"))
		for _, expected := range []uint64{0, 1, 3, 1 << 40} {
			r.conflicts(engine.ConflictError{Log: "a.jsonl", Expected: expected, Len: 2}, batch("a.jsonl", expected, "no"))
		}
		r.conflicts(engine.ConflictError{Log: "none.jsonl", Expected: 1, Len: 0}, batch("none.jsonl", 1, "no"))
		r.holds(r, "a.jsonl", "one", "two")
		r.lists("", "a.jsonl")
	}},
	{"an invalid append writes nothing", func(r *run) {
		r.must(batch("a.jsonl", 0, "one"))
		for _, bad := range [][]engine.Batch{nil, {batch("a.jsonl", 1)}, {batch("a.jsonl", 1, "")}, {batch("a.jsonl", 1, "two", "")}, {batch("a.jsonl", 1, "two\nlines")},
			{batch("a.jsonl", 1, "end\n")}, {batch("a.jsonl", 1, "two"), batch("a.jsonl", 2, "three")}, {batch("", 0, "x")}, {batch("/a.jsonl", 0, "x")}, {batch("a/", 0, "x")}, {batch("a//b.jsonl", 0, "x")}, {batch("a", 0, "x")},
			{batch("../a.jsonl", 0, "x")}, {batch("a/./b.jsonl", 0, "x")}, {batch("a\nb.jsonl", 0, "x")}, {batch("a\x00b.jsonl", 0, "x")}, {batch("\xff.jsonl", 0, "x")},
			{batch(strings.Repeat("n", 300)+".jsonl", 0, "x")}} {
			if err := r.Append(r.ctx, bad...); !errors.Is(err, engine.ErrInvalid) {
				r.Errorf("append %s: %v, want ErrInvalid", describe(bad), err)
			}
		}
		r.holds(r, "a.jsonl", "one")
		r.lists("", "a.jsonl")
	}},
	{"the slices stay the caller's", func(r *run) {
		b := batch("a.jsonl", 0, "record")
		r.must(b)
		copy(b.Records[0], "XXXXXX")
		r.holds(r, "a.jsonl", "record")
		for record := range r.Read(r.ctx, "a.jsonl", 0) {
			copy(record.Data, "YYYYYY")
		}
		r.holds(r, "a.jsonl", "record")
	}},
	{"a large record", func(r *run) {
		size := 3 << 20
		if r.has.MaxRecord > 0 {
			size = r.has.MaxRecord
			if err := r.Append(r.ctx, batch("large.jsonl", 0, strings.Repeat("x", size+1))); !errors.Is(err, engine.ErrTooLarge) {
				r.Errorf("a record of %d bytes: %v, want ErrTooLarge", size+1, err)
			}
			r.holds(r, "large.jsonl")
		}
		large := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		r.must(batch("large.jsonl", 0, large))
		r.must(batch("large.jsonl", 1, "small"))
		r.must(batch("large.jsonl", 2, large, "between", large))
		r.holds(r, "large.jsonl", large, "small", large, "between", large)
		if got := r.read(r, "large.jsonl", 3); len(got) != 2 || got[0] != "between" {
			r.Errorf("read from 3: %d records, the first %.20q", len(got), got)
		}
	}},
	{"many records in one append", func(r *run) {
		var all []string
		for i := range 2_500 {
			all = append(all, fmt.Sprintf(`{"seq":%d}`, i))
		}
		r.must(batch("many.jsonl", 0, all...))
		r.conflicts(engine.ConflictError{Log: "many.jsonl", Expected: 2_499, Len: 2_500}, batch("many.jsonl", 2_499, all...))
		r.must(batch("many.jsonl", 2_500, all...))
		r.holds(r, "many.jsonl", append(all, all...)...)
	}},
	{"an append after the end of its context", func(r *run) {
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		err := r.Append(ctx, batch("a.jsonl", 0, "one"))
		n, lenErr := r.Len(r.ctx, "a.jsonl")
		if lenErr != nil {
			r.Fatal(lenErr)
		}
		if err == nil && n != 1 || err != nil && !errors.Is(err, engine.ErrUnknown) && n != 0 {
			r.Errorf("append: %v, and the log has %d records", err, n)
		}
	}},
	{"another handle has the same logs", func(r *run) {
		for i, e := range r.handles(3) {
			if err := engine.Append(r.ctx, e, engine.Budget, batch("a.jsonl", uint64(i), fmt.Sprint(i))); err != nil {
				r.Fatal(err)
			}
		}
		for _, e := range r.handles(4) {
			r.holds(e, "a.jsonl", "0", "1", "2")
		}
	}},
}

// conflicts ends the case unless an append fails with exactly this conflict.
func (r *run) conflicts(want engine.ConflictError, batches ...engine.Batch) {
	r.Helper()
	err := engine.Append(r.ctx, r.Engine, engine.Budget, batches...)
	var got *engine.ConflictError
	if !errors.As(err, &got) || !errors.Is(err, engine.ErrConflict) || *got != want {
		r.Fatalf("append %s: %v, want %v", describe(batches), err, &want)
	}
}

// lists ends the case unless these are the logs with a prefix, in this order.
func (r *run) lists(prefix string, want ...string) {
	r.Helper()
	var got []string
	for info, err := range r.List(r.ctx, prefix) {
		if err != nil {
			r.Fatalf("list %q: %v", prefix, err)
		}
		got = append(got, info.Log)
		if n, err := r.Len(r.ctx, info.Log); err != nil || n != info.Len {
			r.Errorf("list %q: %s has %d records, but Len is %d, %v", prefix, info.Log, info.Len, n, err)
		}
	}
	if !slices.Equal(got, want) {
		r.Fatalf("list %q:\n got %q\nwant %q", prefix, got, want)
	}
}

// Listed are the names of all logs of a store, and of what other programs wrote there.
func Listed(t *testing.T, e engine.Logs) (names, foreign []string) {
	t.Helper()
	for info, err := range e.List(t.Context(), "") {
		if f := engine.Foreign(err); f != nil {
			foreign = append(foreign, f.Log)
		} else if err != nil {
			t.Fatal(err)
		} else {
			names = append(names, info.Log)
		}
	}
	return names, foreign
}
