package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
)

// SetAside has the files of other writers that were set aside, by task. They are
// reported until they are removed. Any goroutine may use it.
type SetAside struct {
	mu    sync.Mutex
	files map[string][]*atomicfile.SavedError
}

// Note records the file of an [atomicfile.SavedError], and reports whether err is
// nil or one of those.
func (k *SetAside) Note(task string, err error) bool {
	var saved *atomicfile.SavedError
	if !errors.As(err, &saved) {
		return err == nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files == nil {
		k.files = map[string][]*atomicfile.SavedError{}
	}
	k.files[task] = append(k.files[task], saved)
	return true
}

// Left calls report for each file of a task that still exists, with its path below root
// and the name of the file that it was.
func (k *SetAside) Left(root, task string, report func(path, of string)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.files[task]) == 0 {
		return
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	k.files[task] = slices.DeleteFunc(k.files[task], func(s *atomicfile.SavedError) bool {
		at := filepath.Join(filepath.Dir(s.Path), s.As)
		_, err := os.Lstat(at)
		if err == nil {
			report(nofollow.Root(root).Rel(at), filepath.Base(s.Path))
		}
		return err != nil
	})
}
