// Package regular reads regular files, and only those, of a bounded size.
//
// A path that comes from outside may name a FIFO that never ends, a device or
// a folder; opening it must neither hang nor read without end. The package
// also lists folders, which says what is a file, so that reading one takes
// fewer questions to the system: that matters to those who look at ten
// thousand tasks. It knows nothing of what stands in the files.
package regular

import (
	"errors"
	"fmt"
	"time"
)

// ErrNotRegular says that the path is a folder, a FIFO, a socket or a device.
var ErrNotRegular = errors.New("not a regular file")

// ErrLink says that a symbolic link stands where none is followed. Who wants to
// follow it looks first where it leads.
var ErrLink = errors.New("a symbolic link")

// Kind is what stands at a path.
type Kind uint8

// The kinds. Other is a FIFO and the like.
const (
	Nothing Kind = iota
	File
	Dir
	Link
	Other
)

// Entry is what a folder lists.
type Entry struct {
	Name string
	Kind Kind
}

// Stamp is what a file looks like from outside. A file whose stamp is the same is
// the same, unless it was changed twice within the coarseness of the times.
type Stamp struct {
	Size                int64 // bytes
	Inode               uint64
	Device              uint64
	ModTime, ChangeTime int64 // of content, and of anything; nanoseconds since 1970
}

// Modified is when the content was changed.
func (s Stamp) Modified() time.Time { return time.Unix(0, s.ModTime) }

// Changed is when the content or anything else was changed, whichever is later.
func (s Stamp) Changed() time.Time { return time.Unix(0, max(s.ModTime, s.ChangeTime)) }

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
