package current

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"handoff/internal/file/kept"
	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/log/receipt"
)

// Book is the entries that a working tree sees. Each is a file of its own, which is written
// and removed as a whole, so that processes need no lock.
type Book struct {
	shared, own folder
}

type folder struct {
	root nofollow.Root
	dir  string
}

const extension = ".json"

// maxEntry is the most bytes of an entry that are read.
const maxEntry = 64 << 10

// Open returns the entries beside the receipts of a place. It reads nothing yet.
func Open(p receipt.Place) Book {
	return Book{shared: folder{p.Root, p.Beside(state.Current)}, own: folder{p.Own, p.Apart(state.Current)}}
}

func (b Book) folder(e Entry) folder {
	if len(e.Sessions) > 0 {
		return b.shared
	}
	return b.own
}

// Add remembers a claim. It returns once that is on the disk.
func (b Book) Add(e Entry) error {
	return b.folder(e).file(e.file()).Replace(e)
}

func (f folder) file(name string) kept.File[Entry] {
	return kept.File[Entry]{Root: f.root, Path: filepath.Join(f.dir, name), Max: maxEntry, Mode: 0o644}
}

// Remove forgets a claim. It ignores errors: an entry of a claim that has ended has no
// further effect.
func (b Book) Remove(e Entry) {
	_ = b.folder(e).file(e.file()).Remove()
}

// All returns the entries that can be read, sorted by the names of their files. What cannot be
// read is left out, as if it had been lost.
func (b Book) All() []Entry {
	list := b.shared.read(func(e Entry) bool { return len(e.Sessions) > 0 })
	return append(list, b.own.read(func(e Entry) bool { return len(e.Sessions) == 0 })...)
}

func (f folder) read(keep func(Entry) bool) (list []Entry) {
	files, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), extension) {
			continue
		}
		e, err := f.file(file.Name()).Read()
		if err != nil || e.Handoff == "" || e.ID == "" || e.file() != file.Name() || !keep(e) {
			continue
		}
		list = append(list, e)
	}
	return list
}
