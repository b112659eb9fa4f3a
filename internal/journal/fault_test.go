package journal

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/killtest"
	"handoff/internal/testing/needs"
)

// TestMain lets the test binary be a process that appends until it fails, is
// killed, or has appended a number of times.
func TestMain(m *testing.M) {
	if path := os.Getenv("JOURNAL_TEST_APPEND"); path != "" {
		count, _ := strconv.Atoi(os.Getenv("JOURNAL_TEST_COUNT"))
		if err := appendMany(path, os.Getenv("JOURNAL_TEST_NAME"), count); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if path := os.Getenv("JOURNAL_TEST_UNSHARED"); path != "" {
		appendUnshared(path, os.Getenv("JOURNAL_TEST_NAME"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// appendMany prints the outcome of each append: the number, the count, and the name
// that the records share.
func appendMany(path, name string, count int) error {
	format := strict
	if strings.HasSuffix(path, ".tolerant") {
		format = tolerant
	}
	j, err := Open(context.Background(), path, format, Options{})
	if err != nil {
		return err
	}
	defer j.Close()
	j.index.lag = 20_000
	tearAt := -1
	if os.Getenv("JOURNAL_TEST_TEAR") != "" {
		tearAt = rand.IntN(10)
	}
	for i := 0; count == 0 || i < count; i++ {
		if i == tearAt {
			tear(j, name)
		}
		common := fmt.Sprint(name, "-", i)
		records, long := 1, 0
		if i%7 == 3 {
			records = 4
		}
		if i%20 == 5 { // a kill can hit the write
			long, _ = strconv.Atoi(os.Getenv("JOURNAL_TEST_LONG"))
		}
		first, err := j.Append(context.Background(), Any(), func(next uint64) (lines []Line, err error) {
			for k := range records {
				lines = append(lines, Line{Text: common4(next+uint64(k), common, long)})
			}
			return lines, nil
		})
		if err != nil {
			return err
		}
		fmt.Println(first, records, common)
		if i%10 == 9 {
			if got, err := j.Find(common); err != nil || len(got) != records {
				return fmt.Errorf("%s was found at %v, %v", common, got, err)
			}
		}
	}
	return nil
}

// tear is killed in the middle of a write, which a kill from outside seldom
// hits: it takes the kernel a few microseconds.
func tear(j *Journal, name string) {
	j.Append(context.Background(), Any(), func(next uint64) ([]Line, error) { // it holds the lock, and the file is repaired
		if f, err := os.OpenFile(j.Path(), os.O_APPEND|os.O_WRONLY, 0); err == nil {
			line := common4(next, "torn-"+name, 100)
			f.Write(line[:rand.IntN(len(line))])
		}
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			self.Kill()
		}
		select {}
	})
}

func common4(n uint64, common string, long int) []byte {
	return entry{N: &n, Keys: []string{common}, Lists: []string{"all"}, Text: common + strings.Repeat("x", long) + common}.line()
}

func appender(t testing.TB, path, name string, count int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "JOURNAL_TEST_APPEND="+path, "JOURNAL_TEST_NAME="+name, "JOURNAL_TEST_COUNT="+strconv.Itoa(count))
	cmd.Stderr = os.Stderr
	return cmd
}

// acks are the outcomes that appenders have printed.
type acks struct {
	mu   sync.Mutex
	said []string
}

// seen reports whether anything was printed.
func (a *acks) seen() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.said) > 0
}

func (a *acks) collect(r io.Reader) {
	for sc := bufio.NewScanner(r); sc.Scan(); {
		a.mu.Lock()
		a.said = append(a.said, sc.Text())
		a.mu.Unlock()
	}
}

// check compares the journal with the outcomes: no record is missing, all are
// complete, and the index finds what a scan finds.
func (a *acks) check(t testing.TB, path string, format Format) (records int) {
	t.Helper()
	j, err := Open(t.Context(), path, format, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	at := map[uint64]string{}
	for rec, err := range j.Since(0) {
		if err != nil {
			t.Fatal(err)
		}
		facts, err := format.Read(rec.Line)
		if err != nil || rec.Pos != rec.Number || !bytes.Equal(rec.Line, common4(rec.Number, facts.Keys[0], len(rec.Line)-len(common4(rec.Number, facts.Keys[0], 0)))) {
			t.Fatalf("a record that nobody wrote: %.200q, %v", rec.Line, err)
		}
		at[rec.Number] = facts.Keys[0]
	}
	for _, said := range a.said {
		var first, n uint64
		var common string
		if _, err := fmt.Sscan(said, &first, &n, &common); err != nil {
			continue // a line that the kill cut off
		}
		for k := range n {
			if at[first+k] != common {
				t.Errorf("lost: %s; record %d is %q", said, first+k, at[first+k])
			}
		}
		if rand.IntN(10) == 0 {
			if got, err := j.Find(common); err != nil || !slices.Contains(got, first) || len(got) != int(n) {
				t.Errorf("%s is found at %v, %v", said, got, err)
			}
		}
	}
	if n, err := j.Count("all"); err != nil || n != uint64(len(at)) {
		t.Errorf("the index counts %d, %v; there are %d", n, err, len(at))
	}
	return len(at)
}

// TestKilledWriters kills processes that append to one journal, one after the
// other, while others append. HANDOFF_KILLS is the number, 40 by default.
func TestKilledWriters(t *testing.T) {
	kills := 40
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_KILLS")); err == nil {
		kills = n
	}
	for _, format := range []Format{strict, tolerant} {
		name := "log"
		if format.Tolerant {
			name = "log.tolerant"
		}
		path := filepath.Join(t.TempDir(), name)
		const perJournal = 100 // or it grows too large to be checked
		for done := 0; done < kills; done += perJournal {
			killSome(t, fmt.Sprint(path, done, filepath.Ext(path)), format, min(perJournal, kills-done))
		}
	}
}

func killSome(t *testing.T, path string, format Format, kills int) {
	j, err := Create(t.Context(), path, format, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ctx, cancel := context.WithCancel(context.Background())
	followed := make(chan error)
	go func() { // a follower gets every record once meanwhile
		list, err := follow(ctx, j, 0, 1<<30)
		if !errors.Is(err, context.Canceled) {
			followed <- fmt.Errorf("after %d records: %w", len(list), err)
		}
		followed <- nil
	}()
	var said acks
	killtest.Plan{
		Processes: 8, Kills: kills, Pause: 30 * time.Millisecond,
		Start: func(i int) *exec.Cmd {
			cmd := appender(t, path, fmt.Sprint("w", i), 0)
			cmd.Env = append(cmd.Env, "JOURNAL_TEST_LONG=150000")
			if i%4 == 3 {
				cmd.Env = append(cmd.Env, "JOURNAL_TEST_TEAR=1")
			}
			return cmd
		},
		Collect: said.collect, Seen: said.seen,
	}.Run(t)
	if n, err := j.Append(context.Background(), Any(), func(next uint64) ([]Line, error) {
		return Lines([][]byte{common4(next, "last", 0)}), nil
	}); err != nil {
		t.Errorf("the next append, as %d: %v", n, err)
	}
	records := said.check(t, path, format)
	time.Sleep(4 * (50 * time.Millisecond))
	cancel()
	if err := <-followed; err != nil {
		t.Errorf("following: %v", err)
	}
	passed, err := j.Passed()
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d kills, %d records, %d appends acknowledged, %d times torn", kills, records, len(said.said), len(asides(t, j))+len(passed))
}

// TestRacingProcesses has two processes append 2,000 times each. Each number is used
// once, and a third process sees each record once.
func TestRacingProcesses(t *testing.T) {
	count := 2000
	if testing.Short() {
		count = 200
	}
	path := filepath.Join(t.TempDir(), "log")
	j, err := Create(t.Context(), path, strict, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var said acks
	var wg sync.WaitGroup
	for i := range 2 {
		cmd := appender(t, path, fmt.Sprint("p", i), count)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			said.collect(out)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	records := 0
	for i := range count {
		if records += 2; i%7 == 3 {
			records += 6
		}
	}
	if _, err := follow(ctx, j, 0, records); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if n := said.check(t, path, strict); n != records || len(said.said) != 2*count {
		t.Errorf("%d records, %d appends acknowledged; want %d and %d", n, len(said.said), records, 2*count)
	}
}

// TestFullDisk appends on a full disk: that is an error, no acknowledged record is
// lost, and when there is room again the next append works.
func TestFullDisk(t *testing.T) {
	for _, name := range []string{"log", "log.tolerant"} {
		format := map[string]Format{"log": strict, "log.tolerant": tolerant}[name]
		path := filepath.Join(t.TempDir(), name)
		j, err := Create(t.Context(), path, format, Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		var said acks
		for i := range 3 {
			cmd := appender(t, path, fmt.Sprint("full", i), 0)
			needs.FullDisk(t, cmd)
			var out, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &stderr
			if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "file too large") {
				t.Fatalf("the append did not fail as on a full disk: %v, %s", err, stderr.Bytes())
			}
			said.collect(&out)
		}
		if len(said.said) == 0 {
			t.Error("it failed at once: the test saw nothing")
		}
		if b := content(t, j); len(b) > 0 && b[len(b)-1] != '\n' {
			t.Errorf("a torn line was left: %q", b)
		}
		before := said.check(t, path, format)
		n, err := j.Append(context.Background(), Any(), func(next uint64) ([]Line, error) {
			return Lines([][]byte{common4(next, "room again", 0)}), nil
		})
		if err != nil || n != format.First+uint64(before) {
			t.Errorf("with room again: %d, %v", n, err)
		}
	}
}
