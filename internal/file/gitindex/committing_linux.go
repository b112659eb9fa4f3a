package gitindex

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// messages are the files in the git folder to which commands write their message. Until then
// they run the hooks pre-commit and pre-merge-commit; after it a person may edit the message
// for as long as he likes.
var messages = map[string]string{"commit": "COMMIT_EDITMSG", "merge": "MERGE_MSG"}

// hooks looks for a process in a working tree that runs hooks: see [Tree.Hooks].
func hooks(top, git string) string {
	procs, err := os.Open("/proc")
	if err != nil {
		return ""
	}
	defer procs.Close()
	names, _ := procs.Readdirnames(-1)
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		dir := "/proc/" + name
		if comm, err := os.ReadFile(dir + "/comm"); err != nil || !mayRunHooks(string(comm)) {
			continue
		}
		args, _ := os.ReadFile(dir + "/cmdline")
		what := commandOf(strings.Split(string(args), "\x00"))
		if in, _ := os.Readlink(dir + "/cwd"); what == "" || in != top {
			continue
		}
		message := messages[what]
		switch {
		case message == "":
			return what
		case !hasMessage(git, message, started(dir)):
			return "git " + what
		}
	}
	return ""
}

// mayRunHooks tells by the name of a process whether its arguments are worth a look.
func mayRunHooks(comm string) bool {
	return comm == "git\n" || comm == preCommit+"\n" || strings.HasPrefix(comm, "python")
}

// preCommit is the program of that name. It puts changes away in all of its stages, and if it
// is run by hand.
const preCommit = "pre-commit"

// commandOf is the command that the arguments of git name, if it has a message, or pre-commit
// if that runs hooks; "" for others.
func commandOf(args []string) string {
	if path.Base(args[0]) == "git" {
		if command := gitCommand(args); messages[command] != "" {
			return command
		}
		return ""
	}
	for i, arg := range args[:min(3, len(args))] { // python3 -mpre_commit run, python3 …/pre-commit run
		if i+1 < len(args) && (arg == "-mpre_commit" || arg == "pre_commit" || path.Base(arg) == preCommit) {
			switch args[i+1] {
			case "run", "hook-impl":
				return preCommit
			}
		}
	}
	return ""
}

// gitCommand is the command that the arguments of git name.
func gitCommand(args []string) string {
	for i := 1; i < len(args); i++ {
		switch {
		case slices.Contains([]string{"-c", "-C", "--git-dir", "--work-tree", "--namespace"}, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// hasMessage reports whether a command that was started at a time has written its message.
// That time may be some ticks too early, and the message may be the one of the command just
// before. Then HEAD has moved since.
func hasMessage(git, file string, started time.Time) bool {
	message, err := os.Stat(filepath.Join(git, file))
	if err != nil || started.IsZero() || !message.ModTime().After(started) {
		return false
	}
	moved, err := os.Stat(filepath.Join(git, "logs", "HEAD"))
	return err != nil || message.ModTime().After(moved.ModTime())
}

// ticks is the unit of times in /proc: Linux has shown 100 a second to programs for
// decades, whatever it counts itself.
const ticks = 100

// unsure is by how much a start would look too late, beside the times of files: the uptime is cut to a tick, and a
// file gets the time of the last tick of the kernel.
const unsure = 2 * time.Second / ticks

// started is when a process was started, or a little earlier; zero if that is unknown.
func started(proc string) time.Time {
	stat, err := os.ReadFile(proc + "/stat")
	if err != nil {
		return time.Time{}
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the name before may contain anything
	const startTime = 22 - 3
	if len(f) <= startTime {
		return time.Time{}
	}
	at, err := strconv.ParseInt(f[startTime], 10, 64)
	now := time.Now() // before the uptime: a process that has to wait between them does not make the start later
	uptime, upErr := os.ReadFile(filepath.Join(filepath.Dir(proc), "uptime"))
	up, _, _ := strings.Cut(string(uptime), " ")
	seconds, numErr := strconv.ParseFloat(up, 64)
	if err != nil || upErr != nil || numErr != nil {
		return time.Time{}
	}
	age := time.Duration(seconds*float64(time.Second)) - time.Duration(at)*time.Second/ticks
	return now.Add(-age - unsure)
}
