package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"handoff/internal/file/atomicfile"
	"handoff/reconcile"
	"handoff/reconcile/rules"
)

// SetAside is the files of other writers that were set aside, by task. They are
// reported until somebody removes them. Any goroutine may use it.
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

// Problems lists the files of a task that still exist.
func (k *SetAside) Problems(root, task string) (list []reconcile.Problem) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.files[task]) == 0 {
		return nil
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	k.files[task] = slices.DeleteFunc(k.files[task], func(s *atomicfile.SavedError) bool {
		at := filepath.Join(filepath.Dir(s.Path), s.As)
		if _, err := os.Lstat(at); err != nil {
			return true
		}
		list = append(list, reconcile.Problem{Path: RelSlash(root, at), Text: rules.KeptText(filepath.Base(s.Path))})
		return false
	})
	return list
}
