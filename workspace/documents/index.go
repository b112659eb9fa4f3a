package documents

import (
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/kept"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/log/receipt"
	"handoff/workspace"
)

// index keeps what the tasks of a large tree showed, so that their files are looked at and not read again. It is
// never trusted blindly: a sight counts while the folder of documents, each document and the metadata have
// the same size, inode and times, and receipts and HEAD answer the same. What was changed so shortly before
// it was read that a later change may have the same time does not count, by the clock of the
// file system. An index of another program, user, place or configuration, a damaged one, and one from the
// future are as none. A nil index keeps nothing.
type index struct {
	w       *workspace.Workspace
	file    kept.File[[]byte]
	tree    *regular.Folder // of the tasks
	key     string          // what the sights depend on beside files
	began   time.Time       // before the first file was read
	several bool            // git is asked about all tasks at once, which may differ from one
	whole   bool            // no other tasks exist
	head    func() string

	source *os.File      // of which only the beginning is read at first; nil without one
	tail   func() string // the rest; "" if it cannot be relied on

	sights []packedSight
	at     map[string]int32 // where they are, by folder
	device uint64           // of the file system that the index is on: others have other clocks
	before int64            // what was changed later, by that clock, is read again
	until  int64            // that of the next index

	mu     sync.Mutex
	seen   []sight
	effort int // documents that were read

	form  string
	under string           // what the paths of the tree begin with
	fresh map[string]shown // by path, of an index of documents
}

// packedSight is what the index has of a task: what a brief look needs, and the part of the tail with the other documents.
type packedSight struct {
	text        string
	first, last int32 // in the tail
	used        bool  // it counted, in all
}

const (
	taskForm     = "tasks 5\n"     // to be changed with the form of the file
	documentForm = "documents 1\n" // the same
	indexMax     = 256 << 20       // bytes
	unsure       = 2 * time.Second // the coarsest file time of any file system (FAT)
	worth        = 128             // documents that are read before an index is written
)

// openIndex opens the index for a look at some number of all tasks.
func openIndex(w *workspace.Workspace, tasks, all int) *index {
	receipts, err := w.Receipts()
	if err != nil || w.Config.Documents.Own() != nil || tasks == 0 {
		return nil
	}
	tree, err := regular.OpenFolder(w.Specs())
	if err != nil {
		return nil
	}
	x := newIndex(w, tree, receipts.Place(), state.TaskIndex)
	x.form, x.under, x.several, x.whole = taskForm, handoff.Root+"/", tasks > 1, tasks == all
	x.head = sync.OnceValue(func() string { return gitindex.Head(w.Root) })
	x.load()
	return x
}

// newIndex is an index that is not read yet.
func newIndex(w *workspace.Workspace, tree *regular.Folder, place receipt.Place, name string) *index {
	return &index{w: w, tree: tree, began: w.Now(),
		file: kept.File[[]byte]{Root: place.Own, Path: place.Apart(name), Max: indexMax, Mode: 0o600, Unsynced: true,
			Decode: func(src []byte) ([]byte, error) { return src, nil }, Encode: func(src []byte) ([]byte, error) { return src, nil }}}
}

// keyOf is what sights depend on beside files: the program, who reads, and where.
func keyOf(w *workspace.Workspace) string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(program)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d %d %d %q", program, st.Size(), st.ModTime().UnixNano(), os.Geteuid(), os.Getegid(), w.Root)
}

// load reads the file, unless it cannot be relied on.
func (x *index) load() {
	folder, err := regular.OpenFolder(filepath.Dir(x.file.Path))
	if err != nil {
		return
	}
	defer folder.Close()
	at, kind, known := folder.Look(filepath.Base(x.file.Path))
	if !known || kind != regular.File || !folder.Local() {
		return
	}
	if x.source, err = x.file.Root.OpenFile(x.file.Path, os.O_RDONLY, 0); err != nil {
		return
	}
	u := unpacker{rest: x.part(0, headSize)}
	sum, size, sumOfTail := u.fixed(), u.fixed(), u.fixed()
	if u.rest = x.part(headSize, size); u.bad || int64(checksum(u.rest)) != sum || u.text() != x.form || u.text() != x.keyed() {
		return
	}
	if x.w.Now().Before(u.time()) {
		return
	}
	x.before, x.device = u.int(), at.Device
	x.tail = sync.OnceValue(func() string {
		if tail := x.part(headSize+size, at.Size-headSize-size); int64(checksum(tail)) == sumOfTail {
			return tail
		}
		return ""
	})
	x.sights = make([]packedSight, min(u.count(), len(u.rest)))
	x.at = make(map[string]int32, len(x.sights))
	end := int32(0)
	for i := range x.sights {
		one := &x.sights[i]
		one.text, one.first = u.text(), end
		end += int32(u.count())
		one.last = end
		dir := unpacker{rest: one.text}
		x.at[dir.text()] = int32(i)
	}
}

