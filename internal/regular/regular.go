// Package regular reads regular files, and only those, of a bounded size.
//
// A path that comes from outside may name a FIFO that never ends, a device or
// a folder; opening it must neither hang nor read without end. The package
// knows nothing of what stands in the files.
package regular

import (
	"errors"
	"fmt"
)

// ErrNotRegular says that the path is a folder, a FIFO, a socket or a device.
var ErrNotRegular = errors.New("not a regular file")

// TooLargeError says that a file is larger than the caller takes.
type TooLargeError struct{ Size, Max int64 } // bytes

func (e *TooLargeError) Error() string {
	if size(e.Size) == size(e.Max) { // or it reads as if it fitted
		return fmt.Sprintf("more than %s, the most that is read", size(e.Max))
	}
	return fmt.Sprintf("%s, at most %s are read", size(e.Size), size(e.Max))
}

func size(n int64) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
