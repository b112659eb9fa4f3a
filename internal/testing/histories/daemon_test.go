//go:build unix

package histories

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"
)

// steps are what may happen next, with how often it does.
var steps = []struct {
	name   string
	weight int
	rest   bool // it begins when all is at rest
	do     func(*history)
}{
	{"begin", 6, false, begin},
	{"hand off", 14, false, handOff},
	{"hand off and commit", 6, false, handOffAndCommit},
	{"progress", 3, false, progress},
	{"finish", 4, false, finish},
	{"lead", 8, true, lead},
	{"lead beside", 4, false, leadBeside},
	{"edit", 5, false, edit},
	{"remove", 1, true, remove},
	{"move", 3, true, move},
	{"burst", 1, false, burst},
	{"code", 2, false, code},
	{"commit", 6, false, commit},
	{"pre-commit", 2, false, preCommitDocuments},
	{"pre-commit of code", 2, false, preCommitCode},
	{"checkout", 8, false, checkout},
	{"merge", 4, false, merge},
	{"pick", 3, false, pick},
	{"rebase", 3, false, rebase},
	{"hand off during a rebase", 2, false, handOffInRebase},
	{"stash", 4, false, stash},
	{"reset", 3, false, reset},
	{"clean", 2, false, clean},
	{"bisect", 1, false, bisect},
	{"housekeeping", 1, false, housekeeping},
	{"pull", 5, false, pull},
	{"hold the index", 3, true, holdIndex},
	{"kill", 5, false, kill},
	{"down", 4, false, down},
	{"stop", 3, false, stop},
	{"second pass", 2, false, secondPass},
	{"sync", 4, false, syncBeside},
}

// kill kills the watch, perhaps just after an agent wrote, and starts it again.
func kill(h *history) {
	if h.r.IntN(2) == 0 {
		h.n++
		handOff(h)
	}
	if h.r.IntN(3) > 0 {
		h.nap(0, 260)
	}
	h.note("kill -9 of the watch")
	h.watch.kill()
	h.interrupted, h.stopped = true, false
	h.nap(0, 300)
	h.awake()
}

// down leaves the watch down until the next step that needs it.
func down(h *history) {
	h.note("kill -9 of the watch: it stays down")
	h.watch.kill()
	h.interrupted, h.stopped = true, false
}

// stop stops the watch, as a machine under load or asleep does.
func stop(h *history) {
	if h.watch.runs() && !h.stopped {
		h.note("SIGSTOP")
		h.watch.signal(sigstop)
		h.stopped, h.interrupted = true, true
	}
}

func secondPass(h *history) {
	if h.watch.runs() {
		for limit := time.Now().Add(quietLimit); !h.stopped && !h.watch.answers() && time.Now().Before(limit); {
			time.Sleep(20 * time.Millisecond) // before it heeds the signal, it would end
		}
		h.note("SIGHUP")
		h.watch.signal(sighup)
	}
}

// syncBeside runs `handoff sync` beside everything else.
func syncBeside(h *history) {
	if h.stopped {
		h.awake() // a stopped process may have a lock
	}
	h.note("handoff sync")
	out, ok := h.real.run(program + " sync")
	if !ok {
		h.note("  failed: %s", lastLine(out))
	}
}

// handOffAndCommit has an agent commit a moment after it wrote its handoff. No temporary
// file may be in the commit, and git must not fail.
func handOffAndCommit(h *history) {
	dir, t := h.pick()
	at := h.moment(t)
	document := path.Join(dir, documentName(t.phase, at))
	h.note("an agent hands off phase %d of %s and commits", t.phase, dir)
	text := strings.Join(sections(t.phase, at, h.n), "")
	write(h.t, h.full(document), text)
	h.model.wroteDocument(dir, document, text)
	h.nap(0, 50)
	out, ok := h.real.run("git add -A && git commit -q --allow-empty -m handoff")
	if !ok {
		h.fail("git add and commit beside the watch: %s", out)
	}
	h.committed = true
	h.noTemporaryFiles()
}

func (h *history) noTemporaryFiles() {
	if found := h.real.look("git ls-tree -r --name-only HEAD | grep -E 'handoff-(tmp|swap|held|saved)'"); found != "" {
		h.fail("the commit has temporary files of handoff: %s", found)
	}
}

// holdIndex has another program hold git's index while an agent hands off: nothing is
// written before it is released.
func holdIndex(h *history) {
	lock := h.full(".git/index.lock")
	write(h.t, lock, "")
	h.note("git's index is locked")
	dir, t := h.pick()
	at := h.moment(t)
	document, p := path.Join(dir, documentName(t.phase, at)), path.Join(dir, metadataName)
	before, existed := read(h.full(p))
	text := strings.Join(sections(t.phase, at, h.n), "")
	write(h.t, h.full(document), text)
	h.note("write %s", document)
	h.nap(200, 700)
	if now, exists := read(h.full(p)); now != before || exists != existed {
		h.fail("%s was written while git's index was locked", p)
	}
	os.Remove(lock)
	h.note("git's index is released")
	h.model.wroteDocument(dir, document, text)
}

// handOffInRebase has an agent hand off in a new task while a rebase runs. The metadata is
// written when the rebase is over.
func handOffInRebase(h *history) {
	b := h.branch()
	if b == "" {
		return
	}
	h.inGit("git add -A && git commit -q --allow-empty -m before")
	h.n++
	dir := fmt.Sprintf("specs/%d_rebase", 700+h.n)
	now := time.Now()
	document, p := path.Join(dir, documentName(1, now)), path.Join(dir, metadataName)
	text := strings.Join(sections(1, now, h.n), "")
	wait := time.Duration(h.r.IntN(300)) * time.Millisecond
	h.during = func() (finish func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			time.Sleep(wait)
			write(h.t, h.full(document), text)
			h.notInRebase(p)
		}()
		return func() {
			<-done
			h.model.wroteDocument(dir, document, text)
		}
	}
	h.note("an agent hands off in %s while a rebase runs", dir)
	h.inGit("git rebase -q -x 'sleep 0.2' " + b + " || git rebase --abort")
}

// notInRebase checks that a file is not written before a rebase is over.
func (h *history) notInRebase(p string) {
	runs := func() bool {
		_, err := os.Stat(h.full(".git/rebase-merge"))
		return err == nil
	}
	for runs() {
		if _, early := read(h.full(p)); early && runs() {
			h.t.Errorf("%s was written while a rebase ran", p)
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}
