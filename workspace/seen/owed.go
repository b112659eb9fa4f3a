package seen

import (
	"path"
	"slices"
	"time"
)

const (
	kindOwed    = "owed"    // a step on a document is about to be recorded, which its metadata must show
	kindSettled = "settled" // the metadata shows it
)

// Debt is a document about which a command of this working tree recorded a step that the
// metadata of its task must show, or was killed before it could.
type Debt struct {
	Path string
	At   time.Time // the step was recorded then or later
}

// Owe remembers a debt until it is settled. Call it before the step is recorded.
func (b *Book) Owe(d Debt) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.write(line{kind: kindOwed, at: d.At, path: d.Path})
}

// Owed are the debts of a task.
func (b *Book) Owed(dir string) (list []Debt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	for p, at := range b.owed {
		if path.Dir(path.Dir(p)) == dir {
			list = append(list, Debt{p, at})
		}
	}
	slices.SortFunc(list, func(a, b Debt) int { return a.At.Compare(b.At) })
	return list
}

// Settle forgets a debt, but not a later one on the same document.
func (b *Book) Settle(d Debt) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.write(line{kind: kindSettled, at: d.At, path: d.Path})
}

// takeOwed takes in a line about a debt.
func (b *Book) takeOwed(l line) {
	at, ok := b.owed[l.path]
	switch {
	case l.kind == kindOwed && (!ok || l.at.After(at)):
		b.owed[l.path] = l.at
	case l.kind == kindSettled && ok && !at.After(l.at):
		delete(b.owed, l.path)
	}
}
