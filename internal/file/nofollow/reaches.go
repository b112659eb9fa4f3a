package nofollow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Reaches returns the place of a path, which need not exist, below a folder once all
// symlinks are followed, with forward slashes. ok is false for a path that leads out of
// the folder, and for a dangling link, whose target is unknown. dir is a path without
// symlinks; a relative path is one below it.
//
// The system resolves LINK/.. to the parent of the link's target, and programs that
// clean a path resolve it to the parent of the link: both must be in the folder.
func Reaches(dir, path string) (rel string, ok bool) {
	if !filepath.IsAbs(path) {
		path = dir + string(filepath.Separator) + path
	}
	if _, ok := below(dir, path); !ok {
		return "", false
	}
	return below(dir, filepath.Clean(path))
}

// below is Reaches for an absolute path as the system resolves it.
func below(dir, path string) (string, bool) {
	volume := filepath.VolumeName(path)
	real := volume + string(filepath.Separator)
	for _, name := range strings.FieldsFunc(path[len(volume):], func(c rune) bool { return c < 0x80 && os.IsPathSeparator(uint8(c)) }) {
		next := filepath.Join(real, name) // of .., too: real has no symlinks
		to, err := filepath.EvalSymlinks(next)
		if err != nil {
			if _, err := os.Lstat(next); !errors.Is(err, fs.ErrNotExist) {
				return "", false
			}
			to = next
		}
		real = to
	}
	rel, err := filepath.Rel(dir, real)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
