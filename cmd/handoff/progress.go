package main

import (
	"fmt"
	"sync"
	"time"
)

// progress is a line on the terminal about work that takes long. It is removed
// before anything else is printed.
type progress struct {
	*world
	noun     string // what is counted
	terminal bool   // stderr is one
	quiet    bool

	mu    sync.Mutex
	all   int
	next  time.Time // of the next count
	shown bool
}

const eraseLine = "\r\x1b[K"

// When the line appears, and how often it changes.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

func (w *world) newProgress(quiet bool, noun string) *progress {
	w.line = &progress{world: w, noun: noun, terminal: isTerminal(w.stderr), quiet: quiet, next: w.now().Add(progressAfter)}
	return w.line
}

// show takes a count, of all or of 0 if the total is unknown, and prints it from
// time to time.
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

// clear removes the line. A nil progress has none.
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

// whileDoing runs f, which cannot count what it does. If it takes long, a line
// shows for how many seconds it has run.
func (w *world) whileDoing(what string, f func() error) error {
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
	err := f()
	close(done)
	<-ended
	p.clear()
	return err
}
