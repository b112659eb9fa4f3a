package bub

import (
	"context"
	"fmt"
	"os"
	"time"

	"handoff/internal/file/lockfile"
)

// freeArchive is the name of an archive of this second, or of the next second
// without one: Bub may have just archived the tape itself, before a reset.
func (h *Home) freeArchive(stem string) (path string) {
	for at := h.now(); ; at = at.Add(time.Second) {
		path = h.archivePath(stem, at)
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

// Delete removes a tape and, unless noArchive is set, archives its file, whose path
// is returned. An append creates the tape again. A missing tape is
// fs.ErrNotExist.
func (h *Home) Delete(ctx context.Context, stem string, noArchive bool) (archive string, err error) {
	if err := checkStem(stem); err != nil {
		return "", err
	}
	path := h.path(stem)
	unlock, err := lockfile.Lock(ctx, h.root(), path+".lock")
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	defer unlock()
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if !noArchive {
		if archive, err = h.keep(h.freeArchive(stem), f); err != nil {
			return "", err
		}
	}
	if err := h.root().Remove(path); err != nil {
		return archive, err
	}
	h.root().RemoveAll(path + ".idx") // derived, and no longer needed
	return archive, h.root().Sync(h.folder)
}
