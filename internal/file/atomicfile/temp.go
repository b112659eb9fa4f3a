package atomicfile

import (
	"bytes"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// TempPrefix begins the name of every temporary file. A process that was
// killed can leave one behind; it is never read. See [Sweep].
const TempPrefix = ".handoff-tmp-"

// IsTemp reports whether a base name is that of a temporary file.
func IsTemp(base string) bool { return strings.HasPrefix(base, TempPrefix) }

// tempPrefix begins the names of this process's temporary files: where it
// runs, and its number, so that others can tell when it is gone.
var tempPrefix = sync.OnceValue(func() string {
	return TempPrefix + machine() + "-" + strconv.Itoa(os.Getpid()) + "-"
})

// machine stands for all that gives each process a number of its own: a host,
// and on Linux the container. Several may share a folder.
var machine = sync.OnceValue(func() string {
	h := fnv.New32a()
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	h.Write([]byte(host + "\n" + space))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
})

func tempName() string { return tempPrefix() + strconv.FormatUint(rand.Uint64(), 36) }

// abandonedAfter is the age at which a temporary file has no writer any more,
// where that cannot be asked. Writing one takes milliseconds.
const abandonedAfter = time.Hour

// Sweep removes the temporary files of processes that are gone from a folder.
// What cannot be removed stays for the next time. It returns the paths of
// exchanges that such processes left in the middle: see [Finish]. A folder that
// is a link is left alone.
func Sweep(root nofollow.Root, dir string) (unfinished []string) {
	for _, name := range leftIn(dir) {
		path := filepath.Join(dir, name)
		if h, ok := parseHeld(name); ok && h.abandoned() {
			unfinished = append(unfinished, path)
		} else if IsTemp(name) && Abandoned(path) {
			root.Remove(path)
		}
	}
	return unfinished
}

// leftIn are the names in a folder that a process of ours may have left. Nearly
// always there is none, and a daemon asks that of very many folders.
func leftIn(dir string) (names []string) {
	d, err := regular.OpenFolder(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.List(func(name []byte) bool {
		return bytes.HasPrefix(name, []byte(TempPrefix)) || bytes.HasPrefix(name, []byte(heldPrefix))
	})
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

// Abandoned reports whether the writer of a temporary file is gone.
func Abandoned(path string) bool {
	parts := strings.Split(strings.TrimPrefix(filepath.Base(path), TempPrefix), "-")
	if len(parts) == 3 {
		if pid, err := strconv.Atoi(parts[1]); err == nil && wroteHere(parts[0], pid) {
			return true
		}
	}
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular() && time.Since(st.ModTime()) > abandonedAfter
}

// wroteHere reports whether a process ran on this machine and is gone.
func wroteHere(where string, pid int) bool { return where == machine() && pid > 0 && gone(pid) }
