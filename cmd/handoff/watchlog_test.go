package main

import (
	"log/slog"
	"strings"
	"testing"
)

// TestWatchProgress shows how far the first look is, on a terminal only, and
// takes it away again.
func TestWatchProgress(t *testing.T) {
	var talk strings.Builder
	w := &world{stderr: &talk}
	for _, tt := range []struct {
		log  watchLog
		want string
	}{
		{watchLog{world: w, terminal: true}, "\rlooked at 100 of 250 tasks\rlooked at 200 of 250 tasks\r\x1b[Kwatching specs (250 tasks, 3 handoffs) — nothing to do\n"},
		{watchLog{world: w}, "watching specs (250 tasks, 3 handoffs) — nothing to do\n"},
		{watchLog{world: w, terminal: true, notify: true}, ""},
		{watchLog{world: w, terminal: true, json: slog.New(slog.DiscardHandler)}, ""},
	} {
		talk.Reset()
		tt.log.progress(100, 250)
		tt.log.progress(200, 250)
		tt.log.started(250, 3)
		if talk.String() != tt.want {
			t.Errorf("%q, want %q", talk.String(), tt.want)
		}
	}
}
