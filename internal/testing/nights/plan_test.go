//go:build linux

package nights

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// mishap is what goes wrong with an agent before it does a step.
type mishap string

// The mishaps. Those of a night are one of each kind.
const (
	limitFar    mishap = "limit-far"     // of hours: the other vendor continues
	limitSoon   mishap = "limit-soon"    // of seconds: it is waited for
	overloaded  mishap = "overloaded"    // the provider answers 529: it is tried again
	serverError mishap = "server-error"  // 500
	cutStream   mishap = "cut-stream"    // the answer breaks off
	hang        mishap = "hang"          // nothing happens any more, until it is interrupted
	deaf        mishap = "deaf"          // the same, and it ignores the interruption
	crash       mishap = "crash"         // killed
	crashInTool mishap = "crash-in-tool" // killed, while a command runs in a session of its own
	exits       mishap = "exits"         // ends with a status and no word
	bad         mishap = "bad"           // a handoff with errors, which it corrects
	worse       mishap = "worse"         // one that it does not correct
	lie         mishap = "lie"           // says that the work is done, once
	liar        mishap = "liar"          // says so each time that it is asked
	lieUnkept   mishap = "lie-committed" // says so of work that is not committed
	question    mishap = "question"      // needs a person
	low         mishap = "low"           // no mishap: its context runs low, and it writes a handoff
	handover    mishap = "handover"      // no mishap: it writes a handoff by itself
)

// kinds are the kinds of mishaps, each with its forms.
var kinds = [][]mishap{{limitFar, limitSoon}, {hang, deaf}, {crash, crashInTool, exits}, {bad, worse}, {lie, liar, lieUnkept}, {question}, {overloaded, serverError, cutStream}}

// missed are the mishaps after which the next agent gets a draft. Two in a row end a relay, as they
// should: a good handoff is between two of them.
var missed = []mishap{crash, crashInTool, exits, worse, liar}

// plan is a night.
type plan struct {
	Seed    uint64         `json:"seed"`
	Steps   int            `json:"steps"`
	Mishaps map[int]mishap `json:"mishaps"` // before a step
	Commits []int          `json:"commits"` // steps after which the agent commits
	Wipe    int            `json:"wipe"`    // the link, from 2, whose agent begins with a tree that somebody has reset; 0 for none
	Away    bool           `json:"away"`    // commands run in a session of their own
	First   string         `json:"first"`   // vendor
	ACP     bool           `json:"acp"`     // the agents are spoken to over the Agent Client Protocol
	Kills   []kill         `json:"kills"`
}

// kill ends the relay.
type kill struct {
	After  int  `json:"after"`  // milliseconds
	Signal bool `json:"signal"` // SIGTERM, which it may pass on, instead of SIGKILL
}

// planOf is the plan of a seed. A quick one waits for no reset, for no provider, and for no agent that is deaf.
func planOf(seed uint64, quick bool) plan {
	r := rand.New(rand.NewPCG(seed, 35))
	p := plan{Seed: seed, Mishaps: map[int]mishap{}, Away: r.IntN(2) == 0, First: vendors[r.IntN(2)]}
	var order []mishap
	for _, i := range r.Perm(len(kinds)) {
		m := kinds[i][r.IntN(len(kinds[i]))]
		if quick && kinds[i][0] == overloaded {
			continue
		}
		if quick && (m == limitSoon || m == deaf) {
			m = kinds[i][0]
		}
		if slices.Contains(missed, m) && slices.ContainsFunc(order, func(o mishap) bool { return slices.Contains(missed, o) }) {
			order = append(order, []mishap{low, handover}[r.IntN(2)])
		}
		order = append(order, m)
	}
	if i := slices.Index(order, lieUnkept); i >= 0 { // it does all that is left
		order = append(slices.Delete(order, i, i+1), lieUnkept)
	}
	step := 1
	for _, m := range order {
		step += 1 + r.IntN(2) // at least one step is done in between
		p.Mishaps[step] = m
	}
	p.Steps = step + 1 + r.IntN(2)
	for step := range p.Steps {
		if r.IntN(3) == 0 {
			p.Commits = append(p.Commits, step+1)
		}
	}
	if r.IntN(2) == 0 {
		p.Wipe = 2 + r.IntN(4)
	}
	p.ACP = r.IntN(3) == 0
	for range r.IntN(5) {
		p.Kills = append(p.Kills, kill{50 + r.IntN(5000), r.IntN(4) == 0})
	}
	return p
}

// save writes the plan for the agents.
func (p plan) save(t testing.TB, dir string) {
	t.Helper()
	src, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "plan.json"), string(src))
}

func readPlan(dir string) (p plan) {
	src, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err == nil {
		err = json.Unmarshal(src, &p)
	}
	if err != nil {
		panic(err)
	}
	return p
}

// String is the plan for people.
func (p plan) String() string {
	text := fmt.Sprintf("%d steps, %s first, over ACP: %t, commits after %v, reset before link %d, own sessions: %t, kills %v\n", p.Steps, p.First, p.ACP, p.Commits, p.Wipe, p.Away, p.Kills)
	for step := range p.Steps {
		if m, ok := p.Mishaps[step+1]; ok {
			text += fmt.Sprintf("  before step %d: %s\n", step+1, m)
		}
	}
	return text
}
