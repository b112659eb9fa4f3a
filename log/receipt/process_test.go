package receipt

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/killtest"
	"handoff/internal/testing/needs"
)

// work is that of one process of this test binary.
type work struct {
	Root  string // of the workspace
	Start time.Time
	Name  string
	Steps int    // how many; 0: until it is killed
	Claim string // claim once, by this name, and nothing else
}

func TestMain(m *testing.M) { killtest.Main[work](m) }

// contested is what all processes work on in their step n: two handoffs, an issue, and paths of
// which two overlap with the third, and every 20 steps others, because each step reads the whole
// life.
func contested(n int) []string {
	round := fmt.Sprint(n / perRound)
	return []string{"specs/1_a/handoffs/" + round + ".md", "specs/2_b/handoffs/" + round + ".md", "issue://" + round,
		"path://src/" + round + "/a/**", "path://src/" + round + "/b", "path://src/" + round + "/{a,b}/x"}
}

const perRound = 20

// rounds are all handoffs that processes have worked on. A process may have gone
// on to the next round before another one came to this.
func rounds(t *testing.T, s *Store) (paths []string) {
	t.Helper()
	for n, last := 0, 0; n-last <= 5*perRound; n += perRound {
		for _, path := range contested(n) {
			if l, err := s.Life(path); err != nil {
				t.Fatal(err)
			} else if len(l.Steps) > 0 {
				paths, last = append(paths, path), n
			}
		}
	}
	return paths
}

// hurried is a clock by which leases end while the test runs, the same in all
// of its processes.
func hurried(start time.Time) time.Time { return noon.Add(1000 * time.Since(start)) }

// Run works on the contested handoffs. It prints each step that was reported to
// it as recorded, and each refusal of a stale claim. A step with a claim that
// it knows to be stale must be refused.
func (w work) Run() error {
	place, err := Locate(w.Root)
	if err != nil {
		return err
	}
	s := Open(place)
	s.Unchecked = true
	if w.Claim != "" {
		_, err := s.Record(context.Background(), doc, claim(w.Claim, true, "because")(Moment{Now: noon}))
		if err == nil {
			fmt.Println("recorded")
		}
		return err
	}
	held := map[string]string{}  // by handoff
	stale := map[string]string{} // likewise
	for n := 0; w.Steps == 0 || n < w.Steps; n++ {
		path := contested(n)[rand.IntN(6)]
		m := Moment{Now: hurried(w.Start)}
		c, isStale := held[path], false
		if old := stale[path]; old != "" && rand.IntN(4) == 0 {
			c, isStale = old, true
		}
		var d Decision
		switch kind := rand.IntN(8); {
		case c == "" || kind == 0 && !isStale:
			r := ClaimRequest{By: w.Name, TTL: time.Minute, ID: func() string { return w.Name + "-" + strconv.Itoa(n) }, Force: kind < 2, Why: "test"}
			d, c = m.Claim(r), ""
		case kind == 1:
			d = m.Release(c, "")
		case kind == 2:
			d = m.Finish("", c)
		case kind < 5:
			d = m.Renew(c, time.Minute)
		default:
			d = m.Acknowledge("", c, n%2 == 0)
		}
		l, err := s.Record(context.Background(), path, d)
		var old *StaleError
		switch {
		case isStale && err == nil && (l.Claim.ID != c || l.state != Released): // else it was released here, and again
			return fmt.Errorf("step %d with the stale claim %s was accepted", n, c)
		case errors.As(err, &old):
			fmt.Println("stale", c)
			stale[path] = c
			if held[path] == c {
				delete(held, path)
			}
			continue
		case errors.Is(err, ErrRefused):
			continue
		case err != nil:
			return err
		}
		if last := l.Last(); last.By == w.Name {
			fmt.Println("recorded", path, last.Seq, last.Kind, last.Claim)
			if last.Kind == StepClaimed {
				held[path] = last.Claim
			}
		}
	}
	return nil
}

// heard is what the processes printed.
type heard struct {
	mu    sync.Mutex
	steps map[string]bool // "recorded PATH SEQ KIND CLAIM"
	stale int
}

