package drain_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"handoff/log/engine/enginetest"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// direct are the requests that cannot wait. Each is made for a log with a request that
// waits, and returns how many messages the result has.
var direct = map[string]func(*testing.T, *workspace.Workspace, place) (int, error){
	"tape fork": onTape(func(t *testing.T, all *tapes.Tapes, one *tapes.Tape) (int, error) {
		_, err := one.Fork(t.Context(), tapes.ForkRequest{To: "child"})
		if err != nil {
			return 0, err
		}
		return messages(t, must(all.Tape("child"))), nil
	}),
	"tape fork over a command": onTape(func(t *testing.T, all *tapes.Tapes, one *tapes.Tape) (int, error) {
		_, err := one.Exec(t.Context(), tapes.ExecRequest{Command: ",tape.fork_session new_session_id=child"})
		if err != nil {
			return 0, err
		}
		return messages(t, must(all.Tape("child"))), nil
	}),
	"tape merge": onTape(func(t *testing.T, all *tapes.Tapes, one *tapes.Tape) (int, error) {
		r, err := one.Merge(t.Context(), tapes.MergeRequest{})
		return int(r.Entries), err
	}),
	"tape merge into its parent": onTape(func(t *testing.T, all *tapes.Tapes, one *tapes.Tape) (int, error) {
		if _, err := one.Merge(t.Context(), tapes.MergeRequest{}); err != nil {
			return 0, err
		}
		return messages(t, must(all.Tape("main"))), nil
	}),
	"tape reset": onTape(func(t *testing.T, all *tapes.Tapes, one *tapes.Tape) (int, error) {
		a, err := one.Reset(t.Context(), tapes.ResetRequest{})
		if err != nil {
			return 0, err
		}
		return messages(t, all.Of(must(all.Store.OpenArchive(a.Archived)))), nil
	}),
	"tape delete": onTape(func(t *testing.T, all *tapes.Tapes, one *tapes.Tape) (int, error) {
		_, err := must(all.Tape("other")).Delete(t.Context(), tapes.DeleteRequest{})
		return 1, err
	}),
	"tape send": onTape(func(t *testing.T, all *tapes.Tapes, one *tapes.Tape) (int, error) {
		_, err := one.Send(t.Context(), tapes.SendRequest{From: "agent:a", To: "agent:b", Summary: "done so far"})
		return messages(t, one), err
	}),
	"tape append after": onTape(func(t *testing.T, all *tapes.Tapes, one *tapes.Tape) (int, error) {
		_, err := one.Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{entry(t, "direct")}, After: new(int64(2))})
		if errors.Is(err, tape.ErrMoved) { // its caller has not seen what waited
			err = nil
		}
		return messages(t, one), err
	}),
	"thread branch": onThread(func(t *testing.T, ws *workspace.Workspace, id string) (int, error) {
		all := must(threads.In(t.Context(), ws, true))
		defer all.Close()
		b, err := all.Branch(t.Context(), id, thread.BranchRequest{})
		return int(b.ParentSeq), err
	}),
	"thread handoff": onThread(func(t *testing.T, ws *workspace.Workspace, id string) (int, error) {
		all := must(threads.In(t.Context(), ws, true))
		defer all.Close()
		h, err := all.Handoff(t.Context(), id, thread.HandoffRequest{SummaryMarkdown: new("done so far")})
		return int(h.FromSeq), err
	}),
	"thread run": onThread(func(t *testing.T, ws *workspace.Workspace, id string) (int, error) {
		all := must(threads.In(t.Context(), ws, true))
		defer all.Close()
		e, err := all.PostRun(t.Context(), id, thread.MessageRequest{Content: "direct"}, thread.RunRequest{MessageID: thread.NewUUID(), SessionID: thread.NewUUID()}, "")
		return int(e.Seq) - 1, err
	}),
	"claim": func(t *testing.T, ws *workspace.Workspace, p place) (int, error) {
		_, err := must(receipts.Open(ws)).Claim(t.Context(), receipts.Target{Ref: "1"}, receipt.ClaimRequest{By: "eve", TTL: time.Hour, Force: true, Why: "test"})
		if err != nil {
			return 0, err
		}
		_, l, err := must(receipts.Open(ws)).Life(t.Context(), receipts.Target{Ref: "1"})
		if slices.ContainsFunc(l.Steps, func(s receipt.Step) bool { return s.Kind == receipt.StepReleased }) {
			return 1, err
		}
		return 0, err
	},
}

