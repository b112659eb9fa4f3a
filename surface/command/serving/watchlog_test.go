package serving

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"handoff/surface/command"
)

// TestWatchProgress: the line of the first scan is removed before anything else
// is printed, and there is none with events or JSON.
func TestWatchProgress(t *testing.T) {
	var talk strings.Builder
	now := time.Now()
	w := &command.Process{Stderr: &talk, Now: func() time.Time { return now }}
	for _, tt := range []struct {
		log      watchLog
		terminal bool
		want     string
	}{
		{watchLog{Process: w, places: "specs"}, true, command.EraseLine + "100 of 250 tasks" + command.EraseLine + "200 of 250 tasks" + command.EraseLine + "watching specs (250 tasks, 3 handoffs) — nothing to do\n"},
		{watchLog{Process: w, places: "specs"}, false, "watching specs (250 tasks, 3 handoffs) — nothing to do\n"},
		{watchLog{Process: w, notify: true}, true, ""},
		{watchLog{Process: w, json: slog.New(slog.DiscardHandler)}, true, ""},
	} {
		talk.Reset()
		w.NewProgress(tt.log.notify || tt.log.json != nil, "task").Terminal = tt.terminal
		for _, done := range []int{100, 200} {
			now = now.Add(command.ProgressAfter)
			w.Line.Show(done, 250)
		}
		tt.log.started(250, 3)
		if talk.String() != tt.want {
			t.Errorf("%q, want %q", talk.String(), tt.want)
		}
	}
}
