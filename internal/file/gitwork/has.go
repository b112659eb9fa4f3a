package gitwork

import (
	"bytes"
	"os"
	"path/filepath"

	"handoff/internal/file/regular"
)

// MayHave reports whether the repository of a folder may have refs below a prefix. It runs no
// git: a hook asks it, and most repositories have none.
func MayHave(dir, prefix string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	top := regular.GitTop(real)
	if top == "" {
		return false
	}
	_, common, err := regular.GitDirs(top)
	if err != nil || common == "" {
		return false
	}
	for _, name := range []string{filepath.FromSlash(prefix), "reftable"} {
		if st, err := os.Stat(filepath.Join(common, name)); err == nil && st.IsDir() {
			return true
		}
	}
	packed, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	return err == nil && bytes.Contains(packed, []byte(" "+prefix))
}
