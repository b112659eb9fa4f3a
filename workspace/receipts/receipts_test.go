package receipts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/log/receipt"
	"handoff/parse"
	"handoff/workspace"
)

var clock = time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)

// book opens the workspace at a root, with a clock that is later by a while.
func book(t testing.TB, root string, later time.Duration) *Book {
	t.Helper()
	ws, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return clock.Add(later) }})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(ws)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// write writes a handoff, or the metadata of its task.
func write(t testing.TB, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(path))
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func handoffAt(task int, stamp string) (path, text string) {
	return fmt.Sprintf("specs/%d_task/handoffs/phase-1-handoff-%s.md", task, stamp),
		"# Phase 1 Handoff - " + stamp + "\n\n## Immediate Next Action\nRun `go test ./parse`.\n"
}

var request = receipt.ClaimRequest{By: "ann", TTL: time.Hour}

// TestOrder: handoffs written or released last come first, acknowledged ones
// after them, and unclear ones last.
func TestOrder(t *testing.T) {
	root := t.TempDir()
	for task, stamp := range map[int]string{1: "20260212T100000Z", 2: "20260212T110000Z", 3: "20260212T120000Z", 4: "20260212T130000Z", 5: "20260212T140000Z", 6: "20260212T150000Z", 7: "20260212T151500Z"} {
		path, text := handoffAt(task, stamp)
		write(t, root, path, text)
	}
	write(t, root, "specs/6_task/.return-meta.json", `{"status": "in_progress", "started_at": "2026-02-12"}`)
	write(t, root, "specs/7_task/.return-meta.json", `{"status": "completed"}`)
	b := book(t, root, -time.Hour) // 15:05
	ctx := t.Context()
	one, err := b.Claim(ctx, Target{Ref: "1"}, request)
	if err == nil {
		_, err = b.Release(ctx, Target{Claim: one.Claim}, "needs a Mac")
	}
	if err == nil {
		_, err = b.Claim(ctx, Target{Ref: "2"}, receipt.ClaimRequest{By: "bob", TTL: time.Minute})
	}
	if err == nil {
		_, err = b.Acknowledge(ctx, Target{Ref: "5"}, "eve", "")
	}
	if err == nil {
		_, err = b.Claim(ctx, Target{Ref: "3"}, receipt.ClaimRequest{By: "cat", TTL: 9 * time.Hour})
	}
	if err != nil {
		t.Fatal(err)
	}
	q, err := book(t, root, 0).Next(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range append(q.Waiting, q.Held...) {
		got = append(got, fmt.Sprintf("%s %s %s: %s", i.Ref, i.State, i.Since, i.Why))
	}
	want := []string{
		"2/1 stale 2026-02-12T15:06:00Z: the lease of bob has expired",
		"1/1 waiting 2026-02-12T15:05:00Z: released by ann: needs a Mac",
		"5/1 waiting 2026-02-12T15:05:00Z: was shown to eve, which did not take it up: no sign of it since 2026-02-12T15:05:00Z",
		"4/1 waiting 2026-02-12T13:00:00Z: nobody has taken it up",
		"6/1 broken 2026-02-12T15:00:00Z: cannot tell whether phase-1-handoff-20260212T150000Z.md was taken up: status is \"in_progress\" and started_at is 2026-02-12, which may be earlier or later than the handoff",
		"3/1 held 2026-02-12T15:05:00Z: held by cat",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w || len(q.Held) != 1 {
		t.Errorf("%s\nwant\n%s", g, w)
	}
	for _, want := range []string{"2/1", "1/1", "5/1", "4/1"} { // unclear ones are left to a person
		item, record, ok, err := book(t, root, 0).ClaimNext(ctx, Caller{}, nil, request)
		if item.Ref != want || record.State != receipt.Claimed || !ok || err != nil {
			t.Errorf("%+v %+v %v %v, want %s", item, record, ok, err, want)
		}
	}
	if item, _, ok, err := book(t, root, 0).ClaimNext(ctx, Caller{}, nil, request); ok || err != nil {
		t.Errorf("%+v %v", item, err)
	}
}

// TestClaimNextAtOnce: many that claim the next handoff at once get one each.
func TestClaimNextAtOnce(t *testing.T) {
	root := t.TempDir()
	const n = 12
	for task := range n {
		path, text := handoffAt(task+1, "20260212T100000Z")
		write(t, root, path, text)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[string]int{}
	for range n + 3 {
		b := book(t, root, 0)
		wg.Go(func() {
			item, _, ok, err := b.ClaimNext(t.Context(), Caller{}, nil, request)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if ok {
				got[item.Path]++
			}
		})
	}
	wg.Wait()
	for path, times := range got {
		if times != 1 {
			t.Errorf("%s was claimed %d times", path, times)
		}
	}
	if len(got) != n {
		t.Errorf("%d of %d were claimed", len(got), n)
	}
}

// TestArchived: the holder finishes a handoff whose document was moved away.
func TestArchived(t *testing.T) {
	root := t.TempDir()
	path, text := handoffAt(1, "20260212T100000Z")
	write(t, root, path, text)
	b := book(t, root, 0)
	r, err := b.Claim(t.Context(), Target{Ref: "1"}, request)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, path)); err != nil {
		t.Fatal(err)
	}
	if r, err = b.Finish(t.Context(), Target{Claim: r.Claim}, ""); err != nil || r.State != receipt.Done {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := b.Acknowledge(t.Context(), Target{Claim: r.Claim}, "", "Run it."); err == nil {
		t.Error("without a document nothing is proved")
	}
}

// TestOtherWorkspaces: two workspaces of a repository have separate receipts in
// one place.
func TestOtherWorkspaces(t *testing.T) {
	repo := t.TempDir()
	for _, d := range []string{".git/objects", ".git/refs"} {
		if err := os.MkdirAll(filepath.Join(repo, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, repo, ".git/HEAD", "ref: refs/heads/main\n")
	path, text := handoffAt(1, "20260212T100000Z")
	write(t, repo, "a/"+path, text)
	write(t, repo, "b/"+path, text)
	a, b := book(t, filepath.Join(repo, "a"), 0), book(t, filepath.Join(repo, "b"), 0)
	r, err := a.Claim(t.Context(), Target{Ref: "1"}, request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Claim(t.Context(), Target{Ref: "1"}, request); err != nil {
		t.Error(err)
	}
	if _, err := b.Renew(t.Context(), Target{Claim: r.Claim}, time.Hour); !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), "in another workspace") {
		t.Error(err)
	}
	if err := b.Fence(t.Context(), r.Claim); err != nil { // valid there, too
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Join(repo, ".git/handoff/receipts"))
	if err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
}

// TestFirstAction: the words count, and their markup does not.
func TestFirstAction(t *testing.T) {
	doc := parse.Document([]byte("# Phase 1 Handoff - 20260212T100000Z\n\n## Immediate Next Action\nApply `rcases` on `h_ih`, then **use** it. It closes the\ngoal.\n"))
	for text, want := range map[string]bool{
		"Apply `rcases` on `h_ih`, then **use** it. It closes the goal.": true,
		"apply rcases on h_ih then use it":                               true,
		"  Apply rcases\non h_ih, then use it.  ":                        true,
		"Apply `rcases` on `h_ih`, then **use** it. It closes the":       true,
		"Apply `rcases` on `h_ih`":                                       false,
		"Apply rcases on h_il, then use it.":                             false,
		"It closes the goal.":                                            false,
		"...":                                                            false,
	} {
		if got := sameAction(doc, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if sameAction(parse.Document([]byte("# Nothing\n")), "") || sameAction(nil, "x") {
		t.Error("there is no next action")
	}
}

// TestReadOnly: an agent whose sandbox makes the git folder read-only can read
// what became of a handoff. The error of a claim names the folder.
func TestReadOnly(t *testing.T) {
	needs.Unix(t, "folders have no modes")
	needs.NotRoot(t, func() {
		root := t.TempDir()
		for _, d := range []string{".git/objects", ".git/refs"} {
			if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		write(t, root, ".git/HEAD", "ref: refs/heads/main\n")
		path, text := handoffAt(1, "20260212T100000Z")
		write(t, root, path, text)
		other, text := handoffAt(2, "20260212T100000Z")
		write(t, root, other, text)
		b := book(t, root, 0)
		r, err := b.Claim(t.Context(), Target{Ref: "1"}, request)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(root, ".git/handoff/receipts")
		entries, err := os.ReadDir(folder)
		for _, e := range entries {
			err = errors.Join(err, os.Chmod(filepath.Join(folder, e.Name()), 0o444))
		}
		if err = errors.Join(err, os.Chmod(folder, 0o555)); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(folder, 0o755)
		if _, err := b.Claim(t.Context(), Target{Ref: "2"}, request); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), folder) {
			t.Errorf("a first claim: %v", err)
		}
		if _, err := b.Renew(t.Context(), Target{Claim: r.Claim}, time.Hour); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), folder) {
			t.Errorf("a renewal: %v", err)
		}
		if err := b.Fence(t.Context(), r.Claim); err != nil {
			t.Error(err)
		}
		if q, err := b.Next(t.Context(), nil); len(q.Waiting) != 1 || len(q.Held) != 1 || err != nil {
			t.Errorf("%+v, %v", q, err)
		}
	})
}

// TestSlowClock: a claim or a renewal whose lease is too short, because the clock is behind, says so.
func TestSlowClock(t *testing.T) {
	root := t.TempDir()
	name, text := handoffAt(1, "20260212T100000Z")
	write(t, root, name, text)
	b := book(t, root, 0)
	first, err := b.Claim(t.Context(), Target{Ref: "1"}, request)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Release(t.Context(), Target{Claim: first.Claim}, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		behind time.Duration
		says   int
	}{{time.Second, 0}, {3 * time.Hour, 1}} {
		var said []string
		b := book(t, root, 0)
		now := b.ws.Now()
		b.ws.Options.Say = func(line string) { said = append(said, line) }
		b.ws.Options.Now = func() time.Time { return now.Add(-c.behind) }
		r, err := b.Claim(t.Context(), Target{Ref: "1"}, receipt.ClaimRequest{By: "bob", TTL: time.Hour, Force: true, Why: "test"})
		if err != nil || len(said) != c.says {
			t.Errorf("%v behind: %+v, %v, said %q", c.behind, r, err, said)
		}
		late := book(t, root, 0)
		late.ws.Options.Say, late.ws.Options.Now, said = b.ws.Options.Say, b.ws.Options.Now, nil
		if r, err := late.Renew(t.Context(), Target{Claim: r.Claim}, time.Hour); err != nil || len(said) != c.says {
			t.Errorf("renewed %v behind: %+v, %v, said %q", c.behind, r, err, said)
		}
	}
}
