package drain_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/threads"
)

// TestTimeOfQueued: whatever was queued has the time at which it was asked for, not the one at
// which it was sent.
func TestTimeOfQueued(t *testing.T) {
	c := newClaims(t, "memory", 1)
	m := c.machines[0]
	open := func() *workspace.Workspace {
		ws := must(workspace.Open(m.root, m.open))
		t.Cleanup(ws.Close)
		return ws
	}
	id, claims := newThread(t, open()), map[string]string{}
	for _, ref := range []string{"1/1", "2/1", "3/1"} {
		r := must(must(receipts.Open(open())).Claim(t.Context(), receipts.Target{Ref: ref}, receipt.ClaimRequest{By: "w", TTL: 9 * time.Hour}))
		claims[ref] = r.Claim
	}
	steps := map[outbox.Step]string{outbox.Acknowledge: "1/1", outbox.Release: "1/1", outbox.Renew: "2/1", outbox.Done: "3/1"}
	asked := c.now.Add(time.Minute)
	c.now = asked
	m.away.Store(true)
	post(t, open(), id, "queued")
	note(t, open(), "queued")
	for _, step := range []outbox.Step{outbox.Acknowledge, outbox.Release, outbox.Renew, outbox.Done} {
		b, target := must(receipts.Open(open())), receipts.Target{Claim: claims[steps[step]]}
		must(map[outbox.Step]func() (receipts.Record, error){
			outbox.Acknowledge: func() (receipts.Record, error) { return b.Acknowledge(t.Context(), target, "", "") },
			outbox.Release:     func() (receipts.Record, error) { return b.Release(t.Context(), target, "") },
			outbox.Renew:       func() (receipts.Record, error) { return b.Renew(t.Context(), target, time.Hour) },
			outbox.Done:        func() (receipts.Record, error) { return b.Finish(t.Context(), target, "") },
		}[step]())
	}
	c.now = asked.Add(8 * time.Hour)
	m.away.Store(false)
	if n := run(t, open(), drain.Request{Insist: true}); n != 6 {
		t.Fatalf("%d were sent", n)
	}
	ws := open()
	for step, ref := range steps {
		_, life, err := must(receipts.Open(ws)).Life(t.Context(), receipts.Target{Ref: ref})
		if err != nil || !life.Last().At.Equal(asked) || len(life.Recorded()) != len(life.Steps) {
			t.Errorf("%s: %+v, %v", step, life.Last(), err)
		}
	}
	all := must(threads.In(t.Context(), ws, false))
	defer all.Close()
	for e, err := range all.Events(id, 1) {
		if err != nil || int64(e.TimestampMS) != asked.UnixMilli() {
			t.Errorf("message: %d, %v", e.TimestampMS, err)
		}
	}
	src := string(must(os.ReadFile(m.root + "/.handoff/tape/main.jsonl")))
	if !strings.Contains(src, `"date": "2026-02-12T16:06:00`) {
		t.Errorf("entry: %s", src)
	}
}
