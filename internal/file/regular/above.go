package regular

import (
	"iter"
	"path/filepath"
)

// Above yields a folder and those above it, the nearest first. It does not look at the disk.
func Above(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) {
			up := filepath.Dir(dir)
			if up == dir {
				return
			}
			dir = up
		}
	}
}

// Holding returns the nearest of a folder and those above it that has an entry with a name,
// such as the top of a repository with ".git"; "" if none has.
func Holding(dir, name string) string {
	for up := range Above(dir) {
		if KindOf(filepath.Join(up, name)) != Nothing {
			return up
		}
	}
	return ""
}
