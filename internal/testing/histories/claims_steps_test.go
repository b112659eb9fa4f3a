//go:build unix

package histories

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"handoff/internal/testing/waittest"
)

// outcome is a word for what came of a request.
func outcome(r answer) string {
	switch {
	case r.Cut:
		return "cut"
	case r.OK && len(r.Queued) > 0:
		return "queued"
	case r.OK:
		return ""
	case r.Away():
		return "away"
	}
	return "refused"
}

func (f *fleet) name() string { f.names++; return fmt.Sprint("agent", f.names) }

func (f *fleet) claim(i int, w *work) {
	a := ask{what: "claim", path: w.path, task: w.task, as: f.name(), ttl: []int{1, 60, 3600}[f.rand.IntN(3)], force: f.rand.IntN(4) == 0}
	r := f.do(i, a)
	end := time.Now()
	f.note(i, "claim", w, outcome(r), r.Claim)
	switch {
	case r.OK:
		if wrong := w.claimed(i, r, a.force, end); wrong != "" {
			f.wrong("%s: %s", w.path, wrong)
		}
	case r.Away():
		w.unsure = true
	}
	f.settle(i, w, r)
}

func (f *fleet) next(i int) {
	r := f.do(i, ask{what: "next", as: f.name(), ttl: 60})
	end := time.Now()
	w := f.works[r.Path]
	if w == nil {
		w = newWork(r.Path, 0, i)
	}
	f.note(i, "next", w, outcome(r), r.Claim)
	switch {
	case r.OK && r.Path != "" && r.Path != firstOf(4):
		f.works[r.Path] = w
		if wrong := w.claimed(i, r, false, end); wrong != "" {
			f.wrong("%s: %s", w.path, wrong)
		}
	case r.Cut || r.Away(): // it may have claimed any
		for _, w := range f.works {
			w.unsure = true
		}
	}
}

// holds is a step with some claim that was made on this machine.
func (f *fleet) holds(i int, w *work, what string) {
	var of []made
	for _, m := range w.made {
		if m.on == i || f.kind == "files" {
			of = append(of, m)
		}
	}
	if len(of) == 0 {
		return
	}
	claim := of[len(of)-1-f.rand.IntN(min(2, len(of)))].claim
	before := f.documents(i, w)
	r := f.do(i, ask{what: what, path: w.path, task: w.task, claim: claim, ttl: 60})
	f.note(i, what, w, outcome(r), claim)
	if wrong := w.stepped(i, what, claim, r); wrong != "" {
		f.wrong("%s: %s: %s", w.path, wrong, r.Text)
	}
	after := f.documents(i, w)
	if what == "write" && !r.OK && !r.Cut && after != before {
		f.wrong("%s: refused, and a document is written: %s", w.path, r.Text)
	}
	if what == "write" && r.OK && r.Path != "" {
		f.works[r.Path] = newWork(r.Path, w.task, i)
	}
	f.settle(i, w, r)
}

// documents is how many handoffs a task has on a machine.
func (f *fleet) documents(i int, w *work) int {
	all, _ := os.ReadDir(filepath.Join(f.machines[i].shell.dir, filepath.FromSlash(filepath.Dir(w.path))))
	return len(all)
}

// lag is how old a read over HTTP may be: a server that runs longer syncs every second, or
// after 20 times as long as that takes.
const lag = 10 * time.Second

func (f *fleet) read(i int, w *work) {
	begin, over := time.Now(), f.did["over HTTP"]
	r := f.do(i, ask{what: "read", path: w.path})
	f.note(i, "read", w, outcome(r))
	if !r.OK || r.Stale || r.Header {
		f.did["read stale"]++
		return
	}
	if f.did["over HTTP"] > over && f.kind != "files" {
		begin = begin.Add(-lag)
	}
	if a, missing := w.missing(r.Steps, begin); missing {
		f.wrong("%s: a read does not have %s by %s of %v before, and does not say so", w.path, a.step, a.claim, time.Since(a.at))
	}
	f.check(w, r.Steps)
}

// check compares steps with the rules.
func (f *fleet) check(w *work, steps []step) {
	var h replayed
	for n, s := range steps {
		if wrong := h.add(s); wrong != "" {
			f.wrong("%s: step %d: %s: %+v", w.path, n, wrong, steps)
		}
	}
}

// settle finds out what came of a request whose program was killed.
func (f *fleet) settle(i int, w *work, r answer) {
	if !r.Cut && !w.unsure {
		return
	}
	m := f.machines[i]
	if m.away {
		return
	}
	m.shell.run(program + " store drain")
	if r := m.command(ask{what: "read", path: w.path}); r.OK && !r.Stale && len(r.Queued) == 0 {
		f.check(w, r.Steps)
		w.learn(r.Steps)
	}
}

// pause stops a server with a claim for longer than the lease, in the middle of a step.
// Meanwhile another machine claims.
func (f *fleet) pause(i int, w *work) {
	m, other := f.machines[i], (i+1)%len(f.machines)
	held := m.overHTTP(ask{what: "claim", path: w.path, as: f.name(), ttl: 1})
	f.note(i, "claim to pause", w, outcome(held), held.Claim)
	if !held.OK {
		w.unsure = w.unsure || held.Away()
		return
	}
	if wrong := w.claimed(i, held, false, time.Now()); wrong != "" {
		f.wrong("%s: %s", w.path, wrong)
	}
	what, resumed := []string{"renew", "done", "release"}[f.rand.IntN(3)], make(chan answer, 1)
	go func() {
		resumed <- m.overHTTP(ask{what: what, path: w.path, claim: held.Claim, ttl: 60, stop: 1500 * time.Millisecond})
	}()
	time.Sleep(1100 * time.Millisecond)
	taken := f.machines[other].command(ask{what: "claim", path: w.path, as: f.name(), ttl: 60})
	r := <-resumed
	f.note(i, "paused "+what, w, outcome(r))
	f.note(other, "claim meanwhile", w, outcome(taken), taken.Claim)
	if r.OK && len(r.Queued) == 0 {
		w.record(map[string]string{"renew": "renewed", "release": "released", "done": "done"}[what], held.Claim)
	} else if r.OK {
		w.given[held.Claim] = true
	}
	if taken.OK {
		w.made = append(w.made, made{taken.Claim, other})
		w.record("claimed", taken.Claim)
	}
	w.unsure = true
	f.settle(i, w, r)
}

// end sends what waits, and compares what is recorded with what was acknowledged.
func (f *fleet) end() {
	for _, m := range f.machines {
		f.line(m, false)
		waittest.Until(f.t, "an empty outbox", func() bool {
			m.shell.run(program + " store drain")
			return len(m.waits()) == 0
		})
	}
	for _, w := range f.works {
		m := f.machines[max(w.on, 0)]
		var r answer
		waittest.Until(f.t, "an answer of the store", func() bool { // which is not asked for a while after an outage
			r = m.command(ask{what: "read", path: w.path})
			return r.OK && !r.Stale
		})
		f.check(w, r.Steps)
		if a, missing := w.missing(r.Steps, time.Now()); missing {
			f.wrong("%s: %s by %s was acknowledged and is not recorded", w.path, a.step, a.claim)
		}
	}
}

// waits are the requests in the outbox of a machine.
func (m *machine) waits() (requests []string) {
	all, _ := filepath.Glob(filepath.Join(m.shell.dir, ".git", "handoff", "outbox", "*.json"))
	for _, path := range all {
		if filepath.Base(path) != "silent.json" {
			requests = append(requests, path)
		}
	}
	return requests
}
