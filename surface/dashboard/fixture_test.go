package dashboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"handoff/document/handoff"
	"handoff/internal/web/sse"
	"handoff/lint/rules"
	"handoff/log/receipt"
	"handoff/surface/problem"
	"handoff/surface/refusal"
	"handoff/workspace"
	"handoff/workspace/current"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
	"handoff/workspace/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var clock = time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)

// site is a dashboard of a workspace, with a server of its own.
type site struct {
	*Dashboard
	t    *testing.T
	root string
	url  string

	mu    sync.Mutex
	later time.Duration // how long ago the clock was at its first time
	fail  error         // of opening the workspace
}

// newSite serves an empty workspace.
func newSite(t *testing.T, change func(*Config)) *site {
	t.Helper()
	s := &site{t: t, root: filepath.Join(t.TempDir(), "proofs")}
	s.write("specs/README.md", "")
	c := Config{Open: s.open, Version: "1.2.3", Poll: 5 * time.Millisecond, Patience: time.Minute,
		Acts: s.acts(), Reason: func(rule string) string { return "reason of " + rule }}
	if change != nil {
		change(&c)
	}
	end := make(chan struct{})
	s.Dashboard = New(c, func(w http.ResponseWriter, r *http.Request, events func(context.Context) iter.Seq2[sse.Event, error]) error {
		return sse.Serve(w, r, sse.Options{KeepAlive: 15 * time.Second, Write: 30 * time.Second, End: end}, events)
	})
	server := httptest.NewServer(s.Dashboard)
	s.url = server.URL
	t.Cleanup(func() {
		close(end)
		server.Close()
		s.Close()
	})
	return s
}

// acts are those that the routes of a server do.
func (s *site) acts() Acts {
	return Acts{User: "1000@test", Restores: true,
		Handoffs: func(who current.Caller) handoffops.Place { return place{s, who} },
		Problem: func(err error) problem.Problem {
			if p, ok := refusal.Of(err); ok {
				return p
			}
			return problem.Of(http.StatusInternalServerError, err.Error())
		}}
}

type place struct {
	*site
	who current.Caller
}

func (p place) Perform(ctx context.Context, o handoffops.Operation, ref string, request, result any) error {
	ws, err := p.open()
	if err != nil {
		return err
	}
	defer ws.Close()
	at := &handoffops.At{Workspace: ws, Who: p.who,
		Find: func(ctx context.Context, ref string) (documents.Entry, *handoff.Document, error) {
			e, err := documents.FindInside(ctx, ws, ref)
			if err != nil {
				return e, nil, err
			}
			doc, err := documents.ReadInside(ws, e)
			return e, doc, err
		},
		Tests: func() ([][]string, string) { return nil, "none in this test" }}
	return o.Run(ctx, at, ref, request, result)
}

func (s *site) open() (*workspace.Workspace, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return nil, s.fail
	}
	later := s.later
	return workspace.Open(s.root, workspace.Options{Rules: rules.All, Work: work.Edge(), Now: func() time.Time { return clock.Add(later) }})
}

func (s *site) at(later time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later = later
}

func (s *site) failing(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
}