// place is what a direct request is for.
type place struct{ thread string }

func onTape(do func(*testing.T, *tapes.Tapes, *tapes.Tape) (int, error)) func(*testing.T, *workspace.Workspace, place) (int, error) {
	return func(t *testing.T, ws *workspace.Workspace, _ place) (int, error) {
		all := must(tapes.In(ws, "", true))
		defer all.Close()
		return do(t, all, must(all.Tape("fork")))
	}
}

func onThread(do func(*testing.T, *workspace.Workspace, string) (int, error)) func(*testing.T, *workspace.Workspace, place) (int, error) {
	return func(t *testing.T, ws *workspace.Workspace, p place) (int, error) { return do(t, ws, p.thread) }
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func entry(t *testing.T, text string) tape.Entry {
	t.Helper()
	return must(tape.NewEntry("message", map[string]string{"role": "user", "content": text}, nil))
}

func messages(t *testing.T, one *tapes.Tape) (n int) {
	t.Helper()
	for _, err := range one.Query(t.Context(), tape.Query{Kinds: []string{"message"}}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestDirect: no request overtakes what waits for its logs. While the store is away it is
// refused; then it sends what waits first, although nobody has drained.
func TestDirect(t *testing.T) {
	for name, do := range direct {
		t.Run(name, func(t *testing.T) {
			root, state := t.TempDir(), &atomic.Int32{}
			store := flaky{&enginetest.Memory{}, state}
			put(t, root, document, "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n")
			ws := open(t, root, store)
			p := place{newThread(t, ws)}
			all := must(tapes.In(ws, "", true))
			for _, name := range []string{"main", "other"} {
				must(must(all.Tape(name)).Create(t.Context(), tapes.CreateRequest{}))
			}
			must(must(all.Tape("main")).Fork(t.Context(), tapes.ForkRequest{To: "fork"}))
			if err := all.Close(); err != nil {
				t.Fatal(err)
			}
			claim := must(must(receipts.Open(ws)).Claim(t.Context(), receipts.Target{Ref: "1"}, receipt.ClaimRequest{By: "ada", TTL: time.Hour}))

			state.Store(away)
			ws = open(t, root, store)
			if !post(t, ws, p.thread, "waits") {
				t.Fatal("not queued")
			}
			if r, err := must(receipts.Open(ws)).Release(t.Context(), receipts.Target{Claim: claim.Claim}, ""); err != nil || r.NotRecorded == nil {
				t.Fatalf("%+v, %v", r, err)
			}
			all = must(tapes.In(ws, "", true))
			for _, name := range []string{"fork", "other"} {
				a := must(must(all.Tape(name)).Append(t.Context(), tape.AppendRequest{Entries: []tape.Entry{entry(t, "waits")}}))
				if !a.Queued {
					t.Fatal("not queued")
				}
			}
			all.Close()
			if n, err := do(t, open(t, root, store), p); !outbox.Away(err) {
				t.Errorf("with the store away: %d, %v", n, err)
			}
			state.Store(answers)
			if n, err := do(t, open(t, root, store), p); err != nil || n != 1 {
				t.Errorf("it has %d of 1 requests that were acknowledged before it: %v", n, err)
			}
			box := must(open(t, root, store).Outbox())
			if kept := must(box.Refused()); len(kept) > 0 {
				t.Errorf("refused: %+v", kept)
			}
		})
	}
}
