package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

// TestMain lets the test binary be the process that is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("ATOMICFILE_TEST_WRITE"); path != "" {
		for i := byte('a'); ; i = 'a' + (i-'a'+1)%26 {
			if err := Write(nofollow.Named, path, bytes.Repeat([]byte{i}, 64<<10), 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	if plan := os.Getenv(killVar); plan != "" {
		beKilled(plan)
	}
	os.Exit(m.Run())
}

func TestCreateHasOneWinner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var won atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			switch err := Create(nofollow.Named, path, []byte{byte(i)}, 0o644); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, fs.ErrExist):
				t.Errorf("a loser got %v", err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d writers created the same file", won.Load())
	}
	onlyFile(t, filepath.Dir(path), "f")
}

func TestWriteKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "f"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, "f", link)
	if err := Write(nofollow.Named, link, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	st, _ := os.Lstat(path)
	if string(got) != "new" || st.Mode() != 0o600 {
		t.Errorf("%q, mode %v", got, st.Mode())
	}
	if st, _ := os.Lstat(link); st.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
}

func TestRenameTakenName(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, p := range []string{a, b} {
		if err := os.WriteFile(p, []byte(p), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Rename(nofollow.Named, a, b); !errors.Is(err, fs.ErrExist) {
		t.Errorf("renamed over another file: %v", err)
	}
	if got, _ := os.ReadFile(b); string(got) != b {
		t.Errorf("the other file now holds %q", got)
	}
}

// TestKilledWriter kills a process that writes forever, at various moments, and
// checks the file.
func TestKilledWriter(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(nofollow.Named, path, bytes.Repeat([]byte("a"), 64<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "ATOMICFILE_TEST_WRITE="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(5+i) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		got, err := os.ReadFile(path)
		if err != nil || len(got) != 64<<10 || bytes.Count(got, got[:1]) != len(got) {
			t.Fatalf("kill %d left %d bytes, %v", i, len(got), err)
		}
	}
}

func onlyFile(t *testing.T, dir, name string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != name {
		t.Errorf("the folder holds %v, %v; want %s alone", list, err, name)
	}
}

// TestBeginKeepsDevices: a folder or a device is not replaced by a file, and errors
// have the name that the caller knows.
func TestBeginKeepsDevices(t *testing.T) {
	dir := t.TempDir()
	if p, err := Begin(nofollow.Named, dir, 0o644); err == nil {
		p.Abort()
		t.Error("a file was begun in a folder's place")
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		if p, err := Begin(nofollow.Named, os.DevNull, 0o644); err == nil {
			p.Abort()
			t.Error("a file was begun in a device's place")
		}
	}
	gone := filepath.Join(dir, "gone", "x.json")
	if _, err := Begin(nofollow.Named, gone, 0o644); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), TempPrefix) {
		t.Errorf("in a folder that is not there: %v", err)
	}
}
