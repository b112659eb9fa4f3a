package rules

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Disk is what [Check] asks beyond the State. Paths are below the workspace,
// with forward slashes.
type Disk struct {
	// Names lists the entries of a folder, sorted; none for one that is not
	// there, or that a link out of the workspace leads to.
	Names func(dir string) []string
	// Twins lists what is beside a task folder under a name that differs
	// in case only.
	Twins func(dir string) []string
	// Folder reports whether a folder is at the path.
	Folder func(path string) bool
	// Outside reports whether the path leads out of the workspace by a
	// symbolic link. What is not there leads nowhere.
	Outside func(path string) bool
}

// DiskOf is the disk below root, for one go through its tasks: it remembers
// which there are. It is not for several goroutines.
func DiskOf(root string) Disk {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = root
	}
	follow := remember(func(dir string) resolved {
		real, err := filepath.EvalSymlinks(dir)
		return resolved{real, err}
	})
	leadsOut := func(p string) bool { return outside(real, follow, filepath.Join(root, filepath.FromSlash(p))) }
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

// resolved is where the links of a path lead.
type resolved struct {
	path string
	err  error
}

// outside follows the links of a path. One that leads to nothing is judged by
// what it says.
func outside(root string, follow func(dir string) resolved, full string) bool {
	dir := follow(filepath.Dir(full))
	if dir.err != nil {
		return false
	}
	target := filepath.Join(dir.path, filepath.Base(full))
	if st, err := os.Lstat(target); err != nil {
		return false
	} else if st.Mode()&os.ModeSymlink != 0 {
		link := target
		if target, err = filepath.EvalSymlinks(link); err != nil {
			if target, err = os.Readlink(link); err != nil {
				return false
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(dir.path, target)
			}
		}
	}
	rel, err := filepath.Rel(root, target)
	return err != nil || !filepath.IsLocal(rel)
}

// remember keeps the answers for a few folders: those of one task are asked
// for again and again.
func remember[T any](ask func(dir string) T) func(dir string) T {
	const most = 32
	known := map[string]T{}
	return func(dir string) T {
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
