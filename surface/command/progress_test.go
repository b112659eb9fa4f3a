package command

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
	w := &Process{Stderr: &out, Now: func() time.Time { return now }}
	for _, c := range []struct {
		terminal, quiet bool
		want            string
	}{
		{true, false, EraseLine + "6 of 9 tasks" + EraseLine},
		{false, false, ""},
		{true, true, ""},
	} {
		out.Reset()
		p := w.NewProgress(c.quiet, "task")
		p.Terminal = c.terminal
		p.Show(5, 9)
		now = now.Add(ProgressAfter)
		p.Show(6, 9)
		p.Show(7, 9)
		p.Clear()
		p.Clear()
		if out.String() != c.want {
			t.Errorf("%+v: %q", c, out.String())
		}
	}
}

// TestProgressOfTalk: the line is removed before a message is printed.
func TestProgressOfTalk(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	w := &Process{Stderr: &out, Now: func() time.Time { return now }}
	p := w.NewProgress(false, "file")
	p.Terminal, now = true, now.Add(ProgressAfter)
	p.Show(3, 0)
	w.Say("a message")
	if want := EraseLine + "3 files" + EraseLine + "handoff: a message\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
