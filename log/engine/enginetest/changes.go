package enginetest

import (
	"fmt"

	"handoff/log/engine"
)

var changeCases = []testCase{
	{"all logs have changed since nothing", func(r *run) {
		r.changed("", "", nil)
		r.must(batch("a.jsonl", 0, "0", "1"))
		r.must(batch("b/b.jsonl", 0, "0"))
		r.changed("", "", map[string]uint64{"a.jsonl": 2, "b/b.jsonl": 1})
		r.changed("b/", "", map[string]uint64{"b/b.jsonl": 1})
		r.changed("", "no revision", map[string]uint64{"a.jsonl": 2, "b/b.jsonl": 1})
	}},
	{"what was appended since a revision has changed", func(r *run) {
		for i := range uint64(8) {
			r.must(batch(fmt.Sprintf("old/%d.jsonl", i), 0, "0"))
		}
		before := r.changed("", "", nil)
		r.changed("", before, nil)
		r.must(batch("old/3.jsonl", 1, "1", "2"))
		r.must(batch("new.jsonl", 0, "0"))
		r.must(batch("new.jsonl", 1, "1"))
		after := r.changed("", before, map[string]uint64{"old/3.jsonl": 3, "new.jsonl": 2})
		r.changed("", before, map[string]uint64{"old/3.jsonl": 3, "new.jsonl": 2})
		r.must(batch("new.jsonl", 2, "2"))
		r.changed("", after, map[string]uint64{"new.jsonl": 3})
	}},
	{"changes of one folder are not those of another", func(r *run) {
		r.must(batch("a/a.jsonl", 0, "0"))
		r.must(batch("b/b.jsonl", 0, "0"))
		before := r.changed("a/", "", map[string]uint64{"a/a.jsonl": 1})
		r.must(batch("b/b.jsonl", 1, "1"))
		same := r.changed("a/", before, nil)
		r.must(batch("a/a.jsonl", 1, "1"))
		r.changed("a/", same, map[string]uint64{"a/a.jsonl": 2})
	}},
	{"many changes are found", func(r *run) {
		r.must(batch("a.jsonl", 0, "0"))
		before := r.changed("", "", nil)
		want := map[string]uint64{}
		for i := range r.has.Rounds {
			log := fmt.Sprintf("many/%d.jsonl", i)
			r.must(batch(log, 0, "0", "1"))
			want[log] = 2
		}
		r.changed("", before, want)
	}},
}

// changed ends the case unless the logs of want have changed since a revision, with
// these lengths. An engine may return more logs: it returns the lengths that they have.
func (r *run) changed(prefix, since string, want map[string]uint64) (now string) {
	r.Helper()
	got, now, err := engine.Changes(r.ctx, r.Engine, prefix, since)
	if err != nil {
		r.Fatalf("changes since %q: %v", since, err)
	}
	found := 0
	for _, info := range got {
		n, ok := want[info.Log]
		if ok {
			found++
		}
		if length, err := r.Len(r.ctx, info.Log); err != nil || info.Len != length || ok && info.Len != n {
			r.Fatalf("since %q: %s has changed to %d records, want %d; it has %d, %v", since, info.Log, info.Len, n, length, err)
		}
	}
	for _, info := range got {
		r.endsWith(info)
	}
	if found != len(want) {
		r.Fatalf("since %q: %d of %d changed logs: %v", since, found, len(want), got)
	}
	return now
}

// endsWith ends the case unless the tail of a log, if it has one, is what the log ends with.
func (r *run) endsWith(info engine.Info) {
	r.Helper()
	if len(info.Tail) == 0 {
		return
	}
	number := info.Tail[0].Number
	for record, err := range r.Read(r.ctx, info.Log, number) {
		i := int(record.Number - number)
		if err != nil || i >= len(info.Tail) || info.Tail[i].Number != record.Number || string(info.Tail[i].Data) != string(record.Data) {
			r.Fatalf("%s: record %d is %q, %v; its tail is %v", info.Log, record.Number, record.Data, err, info.Tail)
		}
	}
	if last := info.Tail[len(info.Tail)-1].Number; last+1 != info.Len {
		r.Fatalf("%s has %d records, its tail ends with %d", info.Log, info.Len, last)
	}
}
