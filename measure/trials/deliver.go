package trials

import (
	"context"
	"fmt"
	"sync"
	"time"

	"handoff/log/receipt"
	"handoff/measure/benchmark"
	"handoff/measure/benchmark/texts"
	"handoff/workspace/delivery"
	"handoff/workspace/spawn/prompt"
)

const (
	deliverEach     = 8
	deliverSessions = 8
)

// maxText is the most bytes of a text for a session: what Claude Code shows of a hook.
const maxText = 9000

// Deliver measures how many of the sessions that start at once are shown a handoff.
func (l *Lab) Deliver(ctx context.Context) (benchmark.Suite, error) {
	s := benchmark.Suite{Name: "deliver", About: "how many sessions that start at the same time get a handoff that waits, and whether one gets it back after a compaction", Limits: []string{
		"The sessions are threads of one process on one machine. Processes that are killed in between, and several machines, are in the tests.",
	}}
	var exactly, several, none, again, back int
	for n := range deliverEach {
		shown, repeated, resumed, err := l.race(ctx, n)
		if err != nil {
			return s, err
		}
		switch {
		case shown == 1:
			exactly++
		case shown > 1:
			several++
		default:
			none++
		}
		again += repeated
		back += resumed
	}
	s.Tables = []benchmark.Table{{
		Title:   fmt.Sprintf("one handoff waits, %d sessions start at once: is it shown to one, several or none; to the same one at a second start, and after its compaction", deliverSessions),
		Columns: []string{"one", "several", "none", "again", "compacted"},
		Rows: []benchmark.Row{
			{Name: "hook of a session", Cells: []benchmark.Cell{benchmark.Share(exactly, deliverEach), benchmark.Share(several, deliverEach), benchmark.Share(none, deliverEach), benchmark.Share(again, deliverEach), benchmark.Share(back, deliverEach)}},
			{Name: "each reads the newest file", Cells: []benchmark.Cell{benchmark.Share(0, deliverEach), benchmark.Share(deliverEach, deliverEach), benchmark.Share(0, deliverEach), benchmark.Share(deliverEach, deliverEach), benchmark.Share(0, deliverEach)}},
		},
	}}
	return s, nil
}

// race starts the sessions of one workspace. It returns how many were shown the handoff,
// whether the first of them is shown it at a second start, and after a compaction.
func (l *Lab) race(ctx context.Context, n int) (shown, again, back int, err error) {
	w, err := l.world("")
	if err != nil {
		return 0, 0, 0, err
	}
	if _, err := w.add(ctx, texts.Values(1, n+1), "parser"); err != nil {
		return 0, 0, 0, err
	}
	shownTo, errs := make([]string, deliverSessions), make([]error, deliverSessions)
	var all sync.WaitGroup
	for i := range deliverSessions {
		all.Go(func() { shownTo[i], errs[i] = w.begin(ctx, i) })
	}
	all.Wait()
	first := -1
	for i, text := range shownTo {
		if errs[i] != nil {
			return 0, 0, 0, errs[i]
		}
		if text != "" {
			first, shown = i, shown+1
		}
	}
	if first < 0 {
		return shown, 0, 0, nil
	}
	text, err := w.begin(ctx, first)
	if err == nil && text != "" {
		again = 1
	}
	if err == nil {
		w.now = w.now.Add(time.Hour)
		text, err = w.compact(ctx, first)
	}
	if err == nil && text != "" {
		back = 1
	}
	return shown, again, back, err
}

func (w *world) desk(session int) (*delivery.Desk, error) {
	ws, err := w.open(".")
	if err != nil {
		return nil, err
	}
	return delivery.Open(ws, delivery.Desk{Session: receipt.Session{Host: sameTool, ID: fmt.Sprint("session-", session)}, Max: maxText, Show: prompt.Shown})
}

// begin is the text that a session is shown when it starts.
func (w *world) begin(ctx context.Context, session int) (string, error) {
	d, err := w.desk(session)
	if err != nil {
		return "", err
	}
	return d.Start(ctx)
}

// compact is the text that it is shown after its host compacted the context.
func (w *world) compact(ctx context.Context, session int) (string, error) {
	d, err := w.desk(session)
	if err == nil {
		err = d.Compacting(ctx)
	}
	if err != nil {
		return "", err
	}
	return d.Resume(ctx)
}
