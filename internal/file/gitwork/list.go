package gitwork

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Modes of files, as git writes them.
const (
	Plain      = "100644"
	Executable = "100755"
	Link       = "120000"
	Module     = "160000" // a submodule: its id is a commit
)

// File is what a tree has at a path: its mode, and the id of its content.
type File struct{ Mode, ID string }

// An entry is a file of the index.
type entry struct {
	File
	path  string
	stage int // 0 without a conflict
	skip  bool
	stat  stat // zero if git has none
}

// stat is what git remembers of a file that had the content of its entry.
type stat struct {
	mtime, ctime int64  // nanoseconds
	size         uint32 // modulo 4 GiB
	ino          uint32
}

// list reads the index, and the names of files that git neither tracks nor ignores. A name
// with a slash at its end is a repository of its own.
func (r *Repo) list(ctx context.Context, top string) (entries []entry, others []string, err error) {
	out, err := r.runIn(ctx, top, job{args: []string{"ls-files", "-z", "-t", "--stage", "--others", "--debug", "--exclude-standard"}})
	if err != nil {
		return nil, nil, err
	}
	for len(out) > 0 {
		record, rest, ok := bytes.Cut(out, []byte{0})
		if !ok || len(record) < 3 {
			return nil, nil, fmt.Errorf("git ls-files returned %q", record)
		}
		out = rest
		if record[0] == '?' {
			others = append(others, string(record[2:]))
			continue
		}
		about, name, _ := strings.Cut(string(record[2:]), "\t")
		f := strings.Fields(about) // mode id stage
		if len(f) != 3 || name == "" {
			return nil, nil, fmt.Errorf("git ls-files returned %q", record)
		}
		e := entry{File: File{f[0], f[1]}, path: name, stage: int(f[2][0] - '0'), skip: record[0] == 'S' || record[0] == 's'}
		e.stat, out = parseStat(out)
		entries = append(entries, e)
	}
	return entries, others, nil
}

// parseStat reads what ls-files --debug prints after a name. Its form is not promised: if it
// is another one, nothing is known of the file, and its content is read.
func parseStat(out []byte) (s stat, rest []byte) {
	const lines = 5
	known := true
	for i := range lines {
		text, after, ok := bytes.Cut(out, []byte{'\n'})
		if !ok || !bytes.HasPrefix(text, []byte("  ")) {
			return stat{}, out
		}
		out = after
		f := strings.FieldsFunc(string(text), func(c rune) bool { return c == ' ' || c == '\t' || c == ':' })
		switch {
		case i == 0 && len(f) == 3 && f[0] == "ctime":
			s.ctime = nanoseconds(f[1], f[2], &known)
		case i == 1 && len(f) == 3 && f[0] == "mtime":
			s.mtime = nanoseconds(f[1], f[2], &known)
		case i == 2 && len(f) == 4 && f[2] == "ino":
			s.ino = number(f[3], &known)
		case i == 4 && len(f) == 4 && f[0] == "size":
			s.size = number(f[1], &known)
		case i != 3:
			known = false
		}
	}
	if !known {
		s = stat{}
	}
	return s, out
}

func nanoseconds(sec, nsec string, known *bool) int64 {
	const second = 1_000_000_000
	return int64(number(sec, known))*second + int64(number(nsec, known))
}

func number(text string, known *bool) uint32 {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		*known = false
	}
	return uint32(n)
}
