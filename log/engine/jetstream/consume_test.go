package jetstream

import (
	"fmt"
	"strings"
	"testing"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
)

// appends is the number of messages of a log that is read through a consumer.
const appends = consumeFrom + 100

// writeMany appends to a log so often that it is read through a consumer. Each third
// append has two records, and one is longer than a message.
func writeMany(t *testing.T, e *Engine, log string) {
	t.Helper()
	at := uint64(0)
	for i := range appends {
		records := [][]byte{fmt.Appendf(nil, "%d %s", at, strings.Repeat("x", 200))}
		switch {
		case i%3 == 0:
			records = append(records, fmt.Appendf(nil, "%d y", at+1))
		case i == 400:
			records[0] = fmt.Appendf(nil, "%d %s", at, strings.Repeat("long ", 500_000))
		}
		if err := engine.Append(waittest.Context(t), e, waittest.Limit, engine.Batch{Log: log, Expected: at, Records: records}); err != nil {
			t.Fatal(err)
		}
		at += uint64(len(records))
	}
}

// readMany reads a log of writeMany, and another log in between, whose answers must not
// be mixed up with it.
func readMany(t *testing.T, e *Engine, log string) {
	t.Helper()
	const records = appends + appends/3
	ctx := waittest.Context(t)
	for _, from := range []uint64{0, 1, 7, 0, records - 1, records} {
		next := from
		for record, err := range e.Read(ctx, log, from) {
			if number, _, _ := strings.Cut(string(record.Data), " "); err != nil || number != fmt.Sprint(next) || record.Number != next {
				t.Fatalf("record %d has the number %d and is %.40q, %v", next, record.Number, record.Data, err)
			}
			if next++; next%100 == 0 {
				if n, err := e.Len(ctx, log); n != records || err != nil {
					t.Fatalf("the log has %d records, %v, want %d", n, err, records)
				}
			}
		}
		if next != records {
			t.Fatalf("from %d: the last record is %d, want %d", from, next-1, records-1)
		}
	}
}

func TestConsumer(t *testing.T) {
	e := open(t, natstest.Start(t, natstest.Options{Nodes: 1}), "long")
	writeMany(t, e, "a/long.jsonl")
	writeMany(t, e, "other.jsonl") // between them, and not to be read
	readMany(t, e, "a/long.jsonl")
	var left struct {
		failed
		Total int `json:"total"`
	}
	waittest.Until(t, "the consumers to be deleted", func() bool {
		return e.api(waittest.Context(t), "CONSUMER.NAMES", struct{}{}, &left) == nil && left.Total == 0
	})
	next := 5
	for record, err := range e.Read(waittest.Context(t), "a/long.jsonl", 5) { // a reader that stops early
		if err != nil || record.Number != uint64(next) {
			t.Fatal(record.Number, err)
		}
		if next++; next == 20 {
			break
		}
	}
}
