package reconcile

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
	// there.
	Names func(dir string) []string
	// Folder reports whether a folder stands at the path.
	Folder func(path string) bool
	// Outside reports whether the path leads out of the workspace by a
	// symbolic link. What is not there leads nowhere.
	Outside func(path string) bool
}

// DiskOf is the disk below root.
func DiskOf(root string) Disk {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = root
	}
	return Disk{
		Names: func(dir string) []string {
			entries, _ := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
			names := make([]string, len(entries))
			for i, e := range entries {
				names[i] = e.Name()
			}
			return names
		},
		Folder: func(p string) bool {
			local := filepath.FromSlash(p)
			if !filepath.IsLocal(local) {
				return false
			}
			st, err := os.Stat(filepath.Join(root, local))
			return err == nil && st.IsDir()
		},
		Outside: func(p string) bool { return outside(real, filepath.Join(root, filepath.FromSlash(p))) },
	}
}

// outside follows the links of a path. One that leads to nothing is judged by
// what it says.
func outside(root, full string) bool {
	target, err := filepath.EvalSymlinks(full)
	if err != nil {
		if target, err = os.Readlink(full); err != nil {
			return false
		}
		if !filepath.IsAbs(target) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(full))
			if err != nil {
				return false
			}
			target = filepath.Join(dir, target)
		}
	}
	rel, err := filepath.Rel(root, target)
	return err != nil || !filepath.IsLocal(rel)
}

// foreign reports whether a path of the metadata leads out of the workspace,
// whatever stands there.
func foreign(p string) bool {
	slashed := strings.ReplaceAll(p, `\`, "/")
	if path.IsAbs(slashed) || strings.HasPrefix(slashed, "~") || len(p) > 1 && p[1] == ':' {
		return true
	}
	clean := path.Clean(slashed)
	return clean == ".." || strings.HasPrefix(clean, "../")
}
