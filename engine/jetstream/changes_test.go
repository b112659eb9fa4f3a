package jetstream

import (
	"fmt"
	"strings"
	"testing"

	"handoff/engine"
	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
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
