package overview_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
)

var start = time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)

const example = "../../specs/example/specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"

// open opens a workspace at a time, with ids that count up.
func open(t *testing.T, root string, now time.Time) *workspace.Workspace {
	t.Helper()
	n := 0
	w, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return now }, NewID: func() string { n++; return fmt.Sprintf("id%d", n) }})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// addTask writes a task with metadata, and a handoff if name is not "".
func addTask(t testing.TB, root, dir, metadata, name string) (path string) {
	t.Helper()
	src, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(root, "specs", dir)
	if err := os.MkdirAll(filepath.Join(full, "handoffs"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	if metadata != "" {
		files[".return-meta.json"] = metadata
	}
	if name != "" {
		files["handoffs/"+name] = string(src)
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(full, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return "specs/" + dir + "/handoffs/" + name
}

const name = "phase-1-handoff-20260212T143022Z.md"

func TestNow(t *testing.T) {
	root := t.TempDir()
	addTask(t, root, "1_waits", `{"status": "partial", "partial_progress": {"handoff_path": "specs/1_waits/handoffs/`+name+`", "phases_completed": 2, "phases_total": 4}}`, name)
	held := addTask(t, root, "2_held", "", name)
	expired := addTask(t, root, "3_expired", "", name)
	shown := addTask(t, root, "4_shown", "", name)
	addTask(t, root, "5_done", `{"status": "completed"}`, name)
	addTask(t, root, "6_damaged", `{"status": "partial"`, name)
	addTask(t, root, "7_review", `{"status": "partial", "requires_user_review": true}`, name)
	addTask(t, root, "8_empty", "", "")
	addTask(t, root, "archive/9_old", `{"status": "completed"}`, name)

	w := open(t, root, start)
	b, err := receipts.Open(w)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(path string, ttl time.Duration) {
		if _, err := b.Claim(context.Background(), receipts.Target{Dir: root, Ref: path},
			receipt.ClaimRequest{By: "ada", TTL: ttl, Session: receipt.Session{Host: "claude", ID: "s1"}}); err != nil {
			t.Fatal(err)
		}
	}
	claim(held, 3*time.Hour)
	claim(expired, time.Minute)
	if err := b.Deliver(context.Background(), receipts.Target{Dir: root, Ref: shown}, "bob"); err != nil {
		t.Fatal(err)
	}

	later := open(t, root, start.Add(time.Hour))
	v, err := overview.Now(context.Background(), later, overview.Options{Left: func(host, session string) (int, bool) { return 31000, host == "claude" && session == "s1" }})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, one := range v.Tasks {
		left := ""
		if one.ContextLeft != nil {
			left = fmt.Sprint(*one.ContextLeft)
		}
		fmt.Fprintf(&got, "%d %s %d/%d by=%s left=%s last=%s | %s | %s | %s\n", one.Task, one.State, one.PhasesDone, one.Phases, one.By, left, one.Last, one.Why, one.Needs, one.Command)
	}
	want := `6 broken 0/0 by= left= last= | specs/6_damaged/.return-meta.json: not valid JSON: ` + "`handoff verify`" + ` shows where | repair the metadata | handoff verify specs/6_damaged
3 stale 0/0 by=ada left=31000 last=claimed | the lease of ada has expired | check whether ada is still working | handoff claim specs/3_expired/handoffs/phase-1-handoff-20260212T143022Z.md --as NAME
7 review 0/0 by= left= last=written | an agent asked for a person | review the work | handoff claim specs/7_review/handoffs/phase-1-handoff-20260212T143022Z.md --as NAME
4 waiting 0/0 by=bob left= last=delivered | was shown to bob, which did not take it up: no sign of it since 2026-02-12T15:00:00Z |  | handoff claim specs/4_shown/handoffs/phase-1-handoff-20260212T143022Z.md --as NAME
1 waiting 2/4 by= left= last=written | nobody has taken it up |  | handoff claim specs/1_waits/handoffs/phase-1-handoff-20260212T143022Z.md --as NAME
2 held 0/0 by=ada left=31000 last=claimed | held by ada |  | handoff show specs/2_held/handoffs/phase-1-handoff-20260212T143022Z.md
8 open 0/0 by= left= last= | no handoff waits |  | handoff verify specs/8_empty
5 done 0/0 by= left= last=written | status is completed |  | handoff show specs/5_done/handoffs/phase-1-handoff-20260212T143022Z.md
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	page, err := overview.Now(context.Background(), later, overview.Options{States: []overview.State{overview.Waiting, overview.Held}, Part: func(list []overview.Task) ([]overview.Task, string, error) {
		return list[1:2], "more", nil
	}})
	if err != nil || page.Next != "more" || page.Total != 3 || len(page.Tasks) != 1 || page.Tasks[0].Task != 1 || page.Counts[overview.Stale] != 1 {
		t.Errorf("a page: %+v, %v", page, err)
	}
	if end, err := overview.Now(context.Background(), later, overview.Options{Limit: 100}); err != nil || len(end.Tasks) != 8 || end.Next != "" {
		t.Errorf("all: %+v, %v", end, err)
	}

	c, err := overview.Of(context.Background(), later, "specs/2_held", overview.Options{})
	if err != nil || len(c.Handoffs) != 1 || c.Handoffs[0].State != receipt.Claimed || len(c.Handoffs[0].Steps) != 1 || c.Handoffs[0].Steps[0].By != "ada" {
		t.Errorf("chain: %+v, %v", c, err)
	}
	if _, err := overview.Of(context.Background(), later, "specs/99_none", overview.Options{}); err == nil {
		t.Error("a task that does not exist has a chain")
	}
}

// TestClaimOfWhatDoesNotWait: a claim is shown also if the handoff cannot wait, because an
// agent asked for a person, something blocks the work, or it is finished.
func TestClaimOfWhatDoesNotWait(t *testing.T) {
	root := t.TempDir()
	tasks := []struct {
		dir, metadata string
		before, held  overview.State
		why           string
		next          int // held in the answer of Next
	}{
		{dir: "1_review", metadata: `{"status": "partial", "requires_user_review": true}`, before: overview.Review, held: overview.Held, why: "held by ada", next: 1},
		{dir: "2_blocked", metadata: `{"status": "blocked"}`, before: overview.Open, held: overview.Held, why: "held by ada", next: 1},
		{dir: "3_done", metadata: `{"status": "completed"}`, before: overview.Done, held: overview.Done, why: "status is completed; held by ada"},
		{dir: "4_done_review", metadata: `{"status": "completed", "requires_user_review": true}`, before: overview.Review, held: overview.Held, why: "held by ada", next: 1},
	}
	w := open(t, root, start)
	b, err := receipts.Open(w)
	if err != nil {
		t.Fatal(err)
	}
	var board overview.Board
	for _, task := range tasks {
		t.Run(task.dir, func(t *testing.T) {
			path := addTask(t, root, task.dir, task.metadata, name)
			board.Changed("specs/" + task.dir)
			look := func() (one overview.Task) {
				t.Helper()
				v, err := board.Now(t.Context(), w, overview.Options{})
				c, chainErr := overview.Of(t.Context(), w, "specs/"+task.dir, overview.Options{})
				if err != nil || chainErr != nil {
					t.Fatal(err, chainErr)
				}
				for _, one = range v.Tasks {
					if one.Dir == c.Task.Dir {
						break
					}
				}
				if one.State != c.Task.State || one.Why != c.Task.Why || one.By != c.Task.By || (one.Until == nil) != (c.Task.Until == nil) {
					t.Errorf("the overview has %+v, the chain %+v", one, c.Task)
				}
				return one
			}
			if one := look(); one.State != task.before || one.Until != nil {
				t.Errorf("before the claim: %s until %v", one.State, one.Until)
			}
			r, err := b.Claim(t.Context(), receipts.Target{Dir: root, Ref: path}, receipt.ClaimRequest{By: "ada", TTL: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			if one := look(); one.State != task.held || one.Why != task.why || one.By != "ada" || one.Until == nil || strings.Contains(one.Command, "claim") || one.Path != path {
				t.Errorf("claimed: %+v", one)
			}
			if q, err := b.Next(t.Context(), nil); err != nil || len(q.Held) != task.next || len(q.Waiting) != 0 {
				t.Errorf("next: %+v, %v", q, err)
			}
			if _, err := b.Release(t.Context(), receipts.Target{Dir: root, Ref: path, Claim: r.Claim}, ""); err != nil {
				t.Fatal(err)
			}
			if one := look(); one.State != task.before || one.Until != nil || one.Last != "released" {
				t.Errorf("released: %+v", one)
			}
		})
	}
}

func BenchmarkNow(b *testing.B) {
	root := b.TempDir()
	for i := range 10_000 {
		addTask(b, root, fmt.Sprintf("%d_task", i+1), "", name)
	}
	w, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return start }})
	if err != nil {
		b.Fatal(err)
	}
	book, err := receipts.Open(w)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("overview", func(b *testing.B) {
		for b.Loop() {
			if v, err := overview.Now(b.Context(), w, overview.Options{Limit: 50}); err != nil || v.Total != 10_000 {
				b.Fatal(v.Total, err)
			}
		}
	})
	b.Run("next", func(b *testing.B) {
		for b.Loop() {
			if q, err := book.Next(b.Context(), nil); err != nil || len(q.Waiting) != 10_000 {
				b.Fatal(err)
			}
		}
	})
}
