package kept_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/file/kept"
	"handoff/internal/file/nofollow"
	"handoff/internal/testing/killtest"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
)

func in(dir string) kept.File[map[string]int] {
	return kept.File[map[string]int]{Root: nofollow.Root(dir), Path: filepath.Join(dir, "sub", "f.json"), Max: 1 << 20, Mode: 0o600, Fix: "delete the file to start again"}
}

func set(key string, n int) func(*map[string]int) bool {
	return func(m *map[string]int) bool {
		if (*m)[key] == n {
			return false
		}
		if *m == nil {
			*m = map[string]int{}
		}
		(*m)[key] = n
		return true
	}
}

// TestChange: a change that changes nothing writes nothing, not even a lock.
func TestChange(t *testing.T) {
	f := in(t.TempDir())
	if v, err := f.Read(); v != nil || err != nil {
		t.Errorf("before the first: %v, %v", v, err)
	}
	if done, err := f.Change(t.Context(), set("a", 0)); done || err != nil {
		t.Errorf("%t, %v", done, err)
	}
	if _, err := os.Stat(filepath.Dir(f.Path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a change of nothing has written: %v", err)
	}
	for n := 1; n < 3; n++ {
		if done, err := f.Change(t.Context(), set("a", n)); !done || err != nil {
			t.Errorf("%t, %v", done, err)
		}
	}
	if v, err := f.Read(); v["a"] != 2 || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	if st, err := os.Stat(f.Path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

// TestDamaged: what cannot be parsed is never overwritten. With Aside it is kept under another
// name, each time.
func TestDamaged(t *testing.T) {
	f := in(t.TempDir())
	if err := f.Write(map[string]int{"a": 1}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 3; n++ {
		text := fmt.Sprintf(`{"a":%d`, n)
		if err := os.WriteFile(f.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, readErr := f.Read()
		_, changeErr := f.Change(t.Context(), set("b", 1))
		for _, err := range []error{readErr, changeErr, f.Write(nil)} {
			if !errors.Is(err, kept.ErrDamaged) || !strings.Contains(err.Error(), f.Path) || !strings.Contains(err.Error(), "delete the file") {
				t.Errorf("%v", err)
			}
		}
		if src, _ := os.ReadFile(f.Path); string(src) != text {
			t.Errorf("overwritten: %q", src)
		}
		aside := f
		aside.Aside = true
		if done, err := aside.Change(t.Context(), set("b", n)); !done || err != nil {
			t.Errorf("%t, %v", done, err)
		}
		if src, _ := os.ReadFile(f.Path + ".aside-" + strconv.Itoa(n)); string(src) != text {
			t.Errorf("set aside: %q", src)
		}
		if v, err := f.Read(); len(v) != 1 || v["b"] != n || err != nil {
			t.Errorf("%v, %v", v, err)
		}
	}
}

// TestLink: a symlink is neither read nor replaced.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	f := in(dir)
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "to")
	if os.WriteFile(to, []byte(`{"a":1}`), 0o644) != nil || os.Symlink(to, f.Path) != nil {
		t.Skip("no symlinks")
	}
	unsynced := f
	unsynced.Unsynced = true
	_, readErr := f.Read()
	_, changeErr := f.Change(t.Context(), set("b", 1))
	for _, err := range []error{readErr, changeErr, f.Write(nil), f.Replace(nil), unsynced.Replace(nil)} {
		if err == nil {
			t.Error("it follows a symlink")
		}
	}
	if src, _ := os.ReadFile(to); string(src) != `{"a":1}` {
		t.Errorf("%q", src)
	}
}

// TestKilled has processes count in a file until they are killed. No count that was reported is
// lost, and the file can be read at any time.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("KEPT_DIR"); dir != "" {
		count(in(dir), os.Getenv("KEPT_NAME"))
		return
	}
	dir := t.TempDir()
	var last [64]atomic.Int64
	killtest.Plan{Processes: 4, Kills: 20, Pause: 100 * time.Millisecond,
		Start: func(i int) *exec.Cmd {
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
			cmd.Env = append(os.Environ(), "KEPT_DIR="+dir, "KEPT_NAME="+strconv.Itoa(i))
			return cmd
		},
		Collect: func(out io.Reader) {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if name, n, ok := strings.Cut(lines.Text(), " "); ok {
					i, _ := strconv.Atoi(name)
					n, _ := strconv.ParseInt(n, 10, 64)
					last[i].Store(n)
				}
			}
		},
		Seen: func() bool {
			var sum int64
			for i := range last {
				sum += last[i].Load()
			}
			return sum > 100
		},
	}.Run(t)
	v, err := in(dir).Read()
	if err != nil {
		t.Fatal(err)
	}
	for i := range last {
		if n := last[i].Load(); int64(v[strconv.Itoa(i)]) < n {
			t.Errorf("process %d reported %d, the file has %d", i, n, v[strconv.Itoa(i)])
		}
	}
}

// count counts under a name, and prints each count once it is on the disk.
func count(f kept.File[map[string]int], name string) {
	for n := 1; ; n++ {
		if _, err := f.Change(context.Background(), set(name, n)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(name, n)
	}
}
