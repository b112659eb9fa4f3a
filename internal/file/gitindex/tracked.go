package gitindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Index is what git tracks below a folder.
type Index struct {
	blobs map[string]string   // ids in hex, by path below the folder
	in    map[string][]string // names by the path of their folder
}

func newIndex(blobs map[string]string) Index {
	x := Index{blobs, map[string][]string{}}
	for name := range blobs {
		dir := path.Dir(name)
		x.in[dir] = append(x.in[dir], path.Base(name))
	}
	return x
}

// Has reports whether git tracks a file.
func (x Index) Has(path string) bool { return x.blobs[path] != "" }

// Same reports whether git tracks a file and has this content for it.
func (x Index) Same(path string, content []byte) bool { return x.ID(path, content) != "" }

// ID is the id of what git has for a file; "" if it does not track the file, or has another
// content. Line ends that git converts do not count.
func (x Index) ID(path string, content []byte) string {
	id := x.blobs[path]
	if id == "" {
		return ""
	}
	for _, other := range contents(content) {
		if blobID(other, len(id)) == id {
			return id
		}
	}
	return ""
}

// Files are the tracked files, in no order.
func (x Index) Files() iter.Seq[string] { return maps.Keys(x.blobs) }

// In lists the tracked files of a folder below the folder, in no order.
func (x Index) In(dir string) (names []string) { return x.in[dir] }

// cachedIndex is the last index that was read, and the state of its file then.
type cachedIndex struct {
	mu    sync.Mutex
	of    string // the folder
	file  os.FileInfo
	index Index
}

// Tracked returns what git tracks below a folder of the tree, by the index. It is read
// again when its file has changed.
func (t *Tree) Tracked(ctx context.Context, dir string) (Index, error) {
	file := filepath.Join(t.d.git, "index")
	st, err := os.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return Index{}, nil // nothing was ever added
	}
	if err != nil {
		return Index{}, err
	}
	c := &t.index
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == dir && unchanged(c.file, st) {
		return c.index, nil
	}
	prefix, err := t.prefix(dir)
	if err != nil {
		return Index{}, err
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return Index{}, err
	}
	blobs, ok := parseIndex(src, prefix, t.idSize)
	if !ok {
		if blobs, err = askIndex(ctx, dir); err != nil {
			return Index{}, err
		}
	}
	c.of, c.file, c.index = dir, st, newIndex(blobs)
	return c.index, nil
}

// unchanged reports whether an index is the one that was read. Git never writes to an index, but replaces it.
func unchanged(was, is os.FileInfo) bool {
	return os.SameFile(was, is) && was.Size() == is.Size() && was.ModTime().Equal(is.ModTime())
}

// Written is the index as it was at a moment. Commands that change the files of the tree replace it.
type Written struct{ file os.FileInfo }

// Written returns the index as it is now.
func (t *Tree) Written() Written {
	st, _ := os.Stat(filepath.Join(t.d.git, "index"))
	return Written{st}
}

// Same reports whether the index was not replaced between two moments.
func (w Written) Same(later Written) bool {
	if w.file == nil || later.file == nil {
		return w.file == later.file
	}
	return unchanged(w.file, later.file)
}

// Indexed is when the index was written; zero if there is none.
func (t *Tree) Indexed() time.Time {
	st, err := os.Stat(filepath.Join(t.d.git, "index"))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// prefix is the path of a folder in the tree, with a slash at its end; "" for all of it.
func (t *Tree) prefix(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(t.top, real)
	if err != nil || rel == "." {
		return "", err
	}
	return filepath.ToSlash(rel) + "/", nil
}

// parseIndex reads the file index, versions 2 to 4. ok is false for one that only git can
// read: a split index, or a version that is newer. Of a path with a conflict it has none,
// as the content is undecided.
func parseIndex(src []byte, prefix string, idSize int) (blobs map[string]string, ok bool) {
	if len(src) < 12+idSize || string(src[:4]) != "DIRC" {
		return nil, false
	}
	version, n := binary.BigEndian.Uint32(src[4:]), binary.BigEndian.Uint32(src[8:])
	if version < 2 || version > 4 {
		return nil, false
	}
	src, blobs = src[12:len(src)-idSize], map[string]string{}
	var name []byte
	for range n {
		e, size, ok := indexEntry(src, version, idSize, name)
		if !ok {
			return nil, false
		}
		src, name = src[size:], e.name
		below, inside := bytes.CutPrefix(name, []byte(prefix))
		if inside && e.stage == 0 && e.mode&0o170000 == 0o100000 {
			blobs[string(below)] = hex.EncodeToString(e.id)
		}
	}
	return blobs, !bytes.HasPrefix(src, []byte("link"))
}

// An indexed file is an entry of the index.
type indexed struct {
	mode  uint32
	id    []byte
	stage int // 0 without a conflict
	name  []byte
}

// indexEntry reads the entry at the start of src. last is the name of the one before,
// which version 4 refers to.
func indexEntry(src []byte, version uint32, idSize int, last []byte) (e indexed, size int, ok bool) {
	const stats, modeAt = 40, 24
	at := stats + idSize + 2
	if len(src) < at+2 {
		return e, 0, false
	}
	flags := binary.BigEndian.Uint16(src[at-2:])
	e.mode, e.id, e.stage = binary.BigEndian.Uint32(src[modeAt:]), src[stats:stats+idSize], int(flags>>12&3)
	if flags&0x4000 != 0 { // extended
		at += 2
	}
	keep := 0
	if version == 4 {
		cut, n := offsetVarint(src[at:])
		if n == 0 || cut > len(last) {
			return e, 0, false
		}
		at, keep = at+n, len(last)-cut
	}
	end := bytes.IndexByte(src[min(at, len(src)):], 0)
	if end < 0 {
		return e, 0, false
	}
	e.name = append(bytes.Clone(last[:keep]), src[at:at+end]...)
	if size = at + end + 1; version != 4 { // one to eight zeros
		size = (at + end + 8) / 8 * 8
	}
	return e, size, size <= len(src)
}

// offsetVarint reads a number as packs write offsets. n is its length, 0 for none.
func offsetVarint(src []byte) (value, n int) {
	for n < len(src) && n < 4 {
		c := src[n]
		n++
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, n
		}
		value++
	}
	return 0, 0
}

// askIndex is parseIndex with git.
func askIndex(ctx context.Context, dir string) (map[string]string, error) {
	out, err := output(ctx, dir, "-c", "core.fsmonitor=false", "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	blobs := map[string]string{}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		about, name, _ := strings.Cut(string(record), "\t")
		f := strings.Fields(about) // mode id stage
		if len(f) == 3 && f[2] == "0" && strings.HasPrefix(f[0], "100") {
			blobs[name] = f[1]
		}
	}
	return blobs, nil
}
