package gitwork

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/regular"
)

// Limits of what is kept. What is over them is left out, and listed.
const (
	MaxNew     = 10 << 20  // bytes of a file that git does not track
	MaxTracked = 50 << 20  // bytes of a file that it tracks
	MaxAll     = 100 << 20 // bytes of all files that changed
	maxEntries = 50_000    // files that git does not track
)

// Skipped is a path that a saved state does not have, or not as it is on the disk.
type Skipped struct{ Path, Why string }

// Changed is a path whose content is not that of the index. No mode means that it is not there.
type Changed struct {
	Path string
	File
	New bool // git does not track it
}

// Scan is the state of a working tree: what the index has, and what differs from it.
type Scan struct {
	Changed []Changed
	Skipped []Skipped

	tracked  map[string]File // what the tree has of the files of the index, without what changed
	as       []Changed       // files that are as git has written or read them, with other line ends than in the index
	entries  []entry
	conflict bool // the index has files with a conflict
	blobs    pack
}

// Same reports whether no file differs from the index.
func (s *Scan) Same() bool { return len(s.Changed) == 0 && len(s.Skipped) == 0 }

// At returns what the tree has at a path. ok is false for a path that git ignores, or that is
// not there.
func (s *Scan) At(name string) (f File, ok bool) {
	if i, found := slices.BinarySearchFunc(s.Changed, name, func(c Changed, name string) int { return strings.Compare(c.Path, name) }); found {
		return s.Changed[i].File, s.Changed[i].Mode != ""
	}
	f, ok = s.tracked[name]
	return f, ok
}

// scanner compares files with the index.
type scanner struct {
	r       *Repo
	ctx     context.Context
	top     string
	indexed time.Time // when the index was written
	modes   bool      // the file system has a mode for executable files
	folders map[string]bool
	keep    bool   // contents are collected
	empty   string // id of an empty file
	total   int64
	clean   []*entry // files that are as the index has them

	converts bool   // the next file may be as git has converted it
	normal   string // the id that it has then
	out      *Scan
}

// Scan compares the working tree with the index. also are paths that are kept although git
// ignores them.
func (r *Repo) Scan(ctx context.Context, also ...string) (*Scan, error) {
	return r.scan(ctx, r.Top, r.git, true, also)
}

func (r *Repo) scan(ctx context.Context, top, git string, keep bool, also []string) (*Scan, error) {
	s := scanner{r: r, ctx: ctx, top: top, folders: map[string]bool{}, keep: keep, empty: r.blobID(nil), out: &Scan{tracked: map[string]File{}}}
	set := r.settings(ctx, top)
	s.modes = set["core.filemode"] != "false"
	if st, err := os.Stat(filepath.Join(git, "index")); err == nil {
		s.indexed = st.ModTime()
	}
	entries, others, err := r.list(ctx, top)
	if err != nil {
		return nil, err
	}
	s.out.entries = entries
	if err := s.compare(entries); err != nil {
		return nil, err
	}
	if converts(top, git, set, entries, others) {
		if err := s.converted(); err != nil {
			return nil, err
		}
	}
	others = append(others, also...)
	slices.Sort(others)
	if err := s.add(slices.Compact(others)); err != nil {
		return nil, err
	}
	slices.SortFunc(s.out.Changed, func(a, b Changed) int { return strings.Compare(a.Path, b.Path) })
	return s.out, nil
}

// compare compares the files of the index with the disk. A file with a conflict is as it is on
// the disk, whatever its versions are.
func (s *scanner) compare(entries []entry) error {
	last := ""
	for i := range entries {
		e := &entries[i]
		if e.stage != 0 {
			s.out.conflict = true
		}
		if e.path == last {
			continue // another version of a conflict
		}
		last = e.path
		if err := s.ctx.Err(); err != nil {
			return err
		}
		now, err := s.look(e)
		if err != nil {
			s.leave(e.path, err)
			s.out.tracked[e.path] = e.File
			continue
		}
		promised := e.stat == stat{} && e.ID == s.empty // by git add -N: no tree has it yet
		if now.Mode == "" && e.skip || now == e.File && e.stage == 0 && !promised {
			s.out.tracked[e.path] = e.File
			if e.Mode == Plain || e.Mode == Executable {
				s.clean = append(s.clean, e)
			}
			continue
		}
		s.out.Changed = append(s.out.Changed, Changed{Path: e.path, File: now})
	}
	return nil
}

