//go:build unix

package histories

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// leadWaits is how long a lead may take to notice a handoff that waits. It is reached only
// by a lead that misses one.
const leadWaits = 15 * time.Second

// TestLead has a lead that reads nothing but files run teams of agents that behave in
// different ways. It must not miss a handoff, start one twice, or start finished work.
// HANDOFF_LEAD_SEEDS sets how often; HANDOFF_LEAD_BEHAVIOUR names the only behaviour to try.
func TestLead(t *testing.T) {
	t.Parallel() // beside TestClaims: both wait most of the time
	needs.Tool(t, "git")
	seeds := number(t, "HANDOFF_LEAD_SEEDS", 1)
	first := number(t, "HANDOFF_LEAD_FROM", 1)
	for seed := first; seed < first+seeds; seed++ {
		var both sync.WaitGroup
		for _, poll := range []time.Duration{50 * time.Millisecond, time.Second} {
			both.Go(func() {
				t.Run(fmt.Sprintf("seed=%d/poll=%v", seed, poll), func(t *testing.T) { runLead(t, uint64(seed), poll) })
			})
		}
		both.Wait()
	}
}

// lead runs teams: it polls their metadata.
type leader struct {
	at    shell
	poll  time.Duration
	teams map[string]*team // by the number of their task
	began time.Time
}

// team is one task, with agents that behave in one way.
type team struct {
	*leader
	t      testing.TB
	name   string
	number int
	dir    string
	r      *rand.Rand
	starts chan string // handoff_path of each successor that the lead starts

	mu      sync.Mutex
	lines   []string
	wrong   []string
	seen    map[string]string // what the lead read last, by path
	started []string          // handoff_path of each, as written
	taken   map[string]bool   // those of started whose successors began to work
	over    bool              // the work is finished
	n       int
	last    int64
}

func runLead(t *testing.T, seed uint64, poll time.Duration) {
	dir := sandbox(t)
	at := shell{filepath.Join(dir, "real"), environment(filepath.Join(dir, "home"))}
	l := &leader{at: at, poll: poll, teams: map[string]*team{}, began: time.Now()}
	write(t, filepath.Join(dir, "home/README.md"), "home\n")
	write(t, filepath.Join(at.dir, "README.md"), "# A project\n")
	write(t, filepath.Join(at.dir, "specs/README.md"), "# Tasks\n")
	write(t, filepath.Join(at.dir, ".gitignore"), ".rip/\n")
	at.must(t, "git init -q -b main && git add -A && git commit -qm start")
	watch := newDaemon(t, at, filepath.Join(dir, "watch.log"))
	watch.start()
	watch.quiet()
	l.run(t, seed)
	for _, name := range behaviourNames() {
		if b := l.team(name); b != nil {
			t.Run(name, func(t *testing.T) { b.report(t, seed, watch) })
		}
	}
}

// behaviourNames are the behaviours to try.
func behaviourNames() (names []string) {
	for _, b := range behaviours {
		if only := os.Getenv("HANDOFF_LEAD_BEHAVIOUR"); only == "" || only == b.name {
			names = append(names, b.name)
		}
	}
	return names
}

func (l *leader) team(name string) *team {
	for _, b := range l.teams {
		if b.name == name {
			return b
		}
	}
	return nil
}

// run has all teams work at once, in one tree, and the lead read what they write.
func (l *leader) run(t testing.TB, seed uint64) {
	var work sync.WaitGroup
	for i, b := range behaviours {
		if !slices.Contains(behaviourNames(), b.name) {
			continue
		}
		n := i + 1
		one := &team{leader: l, t: t, name: b.name, number: n, dir: fmt.Sprintf("specs/%d_%s", n, b.name), r: rand.New(rand.NewPCG(seed, uint64(n))),
			starts: make(chan string, 100), seen: map[string]string{}, taken: map[string]bool{}}
		l.teams[fmt.Sprint(n)], l.teams[fmt.Sprint(n+100)] = one, one
		work.Go(func() {
			time.Sleep(time.Duration(one.r.IntN(1500)) * time.Millisecond)
			b.do(one)
			one.say("the agents are done")
			time.Sleep(2*time.Second + l.poll)
		})
	}
	ended, polled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(polled)
		for {
			select {
			case <-ended:
				return
			case <-time.After(l.poll):
				l.look()
			}
		}
	}()
	committed := make(chan struct{})
	go func() {
		defer close(committed)
		l.commit(t, seed, ended)
	}()
	work.Wait()
	close(ended)
	<-polled
	<-committed
}

