package main

import (
	"bytes"
	"testing"
	"time"
)

// TestProgress: the count appears on a terminal after a second, and is not
// updated too often.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	w := &process{stderr: &out, now: func() time.Time { return now }}
	for _, c := range []struct {
		terminal, quiet bool
		want            string
	}{
		{true, false, eraseLine + "6 of 9 tasks" + eraseLine},
		{false, false, ""},
		{true, true, ""},
	} {
		out.Reset()
		p := w.newProgress(c.quiet, "task")
		p.terminal = c.terminal
		p.show(5, 9)
		now = now.Add(progressAfter)
		p.show(6, 9)
		p.show(7, 9)
		p.clear()
		p.clear()
		if out.String() != c.want {
			t.Errorf("%+v: %q", c, out.String())
		}
	}
}

// TestProgressOfTalk: the line is removed before a message is printed.
func TestProgressOfTalk(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	w := &process{stderr: &out, now: func() time.Time { return now }}
	p := w.newProgress(false, "file")
	p.terminal, now = true, now.Add(progressAfter)
	p.show(3, 0)
	w.say("a message")
	if want := eraseLine + "3 files" + eraseLine + "handoff: a message\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