func (h *heard) collect(r io.Reader) {
	for sc := bufio.NewScanner(r); sc.Scan(); {
		h.mu.Lock()
		if strings.HasPrefix(sc.Text(), "stale ") {
			h.stale++
		} else if len(strings.Fields(sc.Text())) == 5 { // else the kill cut it off
			h.steps[sc.Text()] = true
		}
		h.mu.Unlock()
	}
}

// enough reports whether so much was heard that claims were taken over, too: on a busy machine
// the processes may be killed before that.
func (h *heard) enough() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.steps) >= 100 && h.stale > 0
}

// check reads the lives, and compares them with what the processes printed.
// It does not use the code that decided.
func (h *heard) check(t *testing.T, s *Store) {
	t.Helper()
	found := map[string]bool{}
	claims, taken := 0, 0
	for _, path := range rounds(t, s) {
		l, err := s.Life(path)
		if err != nil {
			t.Fatal(err)
		}
		holder, token, over := "", uint64(0), time.Time{}
		for i, step := range l.Steps {
			found[fmt.Sprintln("recorded", path, step.Seq, step.Kind, step.Claim)] = true
			switch {
			case step.Kind == StepClaimed:
				claims++
				if _, part := logOf(path); step.Token != token+1 && (part == "" || step.Token <= token) {
					t.Errorf("%s: step %d has token %d after %d", path, i, step.Token, token)
				}
				if holder != "" && step.Took != holder {
					t.Errorf("%s: step %d: a second claim while %s holds it", path, i, holder)
				}
				if step.Took != "" {
					taken++
				}
				holder, token, over = step.Claim, step.Token, step.Until
			case step.Claim != holder && !(holder == "" && step.Token == token):
				t.Errorf("%s: step %d, %s, is of %s while %q holds it", path, i, step.Kind, step.Claim, holder)
			case step.Kind == StepExpired && step.At.Before(over):
				t.Errorf("%s: step %d: expired before its time", path, i)
			case step.Kind == StepRenewed:
				over = step.Until
			case step.Kind == StepReleased || step.Kind == StepExpired || step.Kind == StepDone:
				holder = ""
			}
		}
	}
	h.checkPaths(t, s)
	lost := 0
	for reported := range h.steps {
		if !found[reported+"\n"] {
			lost++
			t.Errorf("lost: %s", reported)
		}
	}
	if claims == 0 || taken == 0 || h.stale == 0 {
		t.Errorf("%d claims, %d taken over, %d stale steps refused: the test saw too little", claims, taken, h.stale)
	}
	t.Logf("%d steps recorded, %d claims, %d taken over by force, %d stale steps refused, %d lost", len(found), claims, taken, h.stale, lost)
}

// checkPaths reads the log of paths line by line. No token comes twice, and no glob is claimed
// while another one that overlaps is held.
func (h *heard) checkPaths(t *testing.T, s *Store) {
	t.Helper()
	src, err := os.ReadFile(s.file(keyOf("path://x")))
	if err != nil {
		t.Fatal(err)
	}
	held, token, displaced := map[string]bool{}, uint64(0), 0
	for line := range strings.Lines(string(src)) {
		var step Step
		if err := json.Unmarshal([]byte(line), &step); err != nil {
			break // torn by a kill
		}
		switch step.Kind {
		case StepClaimed:
			if step.Token != token+1 {
				t.Errorf("paths: token %d after %d", step.Token, token)
			}
			token = step.Token
			for other := range held {
				if other != step.Part && strings.Contains(step.Part+other, "{") && path.Dir(strings.TrimSuffix(other, "/**")) == path.Dir(strings.TrimSuffix(step.Part, "/**")) {
					t.Errorf("paths: %s is claimed by %s while %s is held", step.Part, step.By, other)
				}
			}
			held[step.Part] = true
		case StepReleased, StepExpired, StepDone:
			if delete(held, step.Part); step.Kind == StepReleased && step.Why != "" {
				displaced++
			}
		}
	}
	if displaced == 0 {
		t.Error("no claim of paths displaced another one: the test saw too little")
	}
	t.Logf("%d claims of paths, %d displaced by another glob", token, displaced)
}