// part reads a part of the file; "" if it does not have all of it.
func (x *index) part(from, size int64) string {
	if size < 0 || size > indexMax {
		return ""
	}
	text := strings.Builder{}
	text.Grow(int(size))
	if _, err := io.Copy(&text, io.NewSectionReader(x.source, from, size)); err != nil || int64(text.Len()) != size {
		return ""
	}
	return text.String()
}

// others is the part of the tail that a sight has.
func (x *index) others(one *packedSight) (text string, known bool) {
	if one.first == one.last {
		return "", true
	}
	tail := x.tail()
	if one.first < 0 || one.last < one.first || int(one.last) > len(tail) {
		return "", false
	}
	return tail[one.first:one.last], true
}

func (x *index) keyed() string {
	if x.key == "" {
		x.key = keyOf(x.w)
	}
	return x.key
}

// headSize is how many bytes are before the beginning: its checksum, its size, and the checksum of the tail.
const headSize = 3 * 8

// checksum is the CRC-32 of a text, by parts that are copied to a buffer.
func checksum(text string) (sum uint32) {
	table := crc32.MakeTable(crc32.Castagnoli)
	var buf [8 << 10]byte
	for len(text) > 0 {
		n := copy(buf[:], text)
		sum, text = crc32.Update(sum, table, buf[:n]), text[n:]
	}
	return sum
}

// sight returns what is known of a task, if that is still so. For only what is unfinished, that can be that
// nothing is left to do, and for a caller that passes over the task it is no more.
func (x *index) sight(dir string, lives *histories, l look) (s sight, known bool) {
	if x == nil {
		return s, false
	}
	i, there := x.at[dir]
	if !there {
		return s, false
	}
	one := &x.sights[i]
	u := unpacker{rest: one.text}
	flags := x.same(&u, one, l.unfinished)
	switch {
	case flags < 0:
		return s, false
	case l.unfinished && flags&isFinished != 0:
		s = sight{dir: dir, finished: true, only: true}
	case flags&isOnly != 0:
		return s, false
	case flags&isPlain != 0 && l.passes != nil && x.passed(u, lives, l.passes):
		s = sight{dir: dir, only: true}
		one.used = flags&isLed == 0
		return s, true
	default:
		if s = u.sight(dir, flags); u.bad || !x.answers(s, lives) {
			return sight{}, false
		}
	}
	one.used = !s.only && !(l.unfinished && flags&isLed != 0) // else not all of it was looked at
	return s, true
}

// passed reports whether a caller passes over a plain task, by the beginning of its sight.
func (x *index) passed(u unpacker, lives *histories, passes Passes) bool {
	for range u.count() {
		if path, _, _, _, _ := u.path(), u.flag(), u.flag(), u.flag(), u.time(); u.bad || !lives.untouched(path) {
			return false
		}
	}
	u.text() // what HEAD was
	at, path := u.moment(), u.path()
	return !u.bad && passes(at, path)
}

// answers reports whether receipts and HEAD answer what they did.
func (x *index) answers(s sight, lives *histories) bool {
	for _, a := range s.asked {
		r, err := lives.receipt(a.path)
		if err != nil || r.Taken != a.Taken || r.Done != a.Done || r.Again != a.Again || !r.Since.Equal(a.Since) {
			return false
		}
	}
	return !s.git || (x.several || x.whole) && s.alone == !x.several && s.head == x.head()
}

func (x *index) close() {
	if x != nil {
		x.tree.Close()
		if x.source != nil {
			x.source.Close()
		}
	}
}
