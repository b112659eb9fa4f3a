package overview_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/word"
)

// TestAsks: the question of a relay comes before all else, also of a task that has no folder yet. Its
// handoff is not offered to a session; it can still be claimed.
func TestAsks(t *testing.T) {
	root := t.TempDir()
	addTask(t, root, "1_first", "", name)
	path := addTask(t, root, "2_second", "", name)
	addTask(t, root, "3_third", "{", name)
	ask := func(id string, task int) {
		t.Helper()
		dir := filepath.Join(root, ".handoff", "relays")
		src, _ := json.Marshal(word.Asks{Relay: id, Task: task, Slug: "migrate", Agent: "claude", Question: "Which one?", At: start})
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id+".asks"), src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask("a1", 2)
	ask("a2", 5)
	w := open(t, root, start)
	var board overview.Board
	check := func(want ...overview.State) (v overview.Overview) {
		t.Helper()
		v, err := overview.Now(t.Context(), w, overview.Options{})
		if err != nil || len(v.Tasks) != len(want) {
			t.Fatalf("%+v, %v", v.Tasks, err)
		}
		same, err := board.Now(t.Context(), w, overview.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, task := range v.Tasks {
			if task.State != want[i] || same.Tasks[i].State != want[i] {
				t.Errorf("%d: task %d is %s (%s), board %s, want %s", i, task.Task, task.State, task.Why, same.Tasks[i].State, want[i])
			}
		}
		return v
	}
	v := check(overview.Asks, overview.Asks, overview.Broken, overview.Waiting)
	for _, task := range v.Tasks[:2] {
		if task.Why != "claude asks: Which one?" || !task.Acts() || task.Command != "handoff relay --answer "+map[int]string{2: "a1", 5: "a2"}[task.Task]+" -- TEXT" {
			t.Errorf("%+v", task)
		}
	}
	book, err := receipts.Open(w)
	if err != nil {
		t.Fatal(err)
	}
	q, err := book.Next(t.Context(), documents.Only(new(2), ""))
	if err != nil || len(q.Waiting) != 1 || q.Waiting[0].Offered() || q.Waiting[0].State != overview.Asks {
		t.Errorf("%+v, %v", q.Waiting, err)
	}
	if _, err := book.Claim(t.Context(), receipts.Target{Dir: root, Ref: path}, receipt.ClaimRequest{By: "ada", TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	board.Changed()
	check(overview.Asks, overview.Broken, overview.Waiting, overview.Held)
}
