package overview_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
	"handoff/workspace/states"
)

// same is a workspace in a random history.
type same struct {
	t      *testing.T
	root   string
	at     time.Time
	random *rand.Rand
	trace  []string
}

func (s *same) open() (*workspace.Workspace, *receipts.Book) {
	s.t.Helper()
	w := open(s.t, s.root, s.at)
	b, err := receipts.Open(w)
	if err != nil {
		s.t.Fatal(err)
	}
	return w, b
}

// step does something to a random task: a document, metadata, or a step of a receipt.
func (s *same) step() {
	s.at = s.at.Add([]time.Duration{time.Second, time.Minute, 20 * time.Minute, 3 * time.Hour}[s.random.IntN(4)])
	task := fmt.Sprintf("%d_task", 1+s.random.IntN(5))
	dir := filepath.Join(s.root, "specs", task)
	files, _ := filepath.Glob(filepath.Join(dir, "handoffs", "*.md"))
	w, b := s.open()
	what := s.random.IntN(9)
	s.trace = append(s.trace, fmt.Sprintf("%s %s %d", s.at.Format(time.TimeOnly), task, what))
	if len(files) == 0 || what == 0 {
		phase, stamp := 1+s.random.IntN(2), s.at.UTC().Format("20060102T150405Z")
		if s.random.IntN(3) == 0 {
			stamp = "20260213T000000Z" // two of one second: which one is newer may be unclear
		}
		addTask(s.t, s.root, task, "", fmt.Sprintf("phase-%d-handoff-%s.md", phase, stamp))
		return
	}
	target := receipts.Target{Dir: s.root, Ref: w.Rel(files[s.random.IntN(len(files))])}
	session := receipt.Session{Host: "claude", ID: fmt.Sprint(s.random.IntN(3))}
	_, life, err := b.Life(s.t.Context(), target)
	if err != nil {
		s.t.Fatal(err)
	}
	target.Claim = life.Claim.ID
	switch what { // a refusal is part of the history
	case 1:
		_, _ = b.Claim(s.t.Context(), target, receipt.ClaimRequest{By: "ada", TTL: time.Hour, Session: session})
	case 2:
		_, _ = b.Release(s.t.Context(), target, "")
	case 3:
		_, _ = b.Finish(s.t.Context(), target, "ada")
	case 4:
		_ = b.Deliver(s.t.Context(), receipts.Target{Dir: s.root, Ref: target.Ref}, "bob")
	case 5:
		_, _, _ = b.DeliverNext(s.t.Context(), session)
	case 6:
		_, _ = b.Acknowledge(s.t.Context(), receipts.Target{Dir: s.root, Ref: target.Ref}, "eve", "")
	default:
		text := []string{`{"status": "in_progress"}`, `{"status": "partial", "requires_user_review": true}`, `{"status": "completed"}`, `{"status"`, `{"status": "in_progress", "started_at": "2026-02-12"}`,
			`{"status": "partial", "partial_progress": {"phases_completed": 1, "phases_total": 3}}`}[s.random.IntN(6)]
		if err := os.WriteFile(filepath.Join(dir, ".return-meta.json"), []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

// check compares what all surfaces are made of: the overview (top, HTTP), the board
// (dashboard and the screen of top), the queue (next, MCP, HTTP) and the states of documents
// (ls, MCP).
func (s *same) check(board *overview.Board) {
	s.t.Helper()
	w, b := s.open()
	ctx := s.t.Context()
	v, err := overview.Now(ctx, w, overview.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	board.Changed()
	shown, err := board.Now(ctx, w, overview.Options{})
	if err != nil || fmt.Sprint(shown.Counts) != fmt.Sprint(v.Counts) {
		s.t.Fatalf("board %v, overview %v, %v", shown.Counts, v.Counts, err)
	}
	q, err := b.Next(ctx, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	list, err := documents.List(ctx, w, documents.Filter{})
	if err != nil {
		s.t.Fatal(err)
	}
	known, counts := b.States(ctx, list), map[states.State]int{}
	for _, k := range known {
		counts[k.State]++
	}
	queued := map[string]receipts.Item{}
	next := map[states.State]int{}
	for _, i := range append(q.Waiting, q.Held...) {
		queued[i.Path] = i
		next[i.State]++
	}
	first := ""
	for _, t := range v.Tasks {
		if t.Handoffs > 0 {
			counts[t.State]--
		}
		if i, ok := queued[t.Path]; ok && (i.State != t.State || i.Why != t.Why || i.By != t.By) {
			s.t.Errorf("next has %s (%s), top %s (%s)", i.State, i.Why, t.State, t.Why)
		}
		if k, ok := known[t.Path]; ok && (k.State != t.State || k.Why != t.Why) {
			s.t.Errorf("ls has %s, top %s", k.State, t.State)
		}
		if first == "" && (t.State == overview.Stale || t.State == overview.Waiting) && queued[t.Path].Offered() {
			first = t.Path
		}
	}
	for state, n := range counts {
		if n != 0 {
			s.t.Errorf("%s: ls has %+d more than top", state, n)
		}
	}
	for _, state := range []states.State{states.Stale, states.Waiting, states.Held} {
		if next[state] != v.Counts[state] {
			s.t.Errorf("%s: next has %d, top %d", state, next[state], v.Counts[state])
		}
	}
	if first != "" && (len(q.Waiting) == 0 || q.Waiting[0].Path != first) {
		s.t.Errorf("next chooses %+v, top %s", q.Waiting, first)
	}
	if s.t.Failed() {
		s.t.Fatal(strings.Join(s.trace, "\n"))
	}
}

// TestSame: whatever happens to documents, metadata and receipts, all surfaces have the
// same states, counts and words, and choose the same handoff first.
func TestSame(t *testing.T) {
	for seed := range uint64(25) {
		s := &same{t: t, root: t.TempDir(), at: start, random: rand.New(rand.NewPCG(seed, 12))}
		var board overview.Board
		for range 30 {
			s.step()
			s.check(&board)
		}
	}
}

// TestCures follows the command of each state that needs a person: it ends the state.
func TestCures(t *testing.T) {
	seen := map[states.State]bool{}
	for seed := range uint64(40) {
		s := &same{t: t, root: t.TempDir(), at: start, random: rand.New(rand.NewPCG(seed, 21))}
		for range 25 {
			s.step()
		}
		w, b := s.open()
		v, err := overview.Now(t.Context(), w, overview.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range v.Tasks {
			words := strings.Fields(task.Command)
			switch {
			case !task.Acts():
				continue
			case task.Why != "" && strings.HasPrefix(task.Why, task.Dir+"/.return-meta.json"): // only a person can repair it: the command shows where
				if task.Command != "handoff verify "+task.Dir {
					t.Errorf("%s: %s", task.Why, task.Command)
				}
				continue
			case len(words) < 3 || words[1] != "claim":
				t.Fatalf("seed %d: %s (%s): %q", seed, task.State, task.Why, task.Command)
			}
			seen[task.State] = true
			if _, err := b.Claim(t.Context(), receipts.Target{Dir: s.root, Ref: words[2]}, receipt.ClaimRequest{By: "ada", TTL: time.Hour}); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, task.Command, err)
			}
			c, err := overview.Of(t.Context(), w, task.Dir, overview.Options{})
			if err != nil || c.Task.State != overview.Held {
				t.Errorf("seed %d: %s (%s): after %q it is %s (%s), %v", seed, task.State, task.Why, task.Command, c.Task.State, c.Task.Why, err)
			}
		}
	}
	for _, state := range states.All {
		if state.Acts() && !seen[state] && state != states.Asks { // see TestAsks
			t.Errorf("%s never occurred", state)
		}
	}
}

// TestDecided: of two documents of one second the one that is claimed or finished continues.
func TestDecided(t *testing.T) {
	for _, finish := range []bool{false, true} {
		s := &same{t: t, root: t.TempDir(), at: start}
		addTask(t, s.root, "1_task", "", "phase-2-handoff-20260212T143022Z.md")
		one := addTask(t, s.root, "1_task", "", "phase-b-handoff-20260212T143022Z.md")
		state := func() overview.Task {
			w, _ := s.open()
			v, err := overview.Now(t.Context(), w, overview.Options{})
			if err != nil || len(v.Tasks) != 1 {
				t.Fatalf("%+v, %v", v, err)
			}
			return v.Tasks[0]
		}
		if got := state(); got.State != overview.Broken || !strings.HasPrefix(got.Command, "handoff claim specs/1_task/") {
			t.Fatalf("%+v", got)
		}
		_, b := s.open()
		want := overview.Held
		var err error
		if target := (receipts.Target{Dir: s.root, Ref: one}); finish {
			want = overview.Done
			_, err = b.Finish(t.Context(), target, "ada")
		} else {
			_, err = b.Claim(t.Context(), target, receipt.ClaimRequest{By: "ada", TTL: time.Hour})
		}
		if got := state(); err != nil || got.State != want {
			t.Errorf("finished %v: %s (%s), %v; want %s", finish, got.State, got.Why, err, want)
		}
	}
}
