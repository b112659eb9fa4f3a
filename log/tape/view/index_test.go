package view

import (
	"fmt"
	"testing"
)

func TestFacts(t *testing.T) {
	for line, want := range map[string]string{
		`{"id": 5, "kind": "message", "payload": {}}`:                                                                "5 [i/5] []",
		`{"id": 6, "kind": "anchor", "payload": {"name": "a/b"}}`:                                                    "6 [i/6 a/a/b] [anchor]",
		`{"id": 6, "kind": "anchor", "payload": {"name": 5}}`:                                                        "6 [i/6 a/] [anchor]",
		`{"id": -1, "kind": "event", "payload": {"name": "run"}}`:                                                    "0 [i/-1] [run]",
		`{"id": 9223372036854775806, "kind": "event", "payload": {"name": "tape.fork"}}`:                             "0 [i/9223372036854775806] [fork]",
		`{"id": 1, "kind": "anchor", "payload": {"name": "a"}}{"id": 3, "kind": "anchor", "payload": {"name": "b"}}`: "3 [i/1 a/a i/3 a/b] [anchor glued]",
	} {
		f, err := facts([]byte(line))
		if got := fmt.Sprintf("%d %v %v", f.Number, f.Keys, f.Lists); err != nil || got != want {
			t.Errorf("%s: %s, want %s (%v)", line, got, want, err)
		}
	}
}