// stepsEach is how many steps each process takes: HANDOFF_RECEIPT_STEPS, 10 by
// default.
func stepsEach() int {
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_RECEIPT_STEPS")); err == nil {
		return n
	}
	return 10
}

const crowd = 64

// compete runs the crowd, process i in the workspace i modulo their number.
func compete(t *testing.T, roots []string) {
	t.Helper()
	plain := plainBinary(t)
	h, start := &heard{steps: map[string]bool{}}, time.Now()
	var wg sync.WaitGroup
	for i := range crowd {
		cmd := killtest.Command(t, work{Root: roots[i%len(roots)], Start: start, Name: fmt.Sprint("p", i), Steps: stepsEach()})
		if i%8 != 0 {
			cmd.Path = plain
		}
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			h.collect(out)
			if err := cmd.Wait(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	h.check(t, openStore(t, roots[0]))
}

// TestProcesses has 64 processes claim, acknowledge, renew, release, finish and
// take over three handoffs. There is no double claim, no reported step is lost,
// and every step with a stale claim is refused.
func TestProcesses(t *testing.T) { compete(t, []string{realTemp(t)}) }

// TestProcessesInWorktrees is the same from four worktrees of one repository.
func TestProcessesInWorktrees(t *testing.T) { compete(t, worktrees(t, 4)) }

// TestKilledProcesses kills processes that work on the same handoffs, at any
// moment, in four worktrees. HANDOFF_KILLS is the number of kills, 40 by default.
func TestKilledProcesses(t *testing.T) {
	roots := worktrees(t, 4)
	kills := 40
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_KILLS")); err == nil {
		kills = n
	}
	h, start := &heard{steps: map[string]bool{}}, time.Now()
	killtest.Plan{
		Processes: 8, Kills: kills, Pause: 60 * time.Millisecond,
		Start: func(i int) *exec.Cmd {
			return killtest.Command(t, work{Root: roots[i%len(roots)], Start: start, Name: fmt.Sprint("p", i)})
		},
		Collect: h.collect, Seen: h.enough,
	}.Run(t)
	s := openStore(t, roots[0])
	for _, path := range rounds(t, s) { // the next one finds nothing in its way
		record(t, s, path, claim("last", true, "all others were killed")(Moment{Now: hurried(start)}))
	}
	h.check(t, s)
}

// TestKilledAtEveryWrite kills a claim at each of its system calls that change
// the disk. Afterwards the handoff is either claimed or not, a reported claim
// exists, and the next process can claim it.
func TestKilledAtEveryWrite(t *testing.T) {
	needs.Strace(t)
	const calls = "write,pwrite64,fsync,fdatasync,mkdirat,linkat,renameat,renameat2,unlinkat,ftruncate,openat,flock"
	for _, first := range []bool{true, false} {
		points := 0
		for n := 1; ; n++ {
			root := realTemp(t)
			s := openStore(t, root)
			before := 0
			if !first {
				record(t, s, doc, claim("before", false, "")(Moment{Now: noon}))
				before = 1
			}
			cmd := killtest.Command(t, work{Root: root, Name: "killed", Claim: "killed"})
			cmd.Args = append([]string{"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + calls,
				"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", calls, n), "--"}, cmd.Args...)
			strace, err := exec.LookPath("strace")
			if err != nil {
				t.Fatal(err)
			}
			cmd.Path = strace
			out, err := cmd.Output()
			l, readErr := s.Life(doc)
			if readErr != nil {
				t.Fatalf("killed at call %d: %v", n, readErr)
			}
			reported := strings.Contains(string(out), "recorded")
			if got := len(l.Steps) - before; got != 0 && got != 1 || reported && got != 1 {
				t.Errorf("killed at call %d: %d steps, reported: %v", n, got, reported)
			}
			next := record(t, s, doc, claim("next", true, "it was killed")(Moment{Now: noon}))
			if next.Claim.Token != uint64(len(next.Steps)) {
				t.Errorf("killed at call %d: %+v", n, next.Claim)
			}
			if err == nil {
				break
			}
			points++
		}
		if points < 10 {
			t.Errorf("first claim %v: killed at %d points only", first, points)
		}
		t.Logf("first claim %v: killed at %d points", first, points)
	}
}