func (s *site) write(path, text string) {
	s.t.Helper()
	full := filepath.Join(s.root, filepath.FromSlash(path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

// handoff writes a handoff of a task.
func (s *site) handoff(task string, phase int, stamp, action, rest string) (path string) {
	path = fmt.Sprintf("specs/%s/handoffs/phase-%d-handoff-%s.md", task, phase, stamp)
	s.write(path, fmt.Sprintf("# Phase %d Handoff - %s\n\n## Immediate Next Action\n%s\n\n## Current State\n- **File**: `parse/scan.go`\n- **Location**: line 42, in `scan`\n%s", phase, stamp, action, rest))
	return path
}

func (s *site) metadata(task, status string, done, all int) {
	s.write("specs/"+task+"/.return-meta.json", fmt.Sprintf(`{"status": %q, "partial_progress": {"phases_completed": %d, "phases_total": %d}}`+"\n", status, done, all))
}

func (s *site) book() *receipts.Book {
	s.t.Helper()
	ws, err := s.open()
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := receipts.Open(ws)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// claim claims a handoff for a while.
func (s *site) claim(path, by string, ttl time.Duration) receipts.Target {
	s.t.Helper()
	target := receipts.Target{Dir: s.root, Ref: path}
	r, err := s.book().Claim(s.t.Context(), target, receipt.ClaimRequest{By: by, TTL: ttl, Session: receipt.Session{Host: "claude", ID: "7f3a"}})
	if err != nil {
		s.t.Fatal(err)
	}
	target.Claim = r.Claim
	return target
}

// populated is a workspace with a task in each state, and a chain of three handoffs whose
// last one has findings, hidden text and hostile characters.
func populated(t *testing.T, change func(*Config)) *site {
	s := newSite(t, change)
	s.handoff("12_parser", 2, "20260212T090000Z", "Run `go test ./parse` and fix `TestScan`.", "")
	s.metadata("12_parser", "partial", 1, 4)

	first := s.handoff("31_prove_completeness", 1, "20260210T080000Z", "Apply `rcases` on `h_ih`.", "\n## What NOT to Try\n1. `simp` alone: cannot close the goal\n")
	given := s.claim(first, "codex 2b1c", time.Hour)
	if _, err := s.book().Release(t.Context(), given, "out of context"); err != nil {
		t.Fatal(err)
	}
	again := s.claim(first, "claude 7f3a", time.Hour)
	second := s.handoff("31_prove_completeness", 2, "20260211T080000Z", "Close the goal with `exact ih_coherent`.", "\n## What NOT to Try\n1. `simp` alone: cannot close the goal\n2. Induction on the formula: the goal is about the state\n")
	if err := s.book().Supersede(t.Context(), again.Claim, second); err != nil {
		t.Fatal(err)
	}
	held := s.claim(second, "claude 9c1e", 2*time.Hour)
	third := s.handoff("31_prove_completeness", 3, "20260212T120000Z", "Continue working on the proof", hostile)
	if err := s.book().Supersede(t.Context(), held.Claim, third); err != nil {
		t.Fatal(err)
	}
	s.metadata("31_prove_completeness", "partial", 2, 4)
	s.claim(third, "claude 9c1e", 2*time.Hour)

	gone := s.handoff("44_migrate", 1, "20260211T080000Z", "Write `migrations/007_add_index.sql`.", "")
	s.claim(gone, "codex 55aa", time.Minute)
	s.metadata("44_migrate", "partial", 0, 3)

	s.handoff("57_ui", 4, "20260209T080000Z", "Review the colours with `design.md`.", "")
	s.write("specs/57_ui/.return-meta.json", "{not JSON\n")

	s.handoff("60_docs", 3, "20260201T080000Z", "Publish `docs/index.md`.", "")
	s.metadata("60_docs", "completed", 3, 3)
	s.write("specs/71_bench/plans/plan.md", "# Plan\n")
	s.metadata("71_bench", "in_progress", 0, 20)
	s.at(30 * time.Minute)
	return s
}

// hostile is text that must not reach a page as markup, or out of sight.
const hostile = "\n## What NOT to Try\n1. Induction on the formula: the goal is about the state\n\n" +
	"<script>document.title = 'taken over'</script>\n<img src=\"https://example.org/x.png\" onerror=\"document.title='taken over'\">\n" +
	"[click](javascript:document.title='taken') ![](https://example.org/y.png)\n" +
	"<!-- an instruction that nobody sees -->\nreversed \u202e txet and zero\u200bwidth\n" +
	"<div hidden>tell nobody</div>\n\n```go\nfunc scan() {} // <b>not bold</b>\n```\n"

// get returns the status, the header and the body of a page.
func (s *site) get(path string) (*http.Response, string) {
	s.t.Helper()
	r, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	return r, s.body(r)
}

// body is the body of an answer, which it closes.
func (s *site) body(r *http.Response) string {
	s.t.Helper()
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}
