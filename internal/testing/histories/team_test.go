//go:build unix

package histories

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// moment returns the time for something that is written: no two have the same second.
func (b *team) moment() time.Time {
	for time.Now().Unix() <= b.last {
		time.Sleep(20 * time.Millisecond)
	}
	now := time.Now()
	b.last = now.Unix()
	b.n++
	return now
}

func (b *team) full(p string) string { return filepath.Join(b.at.dir, filepath.FromSlash(p)) }

// absolute is the file that a handoff_path names.
func (b *team) absolute(p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return b.full(p)
}

// nap waits a random time of some milliseconds.
func (b *team) nap(from, to int) {
	time.Sleep(time.Duration(from+b.r.IntN(to-from+1)) * time.Millisecond)
}

// metadata writes the metadata of the task.
func (b *team) metadata(o object) { b.metadataIn(b.dir, o) }

func (b *team) metadataIn(dir string, o object) {
	text := o.text(b.r)
	f, _ := fieldsOf(text, true)
	b.say("an agent writes metadata: %s", f)
	write(b.t, b.full(path.Join(dir, metadataName)), text)
}

// begins writes in_progress for a phase: the successor that the lead started works now.
func (b *team) begins(phase int) { b.beginsAt(phase, b.moment()) }

func (b *team) beginsAt(phase int, at time.Time) {
	b.n++
	o := working(b.r, b.n, phase, at)
	b.metadata(o)
	b.takes()
}

// takes notes that the handoffs of the task that the lead started successors with are taken up.
func (b *team) takes() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.started {
		if strings.HasPrefix(b.absolute(p), b.full(b.dir)+"/") {
			b.taken[p] = true
		}
	}
}

// document writes a handoff of a phase at once and returns its path.
func (b *team) document(phase int) string {
	at := b.moment()
	return b.documentAt(phase, at, document(phase, at, b.n))
}

func (b *team) documentAt(phase int, at time.Time, text string) string {
	p := path.Join(b.dir, documentName(phase, at))
	b.say("an agent writes %s", p)
	b.mu.Lock() // the lead sees none of it or all: its agent may have named it before
	defer b.mu.Unlock()
	write(b.t, b.full(p), text)
	return p
}

// chunks appends the parts of a document, with a pause after each.
func (b *team) chunks(phase int, at time.Time, parts []string, pause func(i int)) string {
	p, written := path.Join(b.dir, documentName(phase, at)), ""
	for i, part := range parts {
		written += part
		b.say("an agent appends part %d of %d to %s", i+1, len(parts), p)
		write(b.t, b.full(p), written)
		pause(i)
	}
	return p
}

// handsOff writes a handoff and then the metadata for it.
func (b *team) handsOff(phase int) string {
	p := b.document(phase)
	b.nap(0, 300)
	b.metadata(handingOff(b.r, b.n, phase, p))
	return p
}

// started waits for the lead to start a successor with one of some handoffs, and returns
// which.
func (b *team) startedWith(handoffs ...string) string {
	select {
	case got := <-b.starts:
		if !slices.ContainsFunc(handoffs, func(p string) bool { return got == p || got == b.full(p) }) {
			b.mu.Lock()
			b.err("the lead started %s instead of %s", got, strings.Join(handoffs, " or "))
			b.mu.Unlock()
		}
		b.nap(50, 300)
		return got
	case <-time.After(leadWaits):
		b.mu.Lock()
		b.err("the lead misses %s", strings.Join(handoffs, " or "))
		b.mu.Unlock()
		return ""
	}
}

// completes ends the work.
func (b *team) completes() {
	b.moment()
	b.mu.Lock()
	b.over = true
	b.mu.Unlock()
	b.takes()
	b.metadata(finished(b.r, b.n, "completed"))
}

// works is the life of a task with one handoff, up to its end. It returns the handoff.
func (b *team) works() string {
	b.begins(1)
	p := b.handsOff(1)
	b.startedWith(p)
	b.begins(2)
	b.nap(100, 400)
	b.completes()
	return p
}

// processed has the lead delete the metadata of finished work.
func (b *team) processed() {
	b.nap(400, 900)
	b.say("the lead deletes the metadata")
	os.Remove(b.full(path.Join(b.dir, metadataName)))
	b.nap(400, 900)
}

// typo edits a document.
func (b *team) typo(p string) {
	text, _ := read(b.full(p))
	b.say("somebody edits %s", p)
	write(b.t, b.full(p), strings.Replace(text, "may be nested", "can be nested", 1))
}

// shell runs a command in the tree.
func (b *team) shell(script string) string {
	out, ok := b.at.run(script)
	b.say("%s (success: %v)", script, ok)
	return out
}
