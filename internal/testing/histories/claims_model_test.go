//go:build unix

package histories

import (
	"fmt"
	"strings"
	"time"
)

// work is what the model knows of a handoff: what was acknowledged, and nothing else.
type work struct {
	path     string
	task     int
	on       int // the machine that has the document; -1 for all
	token    uint64
	claim    string // the latest
	until    time.Time
	over     bool            // it was given back, finished, or superseded
	finished bool            // recorded
	ended    map[int]bool    // machines on which it was finished
	given    map[string]bool // claims that are over as soon as that is sent
	unsure   bool            // a request may have changed it, and nobody knows
	made     []made          // all claims
	acked    []acked
}

type made struct {
	claim string
	on    int
}

// acked is a step that was acknowledged as recorded.
type acked struct {
	step, claim string
	at          time.Time
}

func newWork(path string, task, on int) *work {
	return &work{path: path, task: task, on: on, ended: map[int]bool{}, given: map[string]bool{}}
}

// bare reports whether it is work without a document.
func (w *work) bare() bool { return w.task == 0 && strings.Contains(w.path, ":") }

// held reports whether somebody holds it beyond doubt at a time.
func (w *work) held(at time.Time) bool {
	return w.claim != "" && !w.over && !w.unsure && !w.given[w.claim] && at.Before(w.until)
}

// record notes a step.
func (w *work) record(what, claim string) { w.acked = append(w.acked, acked{what, claim, time.Now()}) }

// claimed checks a claim that machine i was given, and learns it.
func (w *work) claimed(i int, r answer, forced bool, end time.Time) (wrong string) {
	if r.Claim == w.claim && r.Token == w.token { // a claim by its holder
		w.until, w.over = r.Until, w.over || w.finished
		if w.over {
			wrong = "a claim that is over is given again"
		}
		return wrong
	}
	switch {
	case r.Token <= w.token:
		wrong = fmt.Sprintf("token %d after %d", r.Token, w.token)
	case !forced && w.held(end):
		wrong = fmt.Sprintf("two holders: also %s, until %v", w.claim, w.until)
	case !forced && !w.unsure && (w.finished || w.ended[i]):
		wrong = "it was finished, and is claimed again"
	}
	w.token, w.claim, w.until = r.Token, r.Claim, r.Until
	w.over, w.finished, w.unsure, w.ended = false, false, false, map[int]bool{}
	w.made = append(w.made, made{r.Claim, i})
	w.record("claimed", r.Claim)
	return wrong
}

// stepped checks what came of a step of the holder of a claim on machine i, and learns it.
func (w *work) stepped(i int, what, claim string, r answer) (wrong string) {
	stale, valid := claim != w.claim, claim == w.claim && !w.over && !w.unsure && !w.given[claim]
	switch {
	case what == "write" && !r.OK && strings.Contains(r.Text, "held"): // another document of the task
		return ""
	case !r.OK && valid && !r.Away():
		return "a valid claim is refused"
	case !r.OK:
		w.unsure = w.unsure || r.Away() && (what == "write" || r.Cut)
		return ""
	case stale && len(r.Queued) == 0 && !w.unsure:
		return "a stale claim is not refused"
	case len(r.Queued) > 0:
		w.given[claim] = w.given[claim] || what != "renew"
		w.ended[i] = w.ended[i] || !stale && what == "done"
		return ""
	}
	if w.over || w.unsure { // repeated by its holder: nothing is new
		return ""
	}
	w.record(map[string]string{"renew": "renewed", "release": "released", "done": "done", "write": "superseded"}[what], claim)
	if what == "renew" {
		w.until = r.Until
		return ""
	}
	if w.over = true; what != "release" {
		w.finished = true
	}
	return ""
}

// missing is the first step that was acknowledged before a time and is not among those read.
func (w *work) missing(steps []step, before time.Time) (a acked, missing bool) {
	have := map[string]bool{}
	for _, s := range steps {
		have[s.Step+" "+s.Claim] = true
	}
	for _, a := range w.acked {
		if a.at.Before(before) && !have[a.step+" "+a.claim] {
			return a, true
		}
	}
	return a, false
}

// learn takes over what the receipts say, after a request of which nobody knows what it did.
func (w *work) learn(steps []step) {
	var h replayed
	for _, s := range steps {
		h.add(s)
	}
	if h.token > w.token && h.claim != "" {
		w.ended = map[int]bool{}
	}
	w.token, w.claim, w.until, w.over, w.finished = h.token, h.claim, h.until, h.over, h.finished
	w.unsure = false
}

// replayed is what follows from steps, by the rules alone.
type replayed struct {
	token          uint64
	claim          string
	until          time.Time
	over, finished bool
}

// add checks a step against those before it.
func (h *replayed) add(s step) (wrong string) {
	switch s.Step {
	case "claimed":
		switch {
		case s.Token <= h.token:
			wrong = fmt.Sprintf("token %d after %d", s.Token, h.token)
		case s.Took == "" && s.Why == "" && h.claim != "" && !h.over && s.At.Before(h.until):
			wrong = "two holders"
		case s.Why == "" && h.finished:
			wrong = "claimed after its end"
		}
		*h = replayed{token: s.Token, claim: s.Claim, until: s.Until}
		return wrong
	case "expired":
		h.over = true
		return ""
	case "delivered":
		return ""
	}
	if s.Claim != "" && s.Claim != h.claim {
		return s.Step + " by a stale claim"
	}
	switch s.Step {
	case "renewed":
		h.until = s.Until
	case "released":
		h.over = true
	case "done", "superseded":
		h.over, h.finished = true, true
	}
	return ""
}