// look returns what is at the path of an entry of the index.
func (s *scanner) look(e *entry) (File, error) {
	if e.Mode == Module {
		return s.module(e)
	}
	if !s.isFolder(path.Dir(e.path)) {
		return File{}, nil
	}
	st, err := os.Lstat(s.full(e.path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{}, nil
	case err != nil:
		return File{}, err
	case st.IsDir():
		return File{}, nil // what is in it has names of its own
	}
	mode := s.modeOf(st, e.Mode)
	known := e.stage == 0 && (mode == Link) == (e.Mode == Link) && mode != "" && e.stat.same(st)
	if known && e.stat.mtime < s.indexed.UnixNano() {
		return File{mode, e.ID}, nil
	}
	s.converts = known // else a file with other line ends was changed
	f, err := s.read(e.path, st, mode, MaxTracked)
	if s.converts && f.ID != e.ID && s.normal == e.ID {
		f.ID = e.ID // git has converted it in the moment in which it wrote the index
	}
	return f, err
}

// modeOf is the mode of a file; "" for what git does not store. was is its mode in the index.
func (s *scanner) modeOf(st fs.FileInfo, was string) string {
	switch {
	case st.Mode()&fs.ModeSymlink != 0:
		return Link
	case !st.Mode().IsRegular():
		return ""
	case !s.modes && (was == Executable || was == Plain):
		return was
	case s.modes && st.Mode()&0o100 != 0:
		return Executable
	}
	return Plain
}

// isFolder reports whether a path is a folder of the tree, and reached through no link: what
// is in the target of a link is not part of the tree.
func (s *scanner) isFolder(dir string) bool {
	if dir == "." {
		return true
	}
	is, known := s.folders[dir]
	if !known {
		is = s.isFolder(path.Dir(dir)) && regular.KindOf(s.full(dir)) == regular.Dir
		s.folders[dir] = is
	}
	return is
}

func (s *scanner) full(name string) string {
	return s.top + string(filepath.Separator) + filepath.FromSlash(name)
}

func (s *scanner) leave(name string, why error) {
	text := why.Error()
	var large *regular.TooLargeError
	var at *fs.PathError
	switch {
	case errors.As(why, &large):
		text = "larger than " + strconv.FormatInt(large.Max>>20, 10) + " MiB"
	case errors.As(why, &at):
		text = at.Err.Error()
	}
	s.out.Skipped = append(s.out.Skipped, Skipped{name, text})
}

// errAll reports that the limit for all files is reached.
var errAll = errors.New("all changed files together are larger than " + strconv.Itoa(MaxAll>>20) + " MiB")

// read reads a file or link, and collects its content.
func (s *scanner) read(name string, st fs.FileInfo, mode string, most int64) (File, error) {
	if mode == "" {
		return File{}, errors.New("neither a file nor a link")
	}
	if s.total+st.Size() > MaxAll {
		return File{}, errAll
	}
	var src []byte
	var err error
	if mode == Link {
		src, err = readLink(s.full(name))
	} else {
		src, err = s.r.trusted().ReadUnlinked(s.full(name), most)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, nil // it was deleted since
	}
	if err != nil {
		return File{}, err
	}
	id := s.r.blobID(src)
	if s.converts {
		s.normal = s.r.blobID(normal(src))
	}
	if s.keep {
		s.total += int64(len(src))
		s.out.blobs.add(id, src)
	}
	return File{mode, id}, nil
}

func readLink(full string) ([]byte, error) {
	to, err := os.Readlink(full)
	return []byte(filepath.ToSlash(to)), err
}

// add adds the files that git does not track.
func (s *scanner) add(others []string) error {
	for i, name := range others {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if i >= maxEntries {
			s.leave(name, errors.New("with "+strconv.Itoa(len(others)-i-1)+" more new files: more than "+strconv.Itoa(maxEntries)))
			return nil
		}
		if atomicfile.IsTemp(path.Base(name)) {
			continue // of a process that is writing a file, or was killed
		}
		if strings.HasSuffix(name, "/") {
			s.leave(name, errors.New("a repository of its own"))
			continue
		}
		st, err := os.Lstat(s.full(name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		f := File{}
		if err == nil {
			f, err = s.read(name, st, s.modeOf(st, ""), MaxNew)
		}
		if err != nil {
			s.leave(name, err)
		} else if f.Mode != "" {
			s.out.Changed = append(s.out.Changed, Changed{Path: name, File: f, New: true})
		}
	}
	return nil
}

// module is the state of a submodule: the commit that it is at. Its own changes are not kept,
// because its repository is another one.
func (s *scanner) module(e *entry) (File, error) {
	top := s.full(e.path)
	st, err := os.Lstat(top)
	if !s.isFolder(path.Dir(e.path)) || errors.Is(err, fs.ErrNotExist) {
		return File{}, nil
	}
	if err != nil || !st.IsDir() || !regular.HasGit(top) {
		return e.File, err // it is not checked out
	}
	m, err := Open(s.ctx, top)
	if err != nil || m.head == "" {
		return e.File, err
	}
	inside, err := m.scan(s.ctx, m.Top, m.git, false, nil)
	if err == nil {
		_, err = m.run(s.ctx, job{args: []string{"diff-index", "--cached", "--quiet", "HEAD"}})
	}
	if err != nil || !inside.Same() {
		s.leave(e.path, errors.New("changes inside of a submodule"))
	}
	return File{Module, m.head}, nil
}

// blobID is the id of a content.
func (r *Repo) blobID(src []byte) string {
	var h hash.Hash = sha1.New()
	if r.hash == "sha256" {
		h = sha256.New()
	}
	h.Write([]byte("blob " + strconv.Itoa(len(src)) + "\x00"))
	h.Write(src)
	return hex.EncodeToString(h.Sum(nil))
}
