package tape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/internal/file/atomicfile"
)

// tempSuffix is that of a second name of a tape while it is being archived.
const tempSuffix = ".tmp"

// archive puts the tape's file into the folder of archives, and in its place
// what instead makes, which is told where the archive is: then the tape is
// never missing. With nil it is gone.
func (s *Store) archive(ctx context.Context, t *Tape, instead func(archived string) ([]byte, error)) (to string, err error) {
	unlock, err := t.lock(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	_, left, err := s.archivesOf(t)
	if err != nil {
		return "", err
	}
	for _, path := range left { // whoever made it is dead: we have the lock
		s.root().Remove(path)
	}
	to, err = s.freeArchive(t)
	if err != nil {
		return "", err
	}
	if instead == nil {
		err = s.root().Rename(t.path, to)
	} else {
		err = s.replace(t, to, instead)
	}
	if err != nil {
		s.dropUnused(t.path, to)
		return "", err
	}
	if s.forget(t); instead == nil {
		s.root().RemoveAll(t.path + ".idx") // derived, and of no more use
	}
	err = errors.Join(s.root().Sync(filepath.Dir(t.path)), s.root().Sync(filepath.Dir(to)))
	return s.relative(to), err
}

func (s *Store) replace(t *Tape, to string, instead func(archived string) ([]byte, error)) error {
	data, err := instead(s.relative(to))
	if err == nil {
		err = s.linkOver(t.path, to)
	}
	if err == nil {
		err = atomicfile.Write(s.root(), t.path, data, 0o644)
	}
	return err
}

// dropUnused takes away an archive that was not made: an empty file, or a
// second name of what is still in its place.
func (s *Store) dropUnused(path, to string) {
	put, err := os.Stat(to)
	if err != nil {
		return
	}
	if st, err := os.Stat(path); put.Size() == 0 || err == nil && os.SameFile(st, put) {
		s.root().Remove(to)
	}
}

// forget drops what is known of the file that was at the path.
func (s *Store) forget(t *Tape) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.completed, t.path)
}

// freeArchive makes an empty file in the archive, with a name that nobody has
// taken: main_2026-02-21_120000.jsonl.
func (s *Store) freeArchive(t *Tape) (string, error) {
	folder := filepath.Join(s.folder, tapeFolder, archived)
	if err := s.root().MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	stem := fileName(t.name) + "_" + s.options.Now().UTC().Format(archiveDate)
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		path := filepath.Join(folder, name+suffix)
		f, err := s.root().OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			return path, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

const archiveDate = "2006-01-02_150405"

// archiveStamp is what follows the tape's name in that of an archive. It is
// compiled once: each append that has a key looks for archives.
var archiveStamp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^_\d{4}-\d\d-\d\d_\d{6}(-\d+)?\.jsonl(\.tmp)?$`)
})

// archivedAt is the time in the name of an archive.
func archivedAt(t *Tape, path string) time.Time {
	rest := strings.TrimPrefix(filepath.Base(path), fileName(t.name)+"_")
	at, _ := time.Parse(archiveDate, rest[:min(len(archiveDate), len(rest))]) // it was looked at when it was listed
	return at
}

// linkOver gives a file a second name, in the place of an empty file, or a
// copy where the file system knows no second names.
func (s *Store) linkOver(path, to string) error {
	temp := to + tempSuffix
	if err := s.root().Link(path, temp); err == nil {
		return s.root().Rename(temp, to)
	}
	from, err := s.root().OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer from.Close()
	p, err := atomicfile.Begin(s.root(), to, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(p, from); err != nil {
		p.Abort()
		return err
	}
	return p.Commit()
}

// filesOf are the files that a tape's entries may be in: its own, which need not
// be there, and those that were archived, the newest first.
func (s *Store) filesOf(name string) (paths []string, err error) {
	t, err := s.Tape(name)
	if err != nil {
		return nil, err
	}
	archives, _, err := s.archivesOf(t)
	if err != nil {
		return nil, err
	}
	return append([]string{t.path}, archives...), nil
}

// archivesOf are the files of a tape that were archived, the newest first, and
// what a reset that was killed has left: a file that is empty still, or a
// second name of the tape itself.
func (s *Store) archivesOf(t *Tape) (paths, left []string, err error) {
	folder := filepath.Join(s.folder, tapeFolder, archived)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	live, liveErr := os.Stat(t.path)
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), fileName(t.name))
		if !ok || !archiveStamp().MatchString(rest) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		st, err := e.Info()
		switch {
		case err != nil: // taken away in this moment
		case strings.HasSuffix(path, tempSuffix), st.Size() == 0, liveErr == nil && os.SameFile(st, live):
			left = append(left, path)
		default:
			paths = append(paths, path)
		}
	}
	n := len(filepath.Join(folder, fileName(t.name)+"_2006-01-02_150405"))
	slices.SortFunc(paths, func(a, b string) int { // of one second -10 is newer than -9
		return cmp.Or(strings.Compare(b[:n], a[:n]), cmp.Compare(len(b), len(a)), strings.Compare(b, a))
	})
	return paths, left, nil
}

// Archives are the files of the tape that were put away by a reset, a merge or
// a discard, the newest first, below the store's folder.
func (t *Tape) Archives() ([]string, error) {
	paths, _, err := t.store.archivesOf(t)
	for i, p := range paths {
		paths[i] = t.store.relative(p)
	}
	return paths, err
}

// OpenArchive is a tape that was archived, for reading, by the path that
// [Tape.Archives] gives.
func (s *Store) OpenArchive(path string) (*Tape, error) {
	dir, base := filepath.Split(filepath.FromSlash(path))
	if filepath.Clean(dir) != filepath.Join(tapeFolder, archived) || !strings.HasSuffix(base, suffix) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, invalid("%s is not an archived tape", clip(path))
	}
	return s.File(filepath.Join(s.folder, tapeFolder, archived, base))
}
