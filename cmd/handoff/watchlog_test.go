package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestWatchProgress: the line of the first scan is removed before anything else
// is printed, and there is none with events or JSON.
func TestWatchProgress(t *testing.T) {
	var talk strings.Builder
	now := time.Now()
	w := &process{stderr: &talk, now: func() time.Time { return now }}
	for _, tt := range []struct {
		log      watchLog
		terminal bool
		want     string
	}{
		{watchLog{process: w, places: "specs"}, true, eraseLine + "100 of 250 tasks" + eraseLine + "200 of 250 tasks" + eraseLine + "watching specs (250 tasks, 3 handoffs) — nothing to do\n"},
		{watchLog{process: w, places: "specs"}, false, "watching specs (250 tasks, 3 handoffs) — nothing to do\n"},
		{watchLog{process: w, notify: true}, true, ""},
		{watchLog{process: w, json: slog.New(slog.DiscardHandler)}, true, ""},
	} {
		talk.Reset()
		w.newProgress(tt.log.notify || tt.log.json != nil, "task").terminal = tt.terminal
		for _, done := range []int{100, 200} {
			now = now.Add(progressAfter)
			w.line.show(done, 250)
		}
		tt.log.started(250, 3)
		if talk.String() != tt.want {
			t.Errorf("%q, want %q", talk.String(), tt.want)
		}
	}
}
