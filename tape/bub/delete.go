package bub

import (
	"context"
	"fmt"
	"os"
	"time"

	"handoff/internal/file/lockfile"
)

// freeArchive is the name of an archive of this second, or of the next one that
// is free: Bub may have archived the tape itself just now, before it resets it.
func (h *Home) freeArchive(stem string) (path string) {
	for at := h.now(); ; at = at.Add(time.Second) {
		path = h.archivePath(stem, at)
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}

// Delete takes a tape away, and unless noArchive is set keeps the file as it was
// in an archive, whose path is returned. An append begins the tape again. A tape
// that is not there is fs.ErrNotExist.
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
	h.root().RemoveAll(path + ".idx") // derived, and of no more use
	return archive, h.root().Sync(h.folder)
}
