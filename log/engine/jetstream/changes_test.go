package jetstream

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
)

// TestChanges counts the logs that are returned: only those that changed, unless the
// stream is another one than at the revision, or far too much was appended.
func TestChanges(t *testing.T) {
	c := natstest.Start(t, natstest.Options{Nodes: 1})
	e, ctx := open(t, c, "changes"), waittest.Context(t)
	add := func(log string, at uint64) {
		t.Helper()
		if err := e.Append(ctx, engine.Batch{Log: log, Expected: at, Records: [][]byte{[]byte("x")}}); err != nil {
			t.Fatal(err)
		}
	}
	changes := func(since string, want int) string {
		t.Helper()
		infos, now, err := e.Changes(ctx, "", since)
		if err != nil || len(infos) != want {
			t.Fatalf("since %q: %v, %v, want %d logs", since, infos, err, want)
		}
		return now
	}
	for i := range 20 {
		add(fmt.Sprintf("%02d.jsonl", i), 0)
	}
	at := changes("", 20)
	if again := changes(at, 0); again != at {
		t.Errorf("nothing happened from %s to %s", at, again)
	}
	add("03.jsonl", 1)
	add("03.jsonl", 2)
	add("new.jsonl", 0)
	now := changes(at, 2)
	_, time, _ := strings.Cut(at, "@")
	changes("20@2026-01-01T00:00:00Z", 21) // restored from a backup, and other records appended
	changes("999@"+time, 21)               // restored, and now shorter
	changes("x"+at, 21)
	for i := range uint64(changesMost) {
		add("many.jsonl", i)
	}
	changes(now, 22)
	changes(changes("", 22), 0)
}

// TestTails: changed logs are returned with their new records and the one before, as long
// as these are few and no record is in several messages.
func TestTails(t *testing.T) {
	c := natstest.Start(t, natstest.Options{Nodes: 1})
	e, ctx := open(t, c, "tails"), waittest.Context(t)
	add := func(log string, at uint64, records ...string) {
		t.Helper()
		b := engine.Batch{Log: log, Expected: at}
		for _, r := range records {
			b.Records = append(b.Records, []byte(r))
		}
		if err := e.Append(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	tails := func(since string, want ...string) (now string) {
		t.Helper()
		infos, now, err := e.Changes(ctx, "", since)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, info := range infos {
			text := info.Log
			for _, r := range info.Tail {
				text += fmt.Sprintf(" %d:%.9s", r.Number, r.Data)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		return now
	}
	large := strings.Repeat("x", int(e.nc.MaxPayload()))
	add("a.jsonl", 0, "a0", "a1")
	add("b.jsonl", 0, large)
	add("c.jsonl", 0, "c0")
	at := tails("", "a.jsonl", "b.jsonl", "c.jsonl")
	add("a.jsonl", 2, "a2")
	add("new.jsonl", 0, "n0", "n1")
	add("a.jsonl", 3, "a3", "a4")
	add("b.jsonl", 1, "b1")
	at = tails(at, "a.jsonl 1:a1 2:a2 3:a3 4:a4", "b.jsonl 1:b1", "new.jsonl 0:n0 1:n1")
	add("b.jsonl", 2, large)
	add("b.jsonl", 3, "b3")
	add("c.jsonl", 1, "c1")
	at = tails(at, "b.jsonl", "c.jsonl 0:c0 1:c1")
	for i := range uint64(tailsMost/len(large) + 2) {
		add("c.jsonl", 2+i, large[:len(large)-2000])
	}
	add("d.jsonl", 0, "d0")
	tails(at, "c.jsonl", "d.jsonl")
}
