package gitindex

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A file that git wrote has a content that git had stored before; a file that a program
// wrote and git then got was there before git stored its content. So the time of the object
// tells the two apart, also if both happen in one second.

// Brought reports whether git wrote a file, rather than an agent or a person: a checkout, a
// merge, a stash. id is what the index has for it, and modified the time of the file. since is
// when the caller last looked: a commit that was made here afterwards and that added the content
// shows that it was written here. path is below the top of the tree.
func (t *Tree) Brought(ctx context.Context, path, id string, modified, since time.Time) bool {
	return t.Wrote(id, modified) && !t.committedHere(ctx, path, id, since)
}

// Wrote is [Tree.Brought] for the time of a file, which is when it was checked out if git
// wrote it, whoever committed it.
func (t *Tree) Wrote(id string, modified time.Time) bool {
	at, loose, ok := t.stored(id)
	return ok && (!loose || modified.After(at))
}

// contents are the contents that git may have stored for a file: line ends may be
// converted.
func contents(content []byte) [][]byte {
	if !bytes.Contains(content, []byte("\r\n")) {
		return [][]byte{content}
	}
	return [][]byte{content, bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))}
}

// blobID is the id of a content, with so many hex digits.
func blobID(content []byte, digits int) string {
	var h hash.Hash = sha1.New()
	if digits == 2*sha256.Size {
		h = sha256.New()
	}
	h.Write([]byte("blob " + strconv.Itoa(len(content)) + "\x00"))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// idSize is the number of bytes of an id in the repository.
func (d *direct) idSize() int {
	text, _ := small(filepath.Join(d.common, "config"), maxPacked)
	for line := range strings.Lines(strings.ToLower(text)) {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "objectformat" && strings.TrimSpace(value) == "sha256" {
			return sha256.Size
		}
	}
	return sha1.Size
}

// stored reports whether the repository has an object, and when it got a file of its own.
// One in a pack has no time.
func (t *Tree) stored(id string) (at time.Time, loose, ok bool) {
	for _, dir := range t.d.objectDirs() {
		if st, err := os.Lstat(filepath.Join(dir, id[:2], id[2:])); err == nil {
			return st.ModTime(), true, true
		}
	}
	for _, dir := range t.d.objectDirs() {
		packs, _ := filepath.Glob(filepath.Join(dir, "pack", "pack-*.idx"))
		for _, pack := range packs {
			if packHas(pack, id) {
				return time.Time{}, false, true
			}
		}
	}
	return time.Time{}, false, false
}

// objectDirs are the folders of objects: the repository's own, and those that it borrows.
func (d *direct) objectDirs() []string {
	own := filepath.Join(d.common, "objects")
	dirs := []string{own}
	text, _ := small(filepath.Join(own, "info", "alternates"), maxRef)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			dirs = append(dirs, below(own, line))
		}
	}
	return dirs
}

// packHas searches the index of a pack, version 2, for an object.
func packHas(file, id string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	want, err := hex.DecodeString(id)
	if err != nil {
		return false
	}
	number := func(at int64) (n uint32) {
		var b [4]byte
		f.ReadAt(b[:], at) // 0 if the file ends: then nothing is found
		return binary.BigEndian.Uint32(b[:])
	}
	const magic, fanout, ids = 0xff744f63, 8, 8 + 256*4
	if number(0) != magic || number(4) != 2 {
		return false
	}
	low, high := uint32(0), number(fanout+4*int64(want[0]))
	if want[0] > 0 {
		low = number(fanout + 4*int64(want[0]-1))
	}
	got := make([]byte, len(want))
	for low < high {
		middle := low + (high-low)/2
		if _, err := f.ReadAt(got, ids+int64(middle)*int64(len(want))); err != nil {
			return false
		}
		switch c := bytes.Compare(got, want); {
		case c == 0:
			return true
		case c < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return false
}

// committedHere reports whether a commit that was made in this tree since a time added a
// content at a path, which is below the top folder.
func (t *Tree) committedHere(ctx context.Context, path, id string, since time.Time) bool {
	commits := t.commits(since)
	if len(commits) == 0 {
		return false
	}
	t.added.mu.Lock()
	defer t.added.mu.Unlock()
	if asked := strings.Join(commits, "\n"); asked != t.added.by {
		files, err := t.changedBy(ctx, asked)
		if err != nil {
			return false
		}
		t.added.by, t.added.files = asked, files
	}
	return t.added.files[path+"\x00"+id]
}

// addedFiles are the contents that some commits added, by path and id.
type addedFiles struct {
	mu    sync.Mutex
	by    string // the ids of the commits
	files map[string]bool
}

// changedBy asks git for what commits added or changed. It leaves merges out.
func (t *Tree) changedBy(ctx context.Context, commits string) (map[string]bool, error) {
	c := command(ctx, t.top, "diff-tree", "--stdin", "--root", "-r", "-z", "--no-commit-id", "--no-renames", "--diff-filter=ACMT")
	c.Stdin = strings.NewReader(commits + "\n")
	out, err := c.Output()
	if err != nil {
		return nil, err
	}
	list, err := parseRaw(out)
	files := make(map[string]bool, len(list))
	for _, e := range list {
		files[e.Path+"\x00"+e.ID] = true
	}
	return files, err
}

// commits are the commits that were made in this tree since a time, the newest first, by
// the log of HEAD. Those that git made from others (merge, rebase, cherry-pick) are left
// out.
func (t *Tree) commits(since time.Time) (ids []string) {
	log, _ := os.ReadFile(filepath.Join(t.d.git, "logs", "HEAD"))
	lines := strings.Split(string(log), "\n")
	for i := len(lines) - 1; i >= 0; i-- { // OLD NEW NAME <ADDRESS> SECONDS ZONE\tMESSAGE
		about, message, ok := strings.Cut(lines[i], "\t")
		f := strings.Fields(about)
		if !ok || len(f) < 4 {
			continue
		}
		seconds, err := strconv.ParseInt(f[len(f)-2], 10, 64)
		if err != nil || seconds < since.Unix() {
			break
		}
		if kind, _, _ := strings.Cut(message, ":"); (kind == "commit" || kind == "commit (initial)" || kind == "commit (amend)") && isID(f[1]) {
			ids = append(ids, f[1])
		}
	}
	return ids
}
