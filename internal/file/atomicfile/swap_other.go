//go:build !linux

package atomicfile

import (
	"time"

	"handoff/internal/file/nofollow"
)

// settled reads a displaced file after a moment: this system cannot report whether a
// process has it open for writing.
func settled(dir *nofollow.Dir, name string) (data []byte, quiet bool, err error) {
	time.Sleep(patience)
	data, err = readIn(dir, name)
	return data, true, err
}
