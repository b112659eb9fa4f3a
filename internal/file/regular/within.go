package regular

import (
	"path/filepath"
	"sync"
)

// Within returns a function that maps an absolute path to the path below root, with
// forward slashes. ok is false for a relative path and for a path that is not below
// root. The path may contain root as given or with its symbolic links resolved;
// they are resolved once, when needed.
func Within(root string) func(abs string) (rel string, ok bool) {
	resolved := sync.OnceValue(func() string {
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			return root
		}
		return real
	})
	return func(abs string) (string, bool) {
		abs = filepath.FromSlash(abs)
		if !filepath.IsAbs(abs) {
			return "", false
		}
		if rel, ok := below(root, abs); ok {
			return rel, true
		}
		return below(resolved(), abs)
	}
}

func below(root, abs string) (string, bool) {
	rel, err := filepath.Rel(root, abs)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
