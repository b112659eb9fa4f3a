//go:build !unix

package atomicfile

import (
	"os"

	"handoff/internal/file/nofollow"
)

// inherit does nothing: files have no groups here.
func inherit(*os.File, *nofollow.Dir) error { return nil }
