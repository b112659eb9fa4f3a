package jetstream

import (
	"slices"
	"testing"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
)

// TestForeignMessage publishes messages of another program to the subjects of a log that
// exists, and of one that does not: both are reported, and all others are listed, read and
// written.
func TestForeignMessage(t *testing.T) {
	e := open(t, natstest.Start(t, natstest.Options{Nodes: 1}), "foreign")
	ctx := waittest.Context(t)
	for _, log := range []string{"good.jsonl", "spoilt.jsonl"} {
		if err := e.Append(ctx, engine.Batch{Log: log, Records: [][]byte{[]byte("x")}}); err != nil {
			t.Fatal(err)
		}
	}
	_, before, err := e.Changes(ctx, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range []string{"spoilt.jsonl", "other.jsonl"} {
		if _, err := e.nc.Request(e.logSubject(log), []byte("hello"), e.o.Timeout); err != nil {
			t.Fatal(err)
		}
	}
	names, foreign := enginetest.Listed(t, e)
	if !slices.Equal(names, []string{"good.jsonl"}) || !slices.Equal(foreign, []string{"other.jsonl", "spoilt.jsonl"}) {
		t.Errorf("logs %v, foreign %v", names, foreign)
	}
	if err := e.Append(ctx, engine.Batch{Log: "good.jsonl", Expected: 1, Records: [][]byte{[]byte("y")}}); err != nil {
		t.Error(err)
	}
	for _, since := range []string{"", before} {
		changed, _, err := e.Changes(ctx, "", since)
		if err != nil || !slices.ContainsFunc(changed, func(i engine.Info) bool { return i.Log == "good.jsonl" && i.Len == 2 }) {
			t.Errorf("since %q: %+v, %v", since, changed, err)
		}
	}
}
