package main

import (
	"fmt"
	"time"
)

// progress is a line on the terminal that counts, once something takes long.
type progress struct {
	*world
	terminal bool // that people look at
	quiet    bool
	all      int
	next     time.Time // of the next count
	shown    bool
}

// How long people wait before they want to know, and how often after that.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

func (w *world) newProgress(quiet bool) *progress {
	return &progress{world: w, terminal: isTerminal(w.stderr), quiet: quiet, next: w.now().Add(progressAfter)}
}

// show takes in a count, and prints it from time to time.
func (p *progress) show(done, all int) {
	p.all = all
	if now := p.now(); p.terminal && !p.quiet && !now.Before(p.next) {
		p.next = now.Add(progressEvery)
		p.shown = true
		fmt.Fprintf(p.stderr, "\r%d of %s", done, plural(all, "task"))
	}
}

// clear removes the line, so that another can be printed in its place.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.stderr, "\r\x1b[K")
		p.shown = false
	}
}
