package stores

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/testing/schematest"
	"handoff/internal/text/say"
	"handoff/log/engine"
	"handoff/log/engine/copy"
	"handoff/log/receipt"
	"handoff/workspace/outbox"
)

// TestStoreCheckSchema holds the published schema and the output together.
func TestStoreCheckSchema(t *testing.T) {
	files := "files"
	full := storeChecked{Store: "nats://a:4222/S", Copy: &files, Scope: "all", Reachable: true, Facts: []engine.Fact{{Name: "replicas", Value: "1", Warning: "want 3"}, {Name: "storage", Value: "file"}},
		Compared: &copy.Status{Logs: 2, Records: 9, Behind: []copy.Log{{Log: "threads/a.jsonl", Store: 3, Copy: 1}}, Ahead: []copy.Log{{Log: "b.jsonl", Copy: 1}}, Differing: []copy.Log{}, Artifacts: 2,
			ArtifactsMissing: 1, ArtifactsAhead: []string{strings.Repeat("0a", 32)}}}
	for name, r := range map[string]storeChecked{"full": full, "files": {Store: "files", Scope: "all", Reachable: true, Facts: []engine.Fact{}},
		"away": {Store: "git:origin", Copy: &files, Scope: "receipts", Problem: "no answer", Facts: []engine.Fact{}}} {
		r.Outbox = storeOutbox{MaxRequests: outbox.MaxRequests, MaxBytes: outbox.MaxBytes}
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schematest.Compile(t, "store-check").Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
	if !full.warns() {
		t.Error("a warning of the store and a log that is ahead are findings")
	}
	want := `store     nats://a:4222/S, authoritative for threads, tapes, receipts and artifacts
copy      the files of this workspace
replicas  1
          warning: want 3
storage   file
reachable yes
has       9 records in 2 logs, 2 artifacts
behind    2 records in 1 log, 1 artifact (fetched when they are read)
ahead     b.jsonl: the copy has records that the store does not have: 1 in the copy, 0 in the store
ahead     1 artifact only in the copy (` + "`handoff store copy files nats://a:4222/S`" + ` copies them)
`
	if got := full.text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 records", 1: "1 record", 999: "999 records", 1000: "1,000 records", 100_000: "100,000 records", 1_234_567: "1,234,567 records"} {
		if got := say.Count(n, "record"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestStoreDrainSchema holds the published schema and the output together.
func TestStoreDrainSchema(t *testing.T) {
	at := time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC)
	step := outbox.Request{Key: "a", At: at, Store: "git:origin", Step: outbox.Acknowledge, Handoff: "a.md", SHA256: "00", Claim: "c", By: "ada", Matched: true, TTL: 1, Why: "w", Next: "b.md",
		Session: receipt.Session{Host: "claude", ID: "1"}, Lost: at}
	message := outbox.Request{Key: "b", At: at, Step: outbox.Post, Thread: "t", Origin: "cli", Content: "hello"}
	entries := outbox.Request{Key: "c", At: at, Step: outbox.Append, Tape: "main", Entries: json.RawMessage(`[{"id": 0}]`), Bare: true}
	for name, d := range map[string]storeDrained{
		"full":  {Sent: 1, Waiting: []outbox.Request{step, message, entries}, Refused: []outbox.Refused{{Request: step, At: at, Why: "stale"}}, Problem: "no answer"},
		"empty": {Waiting: []outbox.Request{}, Refused: []outbox.Refused{}},
	} {
		data, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schematest.Compile(t, "store-drain").Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
}
