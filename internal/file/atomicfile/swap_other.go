//go:build !linux

package atomicfile

import (
	"time"

	"handoff/internal/file/nofollow"
)

// settled reads a file that has lost its name after a moment: which processes
// have it open for writing cannot be found out here.
func settled(dir *nofollow.Dir, name string) (data []byte, quiet bool, err error) {
	time.Sleep(patience)
	data, err = readIn(dir, name)
	return data, true, err
}
