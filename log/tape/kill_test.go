package tape

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"handoff/log/tape/lineage"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/json/jsontext"
	"handoff/internal/testing/killtest"
	"handoff/internal/testing/needs"
)

// busy carries out all operations that change tapes in a loop, and prints what
// it has done.
func busy(folder, name string) error {
	o, err := busyOptions(folder)
	if err != nil {
		return err
	}
	s, err := Open(folder, o)
	if err != nil {
		return err
	}
	main, err := s.Tape(Main)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		text := fmt.Sprint(name, "-", i)
		if _, err := main.Append(ctx, message(text)); err != nil {
			return err
		}
		fmt.Println("main", text)
		if _, err := main.Handoff(ctx, "@"+text, []byte(`{"summary": "s"}`), nil); err != nil {
			return err
		}
		fmt.Println("main", "@"+text)
		if err := busyFork(s, main, "fork-"+text, i); err != nil {
			return err
		}
		if every := resetEvery(o); i%every != every-1 {
			continue
		}
		archived, err := main.Reset(ctx, ResetRequest{})
		if err != nil {
			return err
		}
		fmt.Println("reset", archived)
	}
}

// resetEvery is how many rounds come before a reset: in a store rounds take longer.
func resetEvery(o Options) int {
	if o.Upstream != nil {
		return 2
	}
	return 5
}

// busyFork creates a fork, appends to it, and ends it or leaves it open.
func busyFork(s *Store, main *Tape, name string, i int) error {
	if _, err := main.Fork(ctx, ForkRequest{To: name, Link: i%4 == 1, Intention: &Intention{NextSteps: name}}); err != nil {
		return err
	}
	fmt.Println("fork", name)
	child, err := s.Tape(name)
	if err != nil {
		return err
	}
	if _, err := child.Append(ctx, message("in-"+name)); err != nil {
		return err
	}
	fmt.Println("child", name)
	switch i % 3 {
	case 0:
		_, err = child.Merge(ctx, MergeRequest{})
		fmt.Println("merge", name, err)
	case 1:
		_, err = child.Discard(ctx, "")
		fmt.Println("discard", name, err)
	}
	return err
}

// busyProcess is this test binary as a process that runs busy.
func busyProcess(t testing.TB, folder, name string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TAPE_BUSY="+folder, "TAPE_NAME="+name)
	return cmd
}

// said has the names that processes printed, by operation.
type said struct {
	mu   sync.Mutex
	done map[string][]string
}

// collect reads what a process prints, and ignores a torn line.
func (s *said) collect(r io.Reader) {
	for b := bufio.NewReader(r); ; {
		line, err := b.ReadString('\n')
		if err != nil {
			return
		}
		s.mu.Lock()
		if f := strings.Fields(line); len(f) == 2 || f[len(f)-1] == "<nil>" {
			s.done[f[0]] = append(s.done[f[0]], f[1])
		}
		s.mu.Unlock()
	}
}

// seen reports whether an operation was printed.
func (s *said) seen(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.done[what]) > 0
}

// TestKilledAnywhere kills processes that hand off, fork, merge, discard and
// reset, one after the other while the others continue: HANDOFF_KILLS times, 24
// by default.
func TestKilledAnywhere(t *testing.T) {
	kills := 24
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_KILLS")); err == nil {
		kills = n
	}
	const perStore = 50 // or there are too many forks to be looked through
	for done := 0; done < kills; done += perStore {
		killSome(t, min(perStore, kills-done))
	}
}

func killSome(t *testing.T, kills int) {
	folder := filepath.Join(t.TempDir(), ".handoff")
	add(t, openIn(t, folder).tape(Main), message("first"))
	all := said{done: map[string][]string{}}
	killtest.Plan{
		Processes: 4, Kills: kills, Pause: 60 * time.Millisecond,
		Start:   func(i int) *exec.Cmd { return busyProcess(t, folder, fmt.Sprint("w", i)) },
		Collect: all.collect, Seen: func() bool { return all.seen("merge") },
	}.Run(t)
	broken := checkKilled(t, openIn(t, folder), all.done)
	t.Logf("%d kills: %d entries, %d forks, %d merges, %d discards and %d resets acknowledged, %d ends of forks interrupted",
		kills, len(all.done["main"]), len(all.done["fork"]), len(all.done["merge"]), len(all.done["discard"]), len(all.done["reset"]), broken)
}

