package documents

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/kept"
	"handoff/internal/file/regular"
	"handoff/internal/state"
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
	tree    *regular.Folder
	key     string    // what the sights depend on beside files
	began   time.Time // before the first file was read
	several bool      // git is asked about all tasks at once, which may differ from one
	head    func() string

	at     map[string]*packedSight // by folder
	device uint64                  // of the file system that the index is on: others have other clocks
	before int64                   // what was changed later, by that clock, is read again
	until  int64                   // that of the next index

	mu     sync.Mutex
	fresh  []sight
	effort int // documents that were read
}

type packedSight struct {
	text string
	used bool // it counted, in all
}

const (
	indexForm = "tasks 2\n"     // to be changed with the form of the file
	indexMax  = 256 << 20       // bytes
	unsure    = 2 * time.Second // the coarsest file time of any file system (FAT)
	worth     = 128             // documents that are read before an index is written
)

// openIndex opens the index for a look at some number of tasks.
func openIndex(w *workspace.Workspace, tasks int) *index {
	receipts, err := w.Receipts()
	if err != nil || w.Config.Documents.Own() != nil || tasks == 0 {
		return nil
	}
	tree, err := regular.OpenFolder(w.Root)
	if err != nil {
		return nil
	}
	place := receipts.Place()
	x := &index{w: w, tree: tree, began: w.Now(), several: tasks > 1}
	x.head = sync.OnceValue(func() string { return gitindex.Head(w.Root) })
	x.file = kept.File[[]byte]{Root: place.Own, Path: place.Apart(state.TaskIndex), Max: indexMax, Mode: 0o600, Unsynced: true,
		Decode: func(src []byte) ([]byte, error) { return src, nil }, Encode: func(src []byte) ([]byte, error) { return src, nil }}
	x.load()
	return x
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
	src, err := x.file.Read()
	if err != nil || len(src) < 4 {
		return
	}
	u := unpacker{rest: string(src[4:])}
	if string(src[:4]) != checksum(src[4:]) || u.text() != indexForm || u.text() != x.keyed() {
		return
	}
	if x.w.Now().Before(u.time()) {
		return
	}
	x.before, x.device = u.int(), at.Device
	sights := make([]packedSight, min(u.count(), len(u.rest)))
	x.at = make(map[string]*packedSight, len(sights))
	for i := range sights {
		sights[i].text = u.text()
		dir := unpacker{rest: sights[i].text}
		x.at[dir.text()] = &sights[i]
	}
}

func (x *index) keyed() string {
	if x.key == "" {
		x.key = keyOf(x.w)
	}
	return x.key
}

func checksum(src []byte) string {
	n := crc32.Checksum(src, crc32.MakeTable(crc32.Castagnoli))
	return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
}

// sight returns what is known of a task, if that is still so. For only what is unfinished, that can be that
// nothing is left to do.
func (x *index) sight(dir string, lives *histories, unfinished bool) (s sight, known bool) {
	if x == nil || x.at[dir] == nil {
		return s, false
	}
	one := x.at[dir]
	u := unpacker{rest: one.text}
	flags := x.same(&u, unfinished)
	switch {
	case flags < 0:
		return s, false
	case unfinished && flags&isFinished != 0:
		s = sight{dir: dir, finished: true, only: true}
	case flags&isOnly != 0:
		return s, false
	default:
		if s = u.sight(dir, flags); u.bad || !x.answers(s, lives) {
			return sight{}, false
		}
	}
	one.used = !s.only && !(unfinished && flags&isLed != 0) // else not all of it was looked at
	return s, true
}

// answers reports whether receipts and HEAD answer what they did.
func (x *index) answers(s sight, lives *histories) bool {
	for _, a := range s.asked {
		r, err := lives.receipt(a.path)
		if err != nil || r.Taken != a.Taken || r.Done != a.Done || r.Again != a.Again || !r.Since.Equal(a.Since) {
			return false
		}
	}
	return !s.git || x.several && s.head == x.head()
}

// add keeps what a task shows.
func (x *index) add(s sight) {
	if x == nil {
		return
	}
	if s.git {
		if s.head = x.head(); s.head == "" || !x.several {
			return
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fresh, x.effort = append(x.fresh, s), x.effort+1+len(s.paths)
}

// save writes the index if enough was read that it is worth it. all are the tasks that there are. It need not
// succeed: a tree that cannot be written is read again.
func (x *index) save(all []string) {
	if x == nil || x.effort < worth || x.keyed() == "" || !x.begin() {
		return
	}
	fresh := make(map[string]sight, len(x.fresh))
	for _, s := range x.fresh {
		fresh[s.dir] = s
	}
	p := packer{}
	p.text(indexForm)
	p.text(x.keyed())
	p.time(x.w.Now())
	p.int(x.until)
	var list []string
	for _, dir := range all {
		if one := x.packed(dir, fresh); one != "" {
			list = append(list, one)
		}
	}
	p.texts(list)
	_ = x.file.Replace(append([]byte(checksum(p.b)), p.b...))
}

// begin finds a place for the index, and until when what was changed can be relied on: when the first file was read, by
// the clock of the file system. Readers make no folder in the workspace.
func (x *index) begin() bool {
	dir := filepath.Dir(x.file.Path)
	if filepath.Base(dir) == state.Dir && regular.KindOf(dir) != regular.Dir || x.file.Replace(nil) != nil {
		return false
	}
	folder, err := regular.OpenFolder(dir)
	if err != nil {
		return false
	}
	defer folder.Close()
	mine, _, here := folder.Look(filepath.Base(x.file.Path))
	now := x.w.Now()
	took := max(now.Sub(x.began), now.Round(0).Sub(x.began.Round(0))) // one of them has the time that the machine slept
	specs, _, known := x.tree.Look(handoff.Root)
	x.device, x.until = specs.Device, mine.ChangeTime-int64(took+unsure)
	return known && here && specs.Device == mine.Device && folder.Local()
}

func (x *index) close() {
	if x != nil {
		x.tree.Close()
	}
}

// packed is what is kept of a task; "" for nothing. What was not looked at now must be beyond doubt, because the
// new index is later than the last one.
func (x *index) packed(dir string, fresh map[string]sight) string {
	if s, ok := fresh[dir]; ok {
		p := packer{}
		p.text(dir)
		if !x.stamp(&p, s) {
			return ""
		}
		if !s.only {
			p.sight(s)
		}
		return string(p.b)
	}
	old := x.at[dir]
	if old != nil && (old.used || x.same(&unpacker{rest: old.text}, false) >= 0) {
		return old.text
	}
	return ""
}
