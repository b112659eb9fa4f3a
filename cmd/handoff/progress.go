package main

import (
	"fmt"
	"sync"
	"time"
)

// progress is a line on the terminal that shows the progress of a long
// operation. It is removed before anything else is printed.
type progress struct {
	*process
	noun     string // what the count counts
	terminal bool   // stderr is a terminal
	quiet    bool

	mu    sync.Mutex
	all   int
	next  time.Time // time of the next update
	shown bool
}

const eraseLine = "\r\x1b[K"

// When the line appears, and how often it changes.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

func (w *process) newProgress(quiet bool, noun string) *progress {
	w.line = &progress{process: w, noun: noun, terminal: isTerminal(w.stderr), quiet: quiet, next: w.now().Add(progressAfter)}
	return w.line
}

// show prints the count from time to time: "done of all", or done alone if all
// is 0, which means unknown.
func (p *progress) show(done, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = all
	if now := p.now(); p.terminal && !p.quiet && !now.Before(p.next) {
		p.next = now.Add(progressEvery)
		text := plural(done, p.noun)
		if all > 0 {
			text = fmt.Sprintf("%d of %s", done, plural(all, p.noun))
		}
		p.print(text)
	}
}

func (p *progress) print(text string) {
	p.shown = true
	fmt.Fprint(painted(p.stderr), eraseLine+text)
}

// clear removes the line. It does nothing if p is nil.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(painted(p.stderr), eraseLine)
		p.shown = false
	}
}

// during runs f, which does not report a count. If f takes long, a line shows
// for how many seconds it has run.
func during[T any](w *process, what string, f func() (T, error)) (T, error) {
	p := w.newProgress(false, "second")
	if !p.terminal {
		return f()
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			case <-tick.C:
				p.mu.Lock()
				p.print(fmt.Sprintf("%s: %s", what, plural(n, "second")))
				p.mu.Unlock()
			}
		}
	}()
	defer p.clear()
	defer func() { close(done); <-ended }()
	return f()
}
