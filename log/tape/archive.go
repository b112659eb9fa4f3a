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
	"handoff/internal/file/lockfile"
	"handoff/internal/state/names"
	"handoff/log/tape/entry"
)

// tempSuffix is the suffix of a second name of a tape while it is archived.
const tempSuffix = ".tmp"

// change is what happens to the file of a tape.
type change struct {
	// keep is called with the lock held, and reports whether the file is archived;
	// else its entries are destroyed. nil archives it.
	keep func() (bool, error)
	// content returns the new content, so the tape is never missing; its argument
	// is the archive, "" if there is none. If content is nil, the file is removed.
	content func(archived string) ([]byte, error)
}

// replace archives or destroys the tape's file, and returns the archive, below
// the store's folder.
func (t *Tape) replace(ctx context.Context, c change) (archived string, err error) {
	if t, err = t.fixed(ctx); err != nil {
		return "", err
	}
	unlock, err := t.lock(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	keep, to := true, ""
	if c.keep != nil {
		keep, err = c.keep()
	}
	if err == nil && keep {
		to, err = t.newArchive()
	}
	if err != nil {
		return "", err
	}
	root := t.store.root()
	switch {
	case c.content != nil:
		err = t.overwrite(to, c.content)
	case keep:
		err = root.Rename(t.path, to)
	default:
		err = root.Remove(t.path)
	}
	if err != nil {
		return "", errors.Join(err, t.removeUnfinished())
	}
	t.store.mu.Lock()
	delete(t.store.completed, t.path)
	t.store.mu.Unlock()
	if c.content == nil {
		root.RemoveAll(t.path + ".idx") // derived, and no longer needed
	}
	err = root.Sync(filepath.Dir(t.path))
	if keep {
		err = errors.Join(err, root.Sync(filepath.Dir(to)))
	}
	return t.store.relative(to), err
}

// lock is the lock of the tape's writers. If the tape no longer exists at the
// end, the lock file is removed.
func (t *Tape) lock(ctx context.Context) (unlock func() error, err error) {
	root, path := t.store.root(), t.path+".lock"
	free, err := lockfile.Lock(ctx, root, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.path, err)
	}
	return func() error {
		if _, err := os.Lstat(t.path); errors.Is(err, fs.ErrNotExist) {
			lockfile.RemoveHeld(root, path)
		}
		return free()
	}, nil
}

// overwrite replaces the content of the tape's file, which gets the archive as a
// second name before, unless that is "".
func (t *Tape) overwrite(archive string, content func(archived string) ([]byte, error)) error {
	data, err := content(t.store.relative(archive))
	if err == nil && archive != "" {
		err = t.linkTo(archive)
	}
	if err == nil {
		err = atomicfile.Write(t.store.root(), t.path, data, 0o644)
	}
	return err
}

// linkTo gives the tape's file a second name, replacing an empty file; or makes
// a copy if the file system has no links.
func (t *Tape) linkTo(to string) error {
	root, temp := t.store.root(), to+tempSuffix
	if err := root.Link(t.path, temp); err == nil {
		return root.Rename(temp, to)
	}
	from, err := root.OpenFile(t.path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer from.Close()
	p, err := atomicfile.Begin(root, to, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(p, from); err != nil {
		p.Abort()
		return err
	}
	return p.Commit()
}

// removeUnfinished removes what an interrupted change has left. The caller has
// the lock, so the process that made it has ended or failed.
func (t *Tape) removeUnfinished() error {
	_, left, err := t.listArchives()
	for _, path := range left {
		t.store.root().Remove(path)
	}
	return err
}

// newArchive creates an empty archive with an unused name:
// main_2026-02-21_120000.jsonl.
func (t *Tape) newArchive() (string, error) {
	if err := t.removeUnfinished(); err != nil {
		return "", err
	}
	root := t.store.root()
	if err := root.MkdirAll(t.store.inTapes(archived), 0o755); err != nil {
		return "", err
	}
	stem := names.FileName(t.name) + "_" + t.store.options.Now().UTC().Format(archiveDate)
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		path := t.store.inTapes(archived, name+suffix)
		f, err := root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			return path, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

const archiveDate = "2006-01-02_150405"

// archiveStamp matches what follows the tape's name in the name of an archive.
// It is compiled once: each append with a key looks for archives.
var archiveStamp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^_\d{4}-\d\d-\d\d_\d{6}(-\d+)?\.jsonl(\.tmp)?$`)
})

// distant is later than any archive.
var distant = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// archivedAt is the time in the name of an archive.
func archivedAt(t *Tape, path string) time.Time {
	if t.store.isGeneration(path) { // it is not known, and asked only to leave out older ones
		return distant
	}
	rest := strings.TrimPrefix(filepath.Base(path), names.FileName(t.name)+"_")
	at, _ := time.Parse(archiveDate, rest[:min(len(archiveDate), len(rest))]) // archiveStamp has matched it
	return at
}

// filesOf is the files that may have a tape's entries: its own, which need not
// exist, and its archives, the newest first.
func (s *Store) filesOf(name string) ([]string, error) {
	t, err := s.Tape(name)
	if err != nil {
		return nil, err
	}
	archives, err := t.archives()
	return append([]string{t.at()}, archives...), err
}

// archives is the archived files of the tape, the newest first.
func (t *Tape) archives() ([]string, error) {
	paths, _, err := t.listArchives()
	return paths, err
}

// listArchives is archives, and what an interrupted change has left: an empty
// file, or a second name of the tape's file.
func (t *Tape) listArchives() (paths, left []string, err error) {
	entries, err := os.ReadDir(t.store.inTapes(archived))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	live, liveErr := os.Stat(t.at())
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), names.FileName(t.name))
		if !ok || !archiveStamp().MatchString(rest) {
			continue
		}
		path := t.store.inTapes(archived, e.Name())
		st, err := e.Info()
		switch {
		case err != nil: // removed at this moment
		case strings.HasSuffix(path, tempSuffix), st.Size() == 0, liveErr == nil && os.SameFile(st, live):
			left = append(left, path)
		default:
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int { // within a second -10 is newer than -9
		return cmp.Or(archivedAt(t, b).Compare(archivedAt(t, a)), cmp.Compare(len(b), len(a)), strings.Compare(b, a))
	})
	return append(t.sealedGenerations(), paths...), left, nil
}

// Archives is the files of the tape that a reset, merge, discard or delete has
// archived, the newest first, below the store's folder.
func (t *Tape) Archives() ([]string, error) {
	paths, err := t.archives()
	for i, p := range paths {
		paths[i] = t.store.relative(p)
	}
	return paths, err
}

// OpenArchive is an archived tape, for reading, by the path that [Tape.Archives]
// returns.
func (s *Store) OpenArchive(path string) (*Tape, error) {
	dir, base := filepath.Split(filepath.FromSlash(path))
	if stem, ok := strings.CutSuffix(base, suffix); ok && filepath.Clean(dir) == tapeFolder {
		if _, _, ok := names.GenerationOf(stem); ok {
			if _, sealed := s.sealOf(s.inTapes(base)); sealed {
				return s.File(s.inTapes(base))
			}
		}
	}
	if filepath.Clean(dir) != filepath.Join(tapeFolder, archived) || !strings.HasSuffix(base, suffix) || !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, entry.Invalid("%.60q is not an archived tape", path)
	}
	return s.File(s.inTapes(archived, base))
}

// relative is a path below the store's folder, with slashes.
func (s *Store) relative(path string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.TrimPrefix(path, s.folder), `\`, "/"), "/")
}
