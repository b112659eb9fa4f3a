package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"handoff/internal/file/lockfile"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// The number of appends of each process in the tests below.
const unsharedAppends = 150

// appendUnshared appends on a file system whose locks may not work. It prints "ok
// NUMBER TEXT" for an append that succeeded, otherwise "refused" or an error.
func appendUnshared(path, name string) {
	format := strict
	if strings.HasSuffix(path, ".tolerant") {
		format = tolerant
	}
	var options Options
	if os.Getenv("JOURNAL_TEST_NOFLOCK") != "" {
		options.flock = func(int, int) error { return nil }
	}
	j, err := Open(context.Background(), path, format, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer j.Close()
	for i := range unsharedAppends {
		text := fmt.Sprint(name, "-", i, ".")
		first, err := j.Append(context.Background(), Any(), add(text))
		var not *lockfile.NotSharedError
		switch {
		case err == nil:
			fmt.Println("ok", first, text)
		case errors.As(err, &not):
			fmt.Println("refused", errors.Is(err, ErrUnknown))
		default:
			fmt.Println(err)
		}
	}
}

// outcome counts what processes printed, and fails if two of them got the same
// number, or an entry is not in the file.
func outcome(t *testing.T, out []byte, path string) (done, refused int) {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 3 && f[0] == "ok":
			if done++; given[f[1]] != "" {
				t.Errorf("number %s was given to %s and to %s", f[1], given[f[1]], f[2])
			}
			given[f[1]] = f[2]
			n, _ := strconv.ParseUint(f[1], 10, 64)
			if !bytes.Contains(log, text(n, f[2])) {
				t.Errorf("%s is not in the file as number %s", f[2], f[1])
			}
		case len(f) > 0 && f[0] == "refused", strings.Contains(line, syscall.ESTALE.Error()): // by the file system
			refused++
		default:
			t.Logf("%s", line)
		}
	}
	return done, refused
}

// run starts the processes of a test at once, half of them with one path and
// half with the other. before is run by a shell first, in a mount namespace of
// its own if there is any.
func unsharedProcesses(t *testing.T, count int, before, path, other string, env ...string) []byte {
	t.Helper()
	needs.Tool(t, "sh")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := before + "\n"
	for i := range count {
		script += fmt.Sprintf("JOURNAL_TEST_NAME=p%d JOURNAL_TEST_UNSHARED='%s' '%s' &\n", i, []string{path, other}[i%2], self)
	}
	args := []string{"sh", "-c", script + "wait\n"}
	if before != "" {
		args = append([]string{"unshare", "-m"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 77 {
		needs.Missing(t, "overlayfs", string(out))
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// If locks do not exclude other processes, concurrent appends are refused, and no
// two get the same number. Two processes take part: without any lock, of many that
// a busy machine stops at the wrong moment some would get the same number.
func TestLocksThatKeepNobodyOut(t *testing.T) {
	needs.Unix(t, "flock and /proc")
	for name, format := range map[string]Format{"log.strict": strict, "log.tolerant": tolerant} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(quickDir(t), name)
			j, err := Create(t.Context(), path, format, Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			j.Close()
			// One process may end before the other begins, and then none is refused.
			done, refused := 0, 0
			waittest.Until(t, "an append that is refused", func() bool {
				out := unsharedProcesses(t, 2, "", path, path, "JOURNAL_TEST_NOFLOCK=1")
				ok, not := outcome(t, out, path)
				done, refused = done+ok, refused+not
				return done > 0 && refused > 0
			})
			t.Logf("%d appended, %d refused", done, refused)
		})
	}
}

// Where locks do not work, a process that was stopped before its write adds a line
// with a number that was used since. The others must not continue after that number.
func TestNumberUsedBefore(t *testing.T) {
	j := create(t, strict, Options{})
	mustAppend(t, j, "a", "b", "c")
	before, err := os.Stat(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	appendBytes(t, j.Path(), string(text(1, "late"))+"\n")
	for range 2 {
		if first, err := j.Append(t.Context(), Any(), add("d")); err == nil || !strings.Contains(err.Error(), "do not share file locks") {
			t.Fatalf("appended as number %d, %v", first, err)
		}
	}
	if err := os.Truncate(j.Path(), before.Size()); err != nil { // the late process removes its line
		t.Fatal(err)
	}
	if first, err := j.Append(t.Context(), Any(), add("d")); err != nil || first != 3 {
		t.Errorf("appended as number %d, %v", first, err)
	}
}

// Two overlay mounts of a folder, or one and the folder itself, share files but not
// locks.
func TestTwoMounts(t *testing.T) {
	needs.Linux(t, "overlayfs")
	if err := exec.Command("unshare", "-m", "true").Run(); err != nil {
		needs.Missing(t, "overlayfs", "mounting needs root: unshare -m: "+err.Error())
	}
	for name, format := range map[string]Format{"log.strict": strict, "log.tolerant": tolerant} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, sub := range []string{"lower", "upper", "work", "merged"} {
				if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, "upper", name)
			j, err := Create(t.Context(), path, format, Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			j.Close()
			mount := fmt.Sprintf("cd '%s' && mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged || exit 77", dir)
			out := unsharedProcesses(t, 6, mount, path, filepath.Join(dir, "merged", name))
			if done, refused := outcome(t, out, path); done == 0 || refused == 0 {
				t.Errorf("%d appended, %d refused", done, refused)
			} else {
				t.Logf("%d appended, %d refused", done, refused)
			}
		})
	}
}
