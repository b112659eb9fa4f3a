package lockfile

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// holder is who holds a lock file, or did last, as the file's record says:
//
//	handoff-lock STATE NUMBER BOOT SPACE PID START INODE HOST
//
// padded with spaces to a fixed length, so that one write replaces all of it.
// What is not known is "-".
type holder struct {
	state  string // held or free
	number string // of this one time that the file was locked
	process
	inode string // of the lock file: a record elsewhere is a copy
}

// process is a process among all that may share a folder.
type process struct {
	boot  string // the kernel that runs it, since it started
	space string // in which its number is unique
	pid   int
	start string // when it started, because numbers are used again
	host  string
}

const (
	magic       = "handoff-lock"
	recordBytes = 256
	held        = "held"
	free        = "free"
)

// graceTime is how long the record of a holder that may be alive on another
// machine must stay as it is to be overwritten. Locks are held for milliseconds,
// and each of those that follow has a record of its own.
const graceTime = time.Second

func (h holder) String() string {
	line := strings.Join([]string{magic, h.state, h.number, h.boot, h.space, strconv.Itoa(h.pid), h.start, h.inode, h.host}, " ")
	return fmt.Sprintf("%-*s\n", recordBytes-1, line)
}

// parse reads a record. ok is false for an empty file, and for one that is not
// ours to write to.
func parse(record string) (h holder, ok bool) {
	f := strings.Fields(record)
	if len(f) != 9 || f[0] != magic || f[1] != held && f[1] != free {
		return holder{}, false
	}
	pid, err := strconv.Atoi(f[5])
	return holder{f[1], f[2], process{f[3], f[4], pid, f[6], f[8]}, f[7]}, err == nil
}

// word is a value as a record has it: one field of bounded length.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r
		}
		return '?'
	}, s)
	if s == "" {
		return "-"
	}
	return s[:min(len(s), 40)]
}

// NotSharedError says that a lock does not keep others out: another process has
// held the file at the same time.
type NotSharedError struct {
	Path string
	Host string // where the other process runs, "" if that is not known
	PID  int
}

func (e *NotSharedError) Error() string {
	who := "another process"
	if e.Host != "" {
		who = fmt.Sprintf("process %d on host %s", e.PID, e.Host)
	}
	return fmt.Sprintf("%s: %s held this lock at the same time: the folder is in use through two mounts or machines that do not share file locks; "+
		"use it through one of them, or through `handoff serve`", e.Path, who)
}

func notShared(path string, h holder) *NotSharedError {
	if h.host == "" || h.host == "-" {
		return &NotSharedError{Path: path}
	}
	return &NotSharedError{path, word(h.host), h.pid}
}