// checkKilled completes interrupted operations, and compares the store with the
// printed output: nothing is lost or duplicated, and no fork is incomplete.
func checkKilled(t *testing.T, w *workshop, done map[string][]string) (broken int) {
	broken = finish(t, w)
	again := finish(t, w)
	add(t, w.tape(Main), message("after"))
	if again > 0 {
		t.Errorf("%d ends of forks need two attempts", again)
	}
	ofMain := allOf(t, w, Main)
	for _, text := range done["main"] {
		if ofMain[text] != 1 {
			t.Errorf("%s was reported as done, and occurs %d times", text, ofMain[text])
		}
	}
	merged, discarded := set(done["merge"]), set(done["discard"])
	for _, name := range done["fork"] {
		in := allOf(t, w, name)
		if len(in) == 0 {
			t.Errorf("fork %s is lost", name)
		}
		text := "in-" + name
		if n := ofMain[text]; n > 1 || merged[name] && n != 1 || discarded[name] && n != 0 {
			t.Errorf("%s is there %d times, merged %v, discarded %v", text, n, merged[name], discarded[name])
		}
		if slices.Contains(done["child"], name) && in[text] != 1 {
			t.Errorf("%s: its entry occurs %d times", name, in[text])
		}
	}
	for _, path := range done["reset"] {
		if st, err := os.Stat(filepath.Join(w.folder, path)); err != nil || st.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	checkGraph(t, w, merged, discarded)
	return broken
}

func set(names []string) map[string]bool {
	m := map[string]bool{}
	for _, name := range names {
		m[name] = true
	}
	return m
}

// finish completes interrupted merges and discards.
func finish(t *testing.T, w *workshop) (n int) {
	for _, name := range must(w.List())(t) {
		tape := w.tape(name)
		j, release, err := w.journal(t.Context(), tape.at())
		if err != nil {
			t.Fatal(err)
		}
		f, isFork, err := lineage.EventOf(j)
		c, closed, closedErr := lineage.ClosingOf(j)
		release()
		if err != nil || closedErr != nil || isFork == (name == Main) || isFork && (f.Tape != name || f.Parent != Main) {
			t.Fatalf("%s: %+v, %v, %v", name, f, err, closedErr)
		}
		if !closed {
			continue
		}
		n++
		if c.As == lineage.Merged {
			_, err = tape.Merge(ctx, MergeRequest{})
		} else {
			_, err = tape.Discard(ctx, "")
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	return n
}

// endsPage reports whether an entry's line ends with a page of the file. A
// writer that is killed may stop there, and leave an anchor without any trace
// of its event.
func endsPage(t *testing.T, tape *Tape, e *Entry) bool {
	t.Helper()
	line := e.Raw() + "\n"
	at := strings.Index(read(t, tape.path), line)
	return at >= 0 && (at+len(line))%os.Getpagesize() == 0
}

// allOf counts the entries of a tape and its archives: in every file ids are
// 1..N, and each anchor is followed by its event.
func allOf(t *testing.T, w *workshop, name string) map[string]int {
	t.Helper()
	tapes := []*Tape{w.tape(name)}
	for _, path := range must(tapes[0].Archives())(t) {
		tapes = append(tapes, must(w.OpenArchive(path))(t))
	}
	count := map[string]int{}
	for _, tape := range tapes {
		last, n := Entry{}, int64(0)
		for _, e := range must(tape.All(Query{}))(t) {
			if n++; e.Source != "" {
				n = 0 // a linked fork reads it from another
			}
			if n != 0 && e.ID != n || last.Kind == KindAnchor && !e.IsEventOf(&last) && !endsPage(t, tape, &last) {
				t.Fatalf("%s: entry %d is %s after %s", tape.name, n, e.Raw(), last.Raw())
			}
			last = e
			switch e.Kind {
			case KindMessage:
				count[content(e)]++
			case KindAnchor:
				count[e.Name()]++
			case KindEvent:
				count[e.Name()]++
			}
		}
		if last.Kind == KindAnchor && !endsPage(t, tape, &last) {
			t.Errorf("%s ends with %s", tape.name, last.Raw())
		}
		checkTorn(t, tape)
	}
	return count
}

// checkTorn checks that unreadable lines are the start of an entry: a process
// that is killed within a write, at the end of a page, leaves that.
func checkTorn(t *testing.T, tape *Tape) {
	t.Helper()
	src, err := os.ReadFile(tape.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(src), "\n"), "\n") {
		_, err := Parse([]byte(line))
		var syntax *jsontext.Error
		if err != nil && line != "" && (!errors.As(err, &syntax) || !syntax.Torn) {
			t.Errorf("%s: %q: %v", tape.name, line, err)
		} else if err != nil && line != "" {
			t.Logf("%s: torn: %q", tape.name, line)
		}
	}
}

// checkGraph checks that each fork is in the graph once, with its status, also
// when the graph is rebuilt.
func checkGraph(t *testing.T, w *workshop, merged, discarded map[string]bool) {
	graph := must(w.Forks(ctx))(t)
	status := map[string]string{}
	for _, l := range graph {
		if status[l.Tape] != "" {
			t.Errorf("%s is in the graph twice", l.Tape)
		}
		status[l.Tape] = l.Status
		if merged[l.Tape] && l.Status != lineage.Merged || discarded[l.Tape] && l.Status != lineage.Discarded {
			t.Errorf("%+v", l)
		}
	}
	for _, name := range must(w.List())(t) {
		if name != Main && status[name] != lineage.Active {
			t.Errorf("%s is open, the graph says %q", name, status[name])
		}
	}
	if err := os.Remove(w.graph().Path); err != nil {
		t.Fatal(err)
	}
	if rebuilt := must(openIn(t, w.folder).Forks(ctx))(t); len(rebuilt) != len(graph) {
		t.Errorf("the graph has %d forks, and %d after it is rebuilt", len(graph), len(rebuilt))
	}
	must(w.Manifest())(t)
}

// TestFullDisk runs the same operations on a full disk: they fail, nothing that was
// reported as done is lost, and they succeed once there is space.
func TestFullDisk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".handoff")
	add(t, openIn(t, folder).tape(Main), message("first"))
	all := said{done: map[string][]string{}}
	for i := range 4 {
		cmd := busyProcess(t, folder, fmt.Sprint("full", i))
		needs.FullDisk(t, cmd)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "file too large") {
			t.Fatalf("it did not fail with ENOSPC: %v, %s", err, stderr.Bytes())
		}
		all.collect(&out)
		w := openIn(t, folder)
		must(w.tape(Main).Reset(ctx, ResetRequest{}))(t) // room for the next
		w.Close()
	}
	if len(all.done["main"]) < 4 {
		t.Errorf("every operation failed: %v", all.done)
	}
	t.Logf("%d entries, %d forks and %d merges acknowledged, %d ends of forks interrupted",
		len(all.done["main"]), len(all.done["fork"]), len(all.done["merge"]), checkKilled(t, openIn(t, folder), all.done))
}
