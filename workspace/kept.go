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

// kept is the files that were kept aside because another writer made them, by
// task. A person is told of them until they are gone. Any goroutine may use it.
type kept struct {
	mu    sync.Mutex
	files map[string][]*atomicfile.SavedError
}

// note takes in an error that tells of one, and reports whether it did.
func (k *kept) note(task string, err error) bool {
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

// problems tells of the files of a task that are still there.
func (k *kept) problems(root, task string) (list []reconcile.Problem) {
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
