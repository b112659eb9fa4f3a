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
