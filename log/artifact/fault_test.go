package artifact

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// TestMain lets the test binary be a process that puts blobs until it fails, is
// killed, or has put the given number.
func TestMain(m *testing.M) {
	if dir := os.Getenv("ARTIFACT_TEST_PUT"); dir != "" {
		count, _ := strconv.Atoi(os.Getenv("ARTIFACT_TEST_COUNT"))
		if err := putMany(dir, os.Getenv("ARTIFACT_TEST_NAME"), count); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// blobOf returns a blob that is large enough for a kill to interrupt its writing.
func blobOf(name string, i int) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("%s %d\n", name, i)), 8<<10)
}

// putMany repeatedly puts a blob of this process and a blob that all processes put.
func putMany(dir, name string, count int) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	for i := 0; count == 0 || i < count; i++ {
		for _, owner := range []string{name, "shared"} {
			id, _, err := s.Put(blobOf(owner, i))
			if err != nil {
				return err
			}
			fmt.Println(id)
		}
	}
	return nil
}

func putter(t *testing.T, dir, name string, count int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "ARTIFACT_TEST_PUT="+dir, "ARTIFACT_TEST_NAME="+name, "ARTIFACT_TEST_COUNT="+strconv.Itoa(count))
	return cmd
}

// checkWhole verifies all blobs that the store lists, and returns their number.
func checkWhole(t *testing.T, s *Store) int {
	t.Helper()
	n := 0
	for info, err := range s.List() {
		if err == nil {
			err = s.Verify(info.ID)
		}
		if err != nil {
			t.Error(err)
		}
		n++
	}
	return n
}

func leftovers(t *testing.T, s *Store) (paths []string) {
	t.Helper()
	for l, err := range s.Leftovers() {
		if err != nil {
			t.Error(err)
		}
		paths = append(paths, l.Path)
	}
	return paths
}

// TestKilledPut kills a process that puts blobs forever, at various moments, from
// the creation of the folders on: all blobs are whole, the blobs that it reported
// exist, and all other files are listed as leftovers.
func TestKilledPut(t *testing.T) {
	sawLeftover, blobs := false, 0
	for i := range 40 {
		dir := t.TempDir()
		cmd := putter(t, dir, "a", 0)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		if i%2 == 0 { // after its first blob, however long a busy machine takes to begin
			first := make([]byte, 1)
			if _, err := io.ReadFull(out, first); err != nil {
				t.Fatal(err)
			}
			said.Write(first)
			time.Sleep(time.Duration(i*250) * time.Microsecond)
		} else {
			time.Sleep(time.Duration(2000+i*500) * time.Microsecond)
		}
		cmd.Process.Kill()
		if _, err := said.ReadFrom(out); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		s := open(t, dir)
		blobs += checkWhole(t, s)
		for _, line := range strings.Fields(said.String()) {
			if id, err := ParseID(line); err == nil {
				if err := s.Verify(id); err != nil {
					t.Errorf("kill %d: it said that it had put %v", i, err)
				}
			}
		}
		left := leftovers(t, s)
		sawLeftover = sawLeftover || len(left) > 0
		if len(left) > 1 {
			t.Errorf("kill %d left %v", i, left)
		}
		for _, name := range left {
			if err := s.RemoveLeftover(name); err != nil {
				t.Error(err)
			}
		}
		put(t, s, "and the store still takes blobs")
		entries, _ := os.ReadDir(filepath.Join(dir, Blobs))
		if n := checkWhole(t, s); n != len(entries) {
			t.Errorf("kill %d: %d blobs in a folder of %d entries", i, n, len(entries))
		}
	}
	t.Logf("%d whole blobs; a kill left a temporary file: %v", blobs, sawLeftover)
	if blobs == 0 {
		t.Error("every kill came before the first blob: the test saw nothing")
	}
}

// TestManyProcesses lets 16 processes put the same blobs and different blobs at
// once.
func TestManyProcesses(t *testing.T) {
	const processes, each = 16, 5
	dir := t.TempDir()
	var cmds []*exec.Cmd
	for p := range processes {
		cmd := putter(t, dir, fmt.Sprint(p), each)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	s := open(t, dir)
	if n := checkWhole(t, s); n != (processes+1)*each {
		t.Errorf("%d blobs, want %d", n, (processes+1)*each)
	}
	if left := leftovers(t, s); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// TestFullDisk puts a blob on a full disk.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	kept := put(t, s, "kept")
	broken := plant(t, dir, Sum(blobOf("a", 0)).String(), "damaged, to be healed")
	cmd := putter(t, dir, "a", 1)
	needs.FullDisk(t, cmd)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "file too large") {
		t.Fatalf("the put did not fail as on a full disk: %v, %s", err, out)
	}
	if sc := bufio.NewScanner(bytes.NewReader(out)); sc.Scan() && isID(sc.Text()) {
		t.Errorf("it said that it had put %s", sc.Text())
	}
	if err := s.Verify(kept); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, Blobs, broken.String())); err != nil || string(data) != "damaged, to be healed" {
		t.Errorf("the old blob became %q, %v", data, err)
	}
	if left := leftovers(t, s); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
