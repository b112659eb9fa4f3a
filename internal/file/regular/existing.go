package regular

import (
	"os"
	"path/filepath"
)

// Existing is the folder itself, or the nearest one above it that exists.
func Existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
