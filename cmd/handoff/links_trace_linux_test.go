package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// names is the number of hard links of a file.
func names(st fs.FileInfo) uint64 { return uint64(st.Sys().(*syscall.Stat_t).Nlink) }

// tracedCall is a system call in strace's log: a process, a name, arguments.
// The result of an interrupted call is on a line of its own, which is not
// needed.
var tracedCall = regexp.MustCompile(`^\d+ +([a-z_0-9]+)\((.*)`)

// tracedPath is a path, which may be relative to an open folder.
var tracedPath = regexp.MustCompile(`(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`)

// readingCalls change nothing. All other calls with a path count as writing.
var readingCalls = []string{"execve", "execveat", "access", "faccessat", "faccessat2", "stat", "lstat", "newfstatat", "fstatat64", "statx", "statfs", "readlink",
	"readlinkat", "chdir", "getcwd", "inotify_add_watch", "fanotify_mark", "name_to_handle_at", "getxattr", "lgetxattr", "listxattr", "llistxattr"}

var openingCalls = []string{"open", "openat", "openat2"}

// writtenIn are the paths that the calls in a trace write. Relative paths
// without an open folder are relative to dir.
func writtenIn(trace, dir string) (paths []string) {
	for line := range strings.Lines(trace) {
		call := tracedCall.FindStringSubmatch(line)
		if call == nil || slices.Contains(readingCalls, call[1]) {
			continue
		}
		name, args := call[1], call[2]
		if slices.Contains(openingCalls, name) && !strings.Contains(args, "O_WRONLY") && !strings.Contains(args, "O_RDWR") &&
			!strings.Contains(args, "O_CREAT") && !strings.Contains(args, "O_TRUNC") {
			continue
		}
		found := tracedPath.FindAllStringSubmatch(args, -1)
		if strings.HasPrefix(name, "symlink") && len(found) > 0 {
			found = found[1:] // the content of the link is not a path that is written
		}
		for _, m := range found {
			path, err := strconv.Unquote(`"` + m[2] + `"`)
			if err != nil {
				path = m[2]
			}
			from := m[1]
			if from == "" {
				from = dir
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(from, path)
			}
			paths = append(paths, filepath.Clean(path))
		}
		if _, open, ok := strings.Cut(args, "<"); len(found) == 0 && ok { // only an open file: fchmod, utimensat
			open, _, _ = strings.Cut(open, ">")
			paths = append(paths, filepath.Clean(open))
		}
	}
	return paths
}

// TestWrittenIn parses lines as strace writes them.
func TestWrittenIn(t *testing.T) {
	const trace = `7 openat(AT_FDCWD</w>, "read", O_RDONLY|O_CLOEXEC) = 3</w/read>
7 openat(4</w/d>, "lock", O_RDWR|O_CREAT|O_NOFOLLOW|O_CLOEXEC, 0644 <unfinished ...>
8     newfstatat(AT_FDCWD</w>, "seen", 0xc0, 0) = -1 ENOENT (No such file or directory)
7 <... openat resumed>)             = 5</w/d/lock>
7 renameat2(4</w/d>, "a \"1\"", 6</w/e>, "b", RENAME_EXCHANGE) = 0
7 symlinkat("to", 4</w/d>, "link") = 0
7 mkdirat(4</w/d>, "new", 0755) = -1 EEXIST (File exists)
7 unlink("/abs/./gone") = 0
7 bind(9<socket:[1]>, {sa_family=AF_UNIX, sun_path="s.sock"}, 9) = 0
7 fchmod(5</w/d/lock>, 0600) = 0
7 utimensat(5</w/d/times>, NULL, NULL, 0) = 0
7 +++ exited with 0 +++
`
	want := []string{"/w/d/lock", `/w/d/a "1"`, "/w/e/b", "/w/d/link", "/w/d/new", "/abs/gone", "/w/s.sock", "/w/d/lock", "/w/d/times"}
	if got := writtenIn(trace, "/w"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// attends limits how long to wait for output that may never come: a process
// that fails because of a planted link need not report it.
const attends = 2 * time.Second

// visited is a running command that ends only on a signal.
type visited struct {
	out  *lockedBuffer
	done <-chan struct{}
	base *linkBase
	most time.Duration // maximum time to wait for an action of the process: attends, if a link is planted
	// refused are the visitor's requests that the process did not fulfil, and
	// the texts that it did not print.
	// Without a planted link that is an error.
	refused []string
}

// waitFor waits until the process ends or so returns true. It returns false
// after the time most.
func (v *visited) waitFor(most time.Duration, so func() bool) bool {
	end := time.After(most)
	for !so() {
		select {
		case <-v.done:
			return true
		case <-end:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
	return true
}

// says waits until the process prints a text, or ends.
func (v *visited) says(text string) {
	if !v.waitFor(v.most, func() bool { return strings.Contains(v.out.String(), text) }) {
		v.refused = append(v.refused, fmt.Sprintf("to print %q; it printed %q", text, v.out.String()))
	}
}

// endProcess asks a process to end. strace would not forward the signal to a
// traced process, so the process id comes from the trace.
func endProcess(t *testing.T, cmd *exec.Cmd, trace string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
		return
	default:
	}
	pid := cmd.Process.Pid
	if trace != "" {
		log, err := os.ReadFile(trace)
		first, _, _ := strings.Cut(string(log), " ")
		if pid, _ = strconv.Atoi(first); err != nil || pid < 2 {
			t.Fatalf("no process in the trace: %v, %.100q", err, log)
		}
	}
	syscall.Kill(pid, syscall.SIGINT)
}