// commit has somebody commit everything again and again, with every second seed.
func (l *leader) commit(t testing.TB, seed uint64, ended chan struct{}) {
	for seed%2 == 0 {
		select {
		case <-ended:
			return
		case <-time.After(500 * time.Millisecond):
		}
		if out, ok := l.at.run("git add -A && git commit -q --allow-empty -m all"); !ok && !strings.Contains(out, "specs/") {
			t.Errorf("git add and commit: %s", out)
		}
	}
}

// look reads all metadata once, as a lead does.
func (l *leader) look() {
	files, _ := filepath.Glob(filepath.Join(l.at.dir, "specs", "*", metadataName))
	for _, p := range files {
		dir := filepath.Base(filepath.Dir(p))
		number, _, _ := strings.Cut(dir, "_")
		if b := l.teams[number]; b != nil {
			b.look(path.Join("specs", dir))
		}
	}
}

// look acts on the metadata of a team.
func (b *team) look(dir string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// Under the lock: what was read before a successor began says nothing after it.
	text, exists := read(filepath.Join(b.at.dir, dir, metadataName))
	f, err := fieldsOf(text, exists)
	if err != nil || f.missing {
		return
	}
	if now := f.String(); b.seen[dir] != now {
		b.seen[dir] = now
		b.note("    the lead reads in %s: %s", dir, now)
	}
	if f.status == "partial" && f.path != "" {
		b.waits(f.path)
	}
}

// waits starts a successor for a handoff that metadata presents.
func (b *team) waits(handoff string) {
	text, exists := read(b.absolute(handoff))
	if !exists {
		return // a lead can do nothing with it; if no other comes, its team misses a start
	}
	switch known := slices.Contains(b.started, handoff); {
	case b.over:
		b.err("the lead starts finished work with %s", handoff)
	case b.taken[handoff]:
		b.err("the lead starts %s again", handoff)
	case known: // it has a successor that did not begin yet
	case slices.ContainsFunc(b.started, func(s string) bool { return b.absolute(s) == b.absolute(handoff) }):
		b.err("the lead starts the same handoff by another name: %s", handoff)
	case !strings.Contains(text, "\n## References (read only if stuck)\n- "):
		b.err("the lead starts %s, which is not complete", handoff)
	case strings.Contains(text, "{Single specific step"):
		b.err("the lead starts %s, which has only placeholders", handoff)
	default:
		b.note("    the lead starts a successor with %s", handoff)
		b.started = append(b.started, handoff)
		b.starts <- handoff
	}
}

// err records what the lead did wrong, once. The caller has the lock.
func (b *team) err(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(b.wrong, text) {
		b.wrong = append(b.wrong, text)
		b.note("    WRONG: %s", text)
	}
}

func (b *team) note(format string, args ...any) {
	b.lines = append(b.lines, fmt.Sprintf("%7.3f  ", time.Since(b.began).Seconds())+fmt.Sprintf(format, args...))
}

// say is note for agents.
func (b *team) say(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.note(format, args...)
}

// report fails the test of a behaviour if something was wrong.
func (b *team) report(t *testing.T, seed uint64, watch *daemon) {
	for len(b.starts) > 0 {
		b.err("the lead started %s, which does not wait", <-b.starts)
	}
	if len(b.wrong) == 0 {
		t.Logf("%s", strings.Join(b.lines, "\n")) // shown with -v
		return
	}
	var log []string
	for _, line := range watch.lines() {
		if strings.Contains(line, b.dir) || strings.Contains(line, fmt.Sprintf(" %d ", b.number)) || strings.Contains(line, fmt.Sprintf(" %d/", b.number)) {
			log = append(log, line)
		}
	}
	t.Errorf("%s\n%s\nthe watch printed:\n%s\nHANDOFF_LEAD_FROM=%d HANDOFF_LEAD_SEEDS=1 HANDOFF_LEAD_BEHAVIOUR=%s go test ./internal/testing/histories -run TestLead -v repeats it",
		strings.Join(b.wrong, "\n"), strings.Join(b.lines, "\n"), strings.Join(log, "\n"), seed, b.name)
}
