package sync

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"handoff/internal/file/atomicfile"
	"handoff/reconcile"
	"handoff/reconcile/rules"
	"handoff/workspace"
)

// setAside has the files of other writers that were set aside, by task. They are
// reported until somebody removes them. Any goroutine may use it.
type setAside struct {
	mu    sync.Mutex
	files map[string][]*atomicfile.SavedError
}

// note records the file of an [atomicfile.SavedError], and reports whether err is
// nil or one of those.
func (k *setAside) note(task string, err error) bool {
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

// problems lists the files of a task that still exist.
func (k *setAside) problems(root, task string) (list []reconcile.Problem) {
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
		list = append(list, reconcile.Problem{Path: workspace.RelSlash(root, at), Text: rules.KeptText(filepath.Base(s.Path))})
		return false
	})
	return list
}
