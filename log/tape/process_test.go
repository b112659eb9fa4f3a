package tape

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain runs a writer or busy process if the environment asks for one.
func TestMain(m *testing.M) {
	var err error
	writes, isBusy := os.Getenv("TAPE_WRITER"), os.Getenv("TAPE_BUSY")
	switch {
	case writes != "":
		err = writer(writes)
	case isBusy != "":
		err = busy(isBusy, os.Getenv("TAPE_NAME"))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// writer appends, every second time a handoff, and prints what it has done.
func writer(folder string) error {
	n, err := strconv.Atoi(os.Getenv("TAPE_APPENDS"))
	if err != nil {
		return err
	}
	// What a killed process has written is not lost, even without a flush.
	s, err := Open(folder, Options{Batch: 50 * time.Millisecond})
	if err != nil {
		return err
	}
	tape, err := s.Tape(Main)
	if err != nil {
		return err
	}
	for i := range n {
		name := fmt.Sprintf("%d-%d", os.Getpid(), i)
		if i%2 == 0 {
			_, err = tape.Append(ctx, message(name))
		} else {
			_, err = tape.Handoff(ctx, name, []byte(`{"i": `+strconv.Itoa(i)+`}`), nil)
		}
		if err != nil {
			return err
		}
		fmt.Println(name)
	}
	return s.Close()
}

type process struct {
	cmd *exec.Cmd
	out string // file that lists the completed steps
}

func start(t *testing.T, folder string, appends int) process {
	t.Helper()
	out := must(os.CreateTemp(t.TempDir(), "out"))(t)
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "TAPE_WRITER="+folder, "TAPE_APPENDS="+strconv.Itoa(appends))
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	return process{cmd, out.Name()}
}

// check checks that ids are 1..N, that each anchor is followed by its event,
// and that nothing is missing that was printed.
func check(t *testing.T, folder string, done string) (n int) {
	t.Helper()
	tape := openIn(t, folder).tape(Main)
	seen := map[string]bool{}
	last := Entry{}
	for e, err := range tape.Query(Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.ID != int64(n) {
			t.Fatalf("entry %d has id %d: %s", n, e.ID, e.Raw())
		}
		if last.Kind == KindAnchor && !e.IsEventOf(&last) && !endsPage(t, tape, &last) {
			t.Fatalf("%s is followed by %s", last.Raw(), e.Raw())
		}
		seen[content(e)] = true
		last = e
	}
	if last.Kind == KindAnchor && !endsPage(t, tape, &last) {
		t.Fatalf("the last entry is an anchor: %s", last.Raw())
	}
	for _, name := range strings.Fields(done) {
		if !seen[name] {
			t.Errorf("%s was reported as done, and is missing", name)
		}
	}
	return n
}

// TestProcesses has 8 processes append, half of it handoffs: HANDOFF_APPENDS
// times each, 1,000 by default.
func TestProcesses(t *testing.T) {
	appends := 1000
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_APPENDS")); err == nil {
		appends = n
	} else if testing.Short() {
		appends = 100
	}
	folder := filepath.Join(t.TempDir(), ".handoff")
	var all []process
	for range 8 {
		all = append(all, start(t, folder, appends))
	}
	done := ""
	for _, p := range all {
		if err := p.cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		done += read(t, p.out)
	}
	if n := len(strings.Fields(done)); n != 8*appends {
		t.Errorf("%d appends were done", n)
	}
	want := 2 + 8*(appends/2+(appends-appends/2)) + 8*(appends/2) // a handoff is two entries
	if n := check(t, folder, done); n != want {
		t.Errorf("%d entries, want %d", n, want)
	}
}

// TestKilled kills writers at any moment. What they have printed is on the
// tape, and the others continue.
func TestKilled(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".handoff")
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	done := ""
	for range rounds {
		var all []process
		for range 3 {
			all = append(all, start(t, folder, 1<<20))
		}
		time.Sleep(time.Duration(60+rand.Intn(120)) * time.Millisecond)
		for _, p := range all {
			if err := p.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.cmd.Wait()
			out := read(t, p.out)
			done += out[:strings.LastIndex(out, "\n")+1]
		}
		w := openIn(t, folder)
		add(t, w.tape(Main), message("after"))
		w.Close()
	}
	t.Logf("%d entries, %d appends reported as done", check(t, folder, done), len(strings.Fields(done)))
}
