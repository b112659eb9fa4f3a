//go:build unix

package histories

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// history is one random life of a repository.
type history struct {
	t     testing.TB
	seed  uint64
	r     *rand.Rand // of the step that runs
	real  shell
	mate  shell // a team mate's clone, without a watch
	watch *daemon
	model *model
	began time.Time
	lines []string // what happened

	n           int                    // makes texts unique
	branches    int                    // that were created
	interrupted bool                   // the watch was down or stopped since the last check
	stopped     bool                   // by SIGSTOP
	committed   bool                   // an agent committed new documents since the last check
	busy        bool                   // the watch may be busy
	during      func() (finish func()) // begins what happens while git runs, and adds it to the model
	stashes     int
	ignoring    bool // metadata is in .gitignore
	failure     string
}

// number returns the number in an environment variable.
func number(t *testing.T, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%s: want a number", variable, text)
	}
	return n
}

// TestHistories runs several histories at once; most of the time they wait.
// HANDOFF_HISTORIES sets how many there are, HANDOFF_HISTORIES_FROM the first seed.
func TestHistories(t *testing.T) {
	needs.Tool(t, "git")
	n, first := number(t, "HANDOFF_HISTORIES", 2), number(t, "HANDOFF_HISTORIES_FROM", 1)
	if testing.Short() {
		n = min(n, 1)
	}
	seeds := make(chan int)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for seed := range seeds {
				t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { runHistory(t, uint64(seed)) })
			}
		})
	}
	for seed := first; seed < first+n; seed++ {
		seeds <- seed
	}
	close(seeds)
	workers.Wait()
}

// TestHistory repeats the history of HANDOFF_HISTORY_SEED.
func TestHistory(t *testing.T) {
	needs.Tool(t, "git")
	if os.Getenv("HANDOFF_HISTORY_SEED") == "" {
		return // TestHistories runs the first one
	}
	runHistory(t, uint64(number(t, "HANDOFF_HISTORY_SEED", 1)))
}

func runHistory(t *testing.T, seed uint64) {
	h := newHistory(t, seed)
	defer func() {
		if t.Failed() || testing.Verbose() {
			t.Logf("%s\nthe watch printed:\n%s", strings.Join(h.lines, "\n"), h.watch.printed())
		}
		if t.Failed() {
			// What failed once more, at the end: a report keeps the last lines of a long log.
			t.Logf("%s\nHANDOFF_HISTORY_SEED=%d go test ./internal/testing/histories -run 'TestHistory$' -v repeats it", h.failure, seed)
		}
	}()
	for i := range 24 + h.r.IntN(12) {
		// Each step has its own source, so that one that goes another way changes no later one.
		h.r = rand.New(rand.NewPCG(seed, uint64(i)+1))
		h.step()
	}
	h.rest()
	h.law()
	h.repeat()
}

func newHistory(t *testing.T, seed uint64) *history {
	dir := sandbox(t)
	env := environment(filepath.Join(dir, "home"))
	h := &history{t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 0)), began: time.Now(),
		real: shell{filepath.Join(dir, "real"), env}, mate: shell{filepath.Join(dir, "mate"), env},
		model: &model{files: tree{}, tasks: map[string]*task{}}}
	for _, d := range []string{"home", "real"} {
		write(t, filepath.Join(dir, d, "README.md"), "# A project\n")
	}
	h.ignoring = h.r.IntN(4) == 0
	ignore := ".rip/\n"
	if h.ignoring {
		ignore += ".return-meta.json\n"
	}
	write(t, filepath.Join(h.real.dir, ".gitignore"), ignore)
	write(t, filepath.Join(h.real.dir, "src/parse.go"), "package parse\n")
	write(t, filepath.Join(h.real.dir, "specs/README.md"), "# Tasks\n")
	h.real.must(t, "git init -q -b main && git add -A && git commit -qm start && git init -q --bare -b main ../origin.git && git remote add origin ../origin.git && "+
		"git push -q -u origin main && git clone -q ../origin.git ../mate")
	for i := range 3 + h.r.IntN(4) {
		h.model.task(fmt.Sprintf("specs/%d_task", i+1))
	}
	h.model.files = readTree(h.real.dir)
	h.watch = newDaemon(t, h.real, filepath.Join(dir, "watch.log"))
	h.watch.start()
	h.watch.quiet()
	return h
}

