package rules

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"

	"handoff/internal/file/nofollow"
)

// Disk is what [Check] asks beyond the State. Paths are below the workspace,
// with forward slashes.
type Disk struct {
	// Names lists the entries of a folder, sorted. A folder that does not
	// exist, or is reached through a link out of the workspace, has none.
	Names func(dir string) []string
	// Twins lists the entries next to a task folder whose names differ from its
	// name only in case.
	Twins func(dir string) []string
	// Folder reports whether a folder is at the path.
	Folder func(path string) bool
	// Outside reports whether the path leads out of the workspace through a
	// symbolic link; false for a path that does not exist.
	Outside func(path string) bool
	// Absent says in which way a path does not exist, and what to do; nil for one that
	// simply does not.
	Absent func(path string) string
}

// DiskOf returns the disk below root, for one pass over its tasks: it caches the list of
// tasks. It is not for several goroutines.
func DiskOf(root string) Disk {
	leadsOut := func(p string) bool {
		_, err := nofollow.Root(root).Inside(filepath.Join(root, filepath.FromSlash(p)))
		return errors.As(err, new(*nofollow.LinkError))
	}
	names := remember(func(dir string) []string {
		if leadsOut(dir) {
			return nil
		}
		entries, _ := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
		names := make([]string, len(entries))
		for i, e := range entries {
			names[i] = e.Name()
		}
		return names
	})
	return Disk{
		Names: names,
		Twins: twins(names),
		Folder: func(p string) bool {
			local := filepath.FromSlash(p)
			if !filepath.IsLocal(local) {
				return false
			}
			st, err := os.Stat(filepath.Join(root, local))
			return err == nil && st.IsDir()
		},
		Outside: leadsOut,
	}
}

// twins reads a folder of tasks once, not once a task.
func twins(names func(string) []string) func(string) []string {
	folders := map[string]map[string][]string{} // folder -> name in lower case -> names
	return func(dir string) (others []string) {
		parent, base := path.Dir(dir), path.Base(dir)
		if folders[parent] == nil {
			folders[parent] = map[string][]string{}
			for _, name := range names(parent) {
				low := strings.ToLower(name)
				folders[parent][low] = append(folders[parent][low], name)
			}
		}
		for _, name := range folders[parent][strings.ToLower(base)] {
			if name != base {
				others = append(others, name)
			}
		}
		return others
	}
}

// remember caches the answers for a few folders, because those of one task are
// needed repeatedly.
func remember(ask func(dir string) []string) func(dir string) []string {
	const most = 32
	known := map[string][]string{}
	return func(dir string) []string {
		v, ok := known[dir]
		if !ok {
			if len(known) == most {
				clear(known)
			}
			v = ask(dir)
			known[dir] = v
		}
		return v
	}
}
