package nofollow

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"handoff/internal/file/regular"
)

// ReadFile reads a regular file of at most maxSize bytes. It follows links that stay in
// the folder; one that leads out of it is a [*LinkError]. For [Named] it follows all
// links.
func (r Root) ReadFile(path string, maxSize int64) ([]byte, error) {
	if r == Named {
		return regular.Read(path, nil, maxSize)
	}
	src, err := r.ReadUnlinked(path, maxSize)
	if !errors.As(err, new(*LinkError)) {
		return src, err
	}
	home, real, err := r.inside(path)
	if err != nil {
		return nil, err
	}
	return home.ReadUnlinked(real, maxSize) // follows no link that was created since
}

// ReadUnlinked is ReadFile without following links: each is a [*LinkError].
func (r Root) ReadUnlinked(path string, maxSize int64) ([]byte, error) {
	if src, ok := r.readOnce(path, maxSize); ok {
		return src, nil
	}
	f, err := r.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.Size() > maxSize:
		return nil, &fs.PathError{Op: "read", Path: path, Err: &regular.TooLargeError{Size: st.Size(), Max: maxSize}}
	}
	src := make([]byte, st.Size(), st.Size()+1)
	n, err := io.ReadFull(f, src)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // it was truncated meanwhile
		err = nil
	}
	return src[:n], err
}

// Inside returns the path of a file or folder with its links resolved, except those in
// the path of the trusted folder itself. A link that leads out of the folder is a
// [*LinkError], also a dangling one.
func (r Root) Inside(path string) (string, error) {
	_, real, err := r.inside(path)
	return real, err
}

// inside is Inside, and the trusted folder as that path spells it.
func (r Root) inside(path string) (home Root, real string, err error) {
	if r == Named {
		real, err = filepath.EvalSymlinks(path)
		return Named, real, err
	}
	from, names, err := r.names(path)
	if err != nil {
		return "", "", err
	}
	home, real = r, from
	at := from
	for _, name := range names {
		at, real = filepath.Join(at, name), filepath.Join(real, name)
		switch regular.KindOf(real) {
		case regular.Link:
			if home == r {
				to, err := filepath.EvalSymlinks(from)
				if err != nil {
					return "", "", err
				}
				home = Root(to)
			}
			if real, err = r.follow(string(home), real, at); err != nil {
				return "", "", err
			}
		case regular.Nothing:
			if _, err := os.Lstat(real); err != nil {
				return "", "", err
			}
		}
	}
	return home, real, nil
}

// follow resolves a link. at is its path for errors, home the trusted folder with its
// links resolved.
func (r Root) follow(home, link, at string) (string, error) {
	to, err := filepath.EvalSymlinks(link)
	if err == nil {
		if !Within(home, to) {
			return "", leadsOut(at)
		}
		return to, nil
	}
	says, readErr := os.Readlink(link)
	if readErr != nil {
		return "", readErr
	}
	if !filepath.IsAbs(says) {
		dir, dirErr := filepath.EvalSymlinks(filepath.Dir(link))
		if dirErr != nil {
			return "", dirErr
		}
		says = filepath.Join(dir, says)
	}
	if !Within(home, says) && !Within(string(r), says) {
		return "", leadsOut(at)
	}
	if _, statErr := os.Stat(link); statErr != nil { // which has a clear error for a loop
		err = statErr
	}
	return "", err
}

func leadsOut(path string) *LinkError {
	err := LinkAt(path)
	err.Out = true
	return err
}

// Within reports whether a path is a folder or in it, by their names alone.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Rel is the path below the root, with forward slashes, by their names alone. A path
// that is not below the root begins with "..", or stays as it is.
func (r Root) Rel(path string) string {
	root := string(r)
	if rest, ok := strings.CutPrefix(path, root); ok && len(rest) > 1 && os.IsPathSeparator(rest[0]) {
		return filepath.ToSlash(rest[1:])
	}
	if rel, err := filepath.Rel(root, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}
