package stores

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"handoff/internal/file/nofollow"
	"handoff/internal/journal"
	"handoff/log/engine/replica"
	"handoff/workspace/config"
)

// notACopy refuses appends to files that are a copy of a store that the configuration
// does not name: the store would never get them.
func (s *Stores) notACopy(f replica.Folder) (func(string) journal.Upstream, error) {
	store, err := replica.StoreOf(f.Root, f.Dir)
	if store == "" {
		return nil, err
	}
	shown := path.Join(nofollow.Root(s.o.Root).Rel(f.Dir), replica.StateFile)
	return refuse(f, fmt.Errorf("%w: the files are a copy of %s: set `store: %[2]s` in %s, or delete %s to make the files authoritative",
		ErrCopy, store, config.File, shown)), nil
}

// refuse returns the upstream of files to which nothing may be appended.
func refuse(f replica.Folder, why error) func(string) journal.Upstream {
	refused := replica.Refuse(why)
	return func(path string) journal.Upstream {
		if below, err := filepath.Rel(f.Dir, path); err == nil && f.Owns(filepath.ToSlash(below)) {
			return refused
		}
		return nil
	}
}

// ErrCopy refuses a change of files that are a copy of a store.
var ErrCopy = errors.New("cannot be changed here")
