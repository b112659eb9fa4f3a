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
	"handoff/internal/process"
)

// TempPrefix is the prefix of the names of all temporary files. A process that is
// killed can leave one; it is never read, and [Sweep] removes it.
const TempPrefix = ".handoff-tmp-"

// IsTemp reports whether a base name is that of a temporary file.
func IsTemp(base string) bool { return strings.HasPrefix(base, TempPrefix) }

// tempPrefix is the prefix of this process's temporary files. It contains the machine
// and the process id, so that other processes can detect that this one has ended.
var tempPrefix = sync.OnceValue(func() string {
	return TempPrefix + machine() + "-" + strconv.Itoa(os.Getpid()) + "-"
})

// machine identifies the space of process ids: the host and, on Linux, the
// container. Several may share a folder.
var machine = sync.OnceValue(func() string {
	h := fnv.New32a()
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	h.Write([]byte(host + "\n" + space))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
})

// TempName returns a new name for a temporary file or folder of this process.
func TempName() string { return tempName() }

func tempName() string { return tempPrefix() + strconv.FormatUint(rand.Uint64(), 36) }

// abandonedAfter is the age from which a temporary file counts as abandoned if its
// process cannot be checked. Writing one takes milliseconds.
const abandonedAfter = time.Hour

// Sweep removes the temporary files of dead processes from a folder. A file that
// cannot be removed stays until the next time. Sweep returns the paths of the
// exchanges that such processes did not finish: see [Finish]. A folder that is a
// symlink is not swept.
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

// leftIn lists the names in a folder that may be left by a killed process. It must
// be fast: there is nearly always none, and a watch checks very many folders.
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

// Abandoned reports whether the process that wrote a temporary file has ended.
func Abandoned(path string) bool {
	parts := strings.Split(strings.TrimPrefix(filepath.Base(path), TempPrefix), "-")
	if len(parts) == 3 {
		if pid, err := strconv.Atoi(parts[1]); err == nil && diedHere(parts[0], pid) {
			return true
		}
	}
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular() && time.Since(st.ModTime()) > abandonedAfter
}

// diedHere reports whether a process ran on this machine and has ended.
func diedHere(where string, pid int) bool { return where == machine() && pid > 0 && process.Gone(pid) }
