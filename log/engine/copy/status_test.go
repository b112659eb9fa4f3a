package copy_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"handoff/log/artifact"
	"handoff/log/engine"
	"handoff/log/engine/copy"
	"handoff/log/engine/enginetest"
)

// filled is a store with logs and blobs; a log's records are the letters of a text.
func filled(t *testing.T, logs map[string]string, blobs ...string) *enginetest.Memory {
	t.Helper()
	m := &enginetest.Memory{}
	for log, text := range logs {
		b := engine.Batch{Log: log}
		for _, letter := range []byte(text) {
			b.Records = append(b.Records, []byte{letter})
		}
		if err := m.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	for _, blob := range blobs {
		if _, err := m.Put(t.Context(), artifact.Sum([]byte(blob)).String(), int64(len(blob)), bytes.NewReader([]byte(blob))); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestCompare(t *testing.T) {
	store := filled(t, map[string]string{"a.jsonl": "abc", "b.jsonl": "abcdef", "new.jsonl": "x", "other.jsonl": "abX", "short.jsonl": "a"}, "one", "two")
	local := filled(t, map[string]string{"a.jsonl": "abc", "b.jsonl": "abc", "mine.jsonl": "xy", "other.jsonl": "abc", "short.jsonl": "ab"}, "two", "three")
	got, err := copy.Compare(t.Context(), store, local, "")
	want := copy.Status{Logs: 5, Records: 14,
		Behind:    []copy.Log{{Log: "b.jsonl", Store: 6, Copy: 3}, {Log: "new.jsonl", Store: 1}},
		Ahead:     []copy.Log{{Log: "mine.jsonl", Copy: 2}, {Log: "short.jsonl", Store: 1, Copy: 2}},
		Differing: []copy.Log{{Log: "other.jsonl", Store: 3, Copy: 3}},
		Artifacts: 2, ArtifactsMissing: 1, ArtifactsAhead: []string{artifact.Sum([]byte("three")).String()}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
	}
	if got.Clean() || got.Lacks() != 4 {
		t.Errorf("clean %v, lacks %d", got.Clean(), got.Lacks())
	}
	same, err := copy.Compare(t.Context(), store, store, "")
	if err != nil || !same.Clean() || same.Lacks() != 0 || len(same.Behind) != 0 {
		t.Errorf("with itself: %+v, %v", same, err)
	}
	some, err := copy.Compare(t.Context(), store, local, "b")
	if err != nil || some.Logs != 1 || len(some.Behind) != 1 || !some.Clean() || some.Artifacts != 0 {
		t.Errorf("with a prefix: %+v, %v", some, err)
	}
}

// away is a store without blobs, and in part out of reach.
type away struct {
	engine.NoBlobs
	engine.Logs
}

func (away) Name() string { return "away" }
func (away) Close() error { return nil }

func TestCompareWithoutBlobs(t *testing.T) {
	store, local := filled(t, map[string]string{"a.jsonl": "abc"}), filled(t, map[string]string{"a.jsonl": "ab"}, "one")
	got, err := copy.Compare(t.Context(), away{Logs: store}, local, "")
	if err != nil || !got.Clean() || got.Artifacts != 0 || got.Lacks() != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = copy.Compare(t.Context(), local, away{Logs: store}, "")
	if !errors.Is(err, engine.ErrUnsupported) {
		t.Errorf("a copy without blobs: %v", err)
	}
}
