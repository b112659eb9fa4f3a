package command

import (
	"fmt"
	"sync"
	"time"
)

// Progress is a line on the terminal that shows the progress of a long
// operation. It is removed before anything else is printed.
type Progress struct {
	*Process
	Noun     string // what the count counts
	Terminal bool   // stderr is a terminal
	quiet    bool

	mu    sync.Mutex
	All   int
	next  time.Time // time of the next update
	shown bool
}

// EraseLine is the sequence that removes the line of a terminal which shows the progress.
const EraseLine = "\r\x1b[K"

// When the line appears, and how often it changes.
const (
	ProgressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// NewProgress returns a line that counts things of that noun, and is not shown if quiet.
func (w *Process) NewProgress(quiet bool, noun string) *Progress {
	w.Line = &Progress{Process: w, Noun: noun, Terminal: IsTerminal(w.Stderr), quiet: quiet, next: w.Now().Add(ProgressAfter)}
	return w.Line
}

// Show prints the count from time to time: "done of all", or done alone if all
// is 0, which means unknown.
func (p *Progress) Show(done, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.All = all
	if now := p.Now(); p.Terminal && !p.quiet && !now.Before(p.next) {
		p.next = now.Add(progressEvery)
		text := Plural(done, p.Noun)
		if all > 0 {
			text = fmt.Sprintf("%d of %s", done, Plural(all, p.Noun))
		}
		p.print(text)
	}
}

func (p *Progress) print(text string) {
	p.shown = true
	fmt.Fprint(Painted(p.Stderr), EraseLine+text)
}

// Clear removes the line. It does nothing if p is nil.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(Painted(p.Stderr), EraseLine)
		p.shown = false
	}
}

// During runs f, which does not report a count. If f takes long, a line shows
// for how many seconds it has run.
func During[T any](w *Process, what string, f func() (T, error)) (T, error) {
	p := w.NewProgress(false, "second")
	if !p.Terminal {
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
				p.print(fmt.Sprintf("%s: %s", what, Plural(n, "second")))
				p.mu.Unlock()
			}
		}
	}()
	defer p.Clear()
	defer func() { close(done); <-ended }()
	return f()
}
