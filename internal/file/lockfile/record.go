package lockfile

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// holder is the present or last holder of a lock file, as in the file's record:
//
//	handoff-lock STATE NUMBER BOOT SPACE PID START INODE HOST
//
// padded with spaces to a fixed length, so that one write replaces all of it. An
// unknown value is "-".
type holder struct {
	state  string // held or free
	number string // unique to each time the file is locked
	process
	inode string // of the lock file: with another inode, the record is a copy
}

// process identifies a process among all that may share a folder.
type process struct {
	boot  string // the id of the boot of its kernel
	space string // the process id namespace
	pid   int
	start string // when it started, because ids are reused
	host  string
}

const (
	magic       = "handoff-lock"
	recordBytes = 256
	held        = "held"
	free        = "free"
)

// graceTime is how long the record of a holder that may be alive on another machine must
// not change before it is overwritten. Locks are held for milliseconds, and each new
// lock changes the record.
const graceTime = time.Second

func (h holder) String() string {
	line := strings.Join([]string{magic, h.state, h.number, h.boot, h.space, strconv.Itoa(h.pid), h.start, h.inode, h.host}, " ")
	return fmt.Sprintf("%-*s\n", recordBytes-1, line)
}

// parse parses a record. ok is false for an empty file and for any other content.
func parse(record string) (h holder, ok bool) {
	f := strings.Fields(record)
	if len(f) != 9 || f[0] != magic || f[1] != held && f[1] != free {
		return holder{}, false
	}
	pid, err := strconv.Atoi(f[5])
	return holder{f[1], f[2], process{f[3], f[4], pid, f[6], f[8]}, f[7]}, err == nil
}

// word makes a value one field of a record: of limited length, without blanks.
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

// NotSharedError reports that a lock does not exclude others: another process held it
// at the same time.
type NotSharedError struct {
	Path string
	Host string // of the other process, "" if unknown
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
