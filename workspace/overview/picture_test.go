package overview_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
)

// TestPicture: a task has the same picture in a list and by itself, and it fits any width.
func TestPicture(t *testing.T) {
	root := t.TempDir()
	const second = "phase-2-handoff-20260212T144022Z.md"
	first := addTask(t, root, "1_count", `{"status": "partial", "partial_progress": {"phases_completed": 1, "phases_total": 4}}`, name)
	newest := addTask(t, root, "1_count", "", second)
	w := open(t, root, start)
	b, err := receipts.Open(w)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(path, by string) string {
		r, err := b.Claim(t.Context(), receipts.Target{Dir: root, Ref: path}, receipt.ClaimRequest{By: by, TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return r.Claim
	}
	if err := b.Supersede(t.Context(), claim(first, "ada"), newest); err != nil {
		t.Fatal(err)
	}
	given := receipts.Target{Dir: root, Ref: newest, Claim: claim(newest, "bob")}
	if _, err := b.Release(t.Context(), given, ""); err != nil {
		t.Fatal(err)
	}
	v, err := overview.Now(context.Background(), w, overview.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := overview.Of(context.Background(), w, "specs/1_count", overview.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pictures, own := overview.Pictures(w, v.Tasks), c.Picture()
	const want = `●─◆ ada ─○─◇ (bob) ─○─○`
	if got := own.Text(0); len(pictures) != 1 || pictures[0].Text(0) != got || got != want {
		t.Errorf("in the list %q, by itself %q, want %q", pictures[0].Text(0), got, want)
	}
	for columns, want := range map[int]string{21: "●─◆─○─◇ (bob) ─○─○", 13: "●─◆─○─◇─○─○", 5: "●─◆─…"} {
		if got := own.Text(columns); got != want {
			t.Errorf("in %d columns: %q", columns, got)
		}
	}
}

// TestLongPicture: of many phases a number is drawn, and of many handoffs the last ones.
func TestLongPicture(t *testing.T) {
	c := overview.Chain{Task: overview.Task{PhasesDone: 7, Phases: 20}}
	for range 9 {
		c.Handoffs = append(c.Handoffs, overview.Link{Row: documents.Row{Phase: "3A"}})
	}
	p := c.Picture()
	if got := p.Text(0); got != "7/20 …─"+strings.Repeat("◇─", 5)+"◇" || p.Earlier != 3 {
		t.Errorf("%q, %d earlier", got, p.Earlier)
	}
}
