// Package regular reads regular files of a bounded size, and nothing else.
//
// A path from outside may name a FIFO that never ends, a device or a folder;
// opening it must neither hang nor read forever. The package also lists folders. It
// makes few system calls, because some commands read ten thousand tasks. It does
// not interpret the files.
package regular

import (
	"errors"
	"fmt"
	"time"
)

// ErrNotRegular is the error for a folder, a FIFO, a socket or a device.
var ErrNotRegular = errors.New("not a regular file")

// ErrLink is the error for a symbolic link that is not followed.
var ErrLink = errors.New("a symbolic link")

// Kind is the kind of a directory entry.
type Kind uint8

// The kinds. Other is a FIFO and the like.
const (
	Nothing Kind = iota
	File
	Dir
	Link
	Other
)

// Entry is an entry of a folder.
type Entry struct {
	Name string
	Kind Kind
}

// Stamp describes a file without its content. A file with the same stamp has the same
// content, unless it was changed twice within the resolution of the times.
type Stamp struct {
	Size                int64 // bytes
	Inode               uint64
	Device              uint64
	ModTime, ChangeTime int64 // of content, and of anything; nanoseconds since 1970
}

// Modified is when the content changed.
func (s Stamp) Modified() time.Time { return time.Unix(0, s.ModTime) }

// Changed is when the content or anything else changed, whichever is later.
func (s Stamp) Changed() time.Time { return time.Unix(0, max(s.ModTime, s.ChangeTime)) }

// TooLargeError is the error for a file that is larger than the caller accepts.
type TooLargeError struct{ Size, Max int64 } // bytes

func (e *TooLargeError) Error() string {
	if size(e.Size) == size(e.Max) { // the other text would read as if it fitted
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
