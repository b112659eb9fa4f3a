package log

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"handoff/workspace/relay/chain"
)

// TestRestore: a journal that is deleted while its relay runs is written again with all facts, and the relay still has
// its lock: whether all of the folder is gone or only the file.
func TestRestore(t *testing.T) {
	for name, gone := range map[string]string{"all": ".handoff", "the journal": ".handoff/relays/r1.jsonl"} {
		ws := treeWith(t, map[string]string{"r1": started})
		b, err := Lock(ws, "r1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Open(); err != nil {
			t.Fatal(err)
		}
		if err := b.Add(chain.Fact{Seq: 1, At: time.Now(), Kind: chain.LinkBegun, Link: 1, Agent: "claude"}); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(ws.Root, gone)); err != nil {
			t.Fatal(err)
		}
		if err := b.Add(chain.Fact{Seq: 2, At: time.Now(), Kind: chain.TurnBegun, Turn: chain.Begin}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s, err := Read(ws, "r1"); err != nil || s.Plan.Objective != "parse" || s.Link != 1 || s.Turn != chain.Begin || b.Next != 3 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if _, err := Lock(ws, "r1"); !errors.Is(err, ErrRunning) {
			t.Errorf("%s: the lock is free: %v", name, err)
		}
		if err := b.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again, err := Lock(ws, "r1"); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
}