// note records what happens.
func (h *history) note(format string, args ...any) {
	h.lines = append(h.lines, fmt.Sprintf("%7.3f  ", time.Since(h.began).Seconds())+fmt.Sprintf(format, args...))
}

// fail ends the history.
func (h *history) fail(format string, args ...any) {
	h.t.Helper()
	h.note("FAILED: "+format, args...)
	h.failure = h.lines[len(h.lines)-1]
	h.t.FailNow() // the caller prints what happened
}

// step runs one step, and often waits a moment or until all is at rest.
func (h *history) step() {
	var may []int
	for i, s := range steps {
		if !h.without(s.name) {
			may = append(may, slices.Repeat([]int{i}, s.weight)...)
		}
	}
	s := steps[may[h.r.IntN(len(may))]]
	if s.rest {
		h.rest()
	}
	s.do(h)
	switch h.r.IntN(5) {
	case 0:
		h.rest()
		if h.r.IntN(3) == 0 {
			h.law()
			h.repeat()
		}
	case 1, 2:
		time.Sleep(time.Duration(h.r.IntN(150)) * time.Millisecond)
	}
}

// without reports whether HANDOFF_HISTORY_WITHOUT, which separates them by commas, names a
// step that histories do without.
func (h *history) without(step string) bool {
	return slices.Contains(strings.Split(os.Getenv("HANDOFF_HISTORY_WITHOUT"), ","), step)
}

// patience is how long a tree may differ from the model after the watch is quiet: a
// busy machine delays events.
const patience = 8 * time.Second

// rest waits until the watch is quiet, and compares the tree with the model.
func (h *history) rest() {
	h.t.Helper()
	h.awake()
	h.watch.quiet()
	if h.interrupted {
		h.forgive()
	}
	var now tree
	var problems []string
	for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		now = readTree(h.real.dir)
		if problems = h.model.problems(h.real.dir, now, h.real.gitState()); len(problems) == 0 || time.Now().After(end) {
			break
		}
	}
	if n := len(problems); n > 5 {
		problems = append(problems[:5], fmt.Sprintf("and %d more", n-5))
	}
	if len(problems) > 0 {
		h.fail("at rest:\n  * %s", strings.Join(problems, "\n  * "))
	}
	h.model.adopt(now)
	h.interrupted, h.committed = false, false
	h.note("at rest")
}

// forgive allows either result where nobody could know better: the watch was down while
// an agent wrote metadata without a time and a document, or wrote and committed one.
func (h *history) forgive() {
	for dir, t := range h.model.tasks {
		waits := slices.ContainsFunc(t.allowed, func(f fields) bool { return f.stage == presented })
		if t.touched && waits && (t.untimed || h.committed) {
			h.note("%s may be either", dir)
			t.loosen()
		}
	}
}

// awake has the watch running.
func (h *history) awake() {
	if h.stopped {
		h.note("SIGCONT")
		h.watch.signal(sigcont)
		h.stopped = false
	}
	if !h.watch.runs() {
		h.note("watch starts")
		h.watch.start()
	}
}

// repeat runs `handoff sync` and a second pass of the watch at rest: they change nothing.
func (h *history) repeat() {
	before := readTree(h.real.dir)
	out, ok := h.real.run(program + " sync")
	if changed := before.differences(readTree(h.real.dir)); len(changed) > 0 {
		h.fail("sync at rest changed %v:\n%s", changed, out)
	}
	h.note("sync at rest changes nothing (success: %v)", ok)
}

// law checks that a clean clone stays clean: the tree, committed and cloned, is not
// changed by `handoff sync`.
func (h *history) law() {
	dir := filepath.Join(filepath.Dir(h.real.dir), "law")
	s := shell{filepath.Dir(h.real.dir), h.real.env}
	s.must(h.t, "rm -rf law copy && mkdir copy && tar -C real --exclude=./.handoff --exclude=./.rip -cf - . | tar -C copy -xf - && cd copy && git add -A -f && git commit -q --allow-empty -m all && cd .. && git clone -q copy law")
	clone := shell{dir, h.real.env}
	before := readTree(dir)
	out, _ := clone.run(program + " sync")
	now := readTree(dir)
	for _, p := range before.differences(now) {
		h.fail("sync changes a clean clone of the tree: %s: %s\n%s", p, change(before[p], before[p] != "", now[p], now[p] != ""), out)
	}
	h.note("a clean clone stays clean")
}
