package journal

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
)

// The index on the disk is a folder of files of 8-byte numbers, little-endian:
//
//	head         what is valid, in JSON; replaced atomically
//	G.offsets.0  where each record begins
//	G.list.N     the positions of the records on a list, ascending
//	G.passed.0   offset and line of each line that was skipped
//	G.keys.N     pairs of a key's hash, or a mark, and a position, sorted: a run
//	lock         locked by the process that writes here
//
// G changes each time that the index is rebuilt, and names are not reused: a
// reader with an older head finds what that head refers to, or nothing, and then
// reads the new head. Everything that a head refers to, including the part of
// the journal that it covers, is flushed before the head is written, so no crash
// or power failure leaves a head that counts too much. Anything in a file beyond
// the head's counts was left by a killed writer, and is overwritten.

// head is what the index on the disk holds.
type head struct {
	Layout   int // of these files
	Format   int // Format.Version
	First    uint64
	Tolerant bool

	Gen     uint64
	Bytes   int64 // of the journal that are covered
	Lines   int64
	Records uint64
	Next    uint64 // the largest number, plus one
	Passed  uint64
	Lists   []columnHead
	Runs    []runHead
	File    uint64 // the number for the next file

	// Hashes of the beginning and the end of what is covered, to recognize
	// another journal, and this one after it was truncated.
	Begin, End uint64
}

type columnHead struct {
	Name  string
	File  uint64
	Count uint64
}

type runHead struct {
	File  uint64
	Count uint64 // pairs
}

const layout = 1

// maxHead limits the size of a head, which names only a few files.
const maxHead = 1 << 20

// endBytes is how much of the covered part is hashed at either end.
const endBytes = 4 << 10

func hashRange(r io.ReaderAt, from, to int64) (uint64, error) {
	h := fnv.New64a()
	_, err := io.Copy(h, io.NewSectionReader(r, from, to-from))
	return h.Sum64(), err
}

func (h *head) ends(r io.ReaderAt) (begin, end uint64, err error) {
	begin, err = hashRange(r, 0, min(h.Bytes, endBytes))
	if err == nil {
		end, err = hashRange(r, max(0, h.Bytes-endBytes), h.Bytes)
	}
	return begin, end, err
}

// fits reports whether the head is of this journal.
func (h *head) fits(format *Format, log io.ReaderAt, size int64) bool {
	if h.Layout != layout || h.Format != format.Version || h.First != format.First || h.Tolerant != format.Tolerant || h.Bytes > size {
		return false
	}
	begin, end, err := h.ends(log)
	return err == nil && begin == h.Begin && end == h.End
}

// list returns the head of a list, nil if there is no such list.
func (h *head) list(name string) *columnHead {
	for i := range h.Lists {
		if h.Lists[i].Name == name {
			return &h.Lists[i]
		}
	}
	return nil
}

// shelf is the folder of an index.
type shelf struct {
	root nofollow.Root
	dir  string
}

func (s shelf) path(name string) string { return filepath.Join(s.dir, name) }

func (s shelf) file(gen uint64, kind string, n uint64) string {
	return s.path(strconv.FormatUint(gen, 10) + "." + kind + "." + strconv.FormatUint(n, 10))
}

func (s shelf) offsets(h *head) string { return s.file(h.Gen, "offsets", 0) }
func (s shelf) passed(h *head) string  { return s.file(h.Gen, "passed", 0) }

func (s shelf) list(h *head, c *columnHead) string { return s.file(h.Gen, "list", c.File) }
func (s shelf) keys(h *head, r runHead) string     { return s.file(h.Gen, "keys", r.File) }

// isFolder is false for a symlink to a folder, in which nothing may be written
// or deleted.
func (s shelf) isFolder() bool {
	st, err := os.Lstat(s.dir)
	return err == nil && st.IsDir()
}

// ours reports whether a file may be one of an index, by its name.
func ours(name string) bool {
	if name == "head" || name == "lock" || atomicfile.IsTemp(name) {
		return true
	}
	parts := strings.Split(name, ".")
	return len(parts) == 3 && slices.Contains([]string{"offsets", "passed", "list", "keys"}, parts[1]) && isNumber(parts[0]) && isNumber(parts[2])
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

// readHead returns an empty head if none can be read.
func (s shelf) readHead() head {
	var h head
	b, err := s.root.ReadUnlinked(s.path("head"), maxHead)
	if err != nil || json.Unmarshal(b, &h) != nil {
		return head{}
	}
	return h
}

func (s shelf) writeHead(h head, mode fs.FileMode) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return atomicfile.Write(s.root, s.path("head"), append(b, '\n'), mode)
}

// newGen is larger than the number in any file name, even if the folder was
// removed and created again while a process used a head of the old one.
func (s shelf) newGen() uint64 {
	var gen uint64
	if st, err := os.Stat(s.path("lock")); err == nil {
		gen = uint64(st.ModTime().UnixNano())
	}
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), ".")
		if n, err := strconv.ParseUint(number, 10, 64); err == nil {
			gen = max(gen, n+1)
		}
	}
	return gen
}

// sweep removes the files that the head does not name. The index is locked.
func (s shelf) sweep(h *head) error {
	named := map[string]bool{s.path("head"): true, s.path("lock"): true, s.offsets(h): true, s.passed(h): true}
	for i := range h.Lists {
		named[s.list(h, &h.Lists[i])] = true
	}
	for _, r := range h.Runs {
		named[s.keys(h, r)] = true
	}
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		if path := s.path(e.Name()); !named[path] && ours(e.Name()) {
			err = errors.Join(err, s.root.Remove(path))
		}
	}
	return err
}
