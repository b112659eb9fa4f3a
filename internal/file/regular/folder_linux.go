package regular

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Folder is an open folder. What is read of it costs no way through the
// folders above it, and a file in it no question what it is: the listing said.
type Folder struct {
	path string
	fd   int
}

// OpenFolder opens a folder. A symbolic link is [ErrLink], be it one to a
// folder; what lies above may be links.
func OpenFolder(path string) (*Folder, error) {
	fd, err := open(path, syscall.O_DIRECTORY|syscall.O_NOFOLLOW)
	if errors.Is(err, syscall.ENOTDIR) && KindOf(path) == Link { // O_DIRECTORY complains first
		err = &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	if err != nil {
		return nil, err
	}
	return &Folder{path, fd}, nil
}

// Close lets go of the folder.
func (f *Folder) Close() error { return syscall.Close(f.fd) }

// buffers are for listings, and for files of the usual size.
var buffers = sync.Pool{New: func() any { return new([listed]byte) }}

// List returns the entries whose names keep wants, in no order; it is for one
// call. The bytes that keep is given are good during that only.
func (f *Folder) List(keep func(name []byte) bool) ([]Entry, error) {
	buf := buffers.Get().(*[listed]byte)
	defer buffers.Put(buf)
	var found []Entry
	for {
		var n int
		err := retry(func() (err error) {
			n, err = syscall.ReadDirent(f.fd, buf[:])
			return err
		})
		if err != nil {
			return nil, &fs.PathError{Op: "list", Path: f.path, Err: err}
		}
		if n <= 0 {
			return found, nil
		}
		found = f.entries(found, buf[:n], keep)
	}
}

// entries reads records of struct linux_dirent64: inode and offset, 8 bytes
// each, the length of the record in 2, the type in 1, the name up to a zero.
func (f *Folder) entries(found []Entry, records []byte, keep func([]byte) bool) []Entry {
	const lengthAt, typeAt, nameAt = 16, 18, 19
	for len(records) > nameAt {
		size := int(binary.NativeEndian.Uint16(records[lengthAt:]))
		name := records[nameAt:size]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if len(name) > 0 && string(name) != "." && string(name) != ".." && keep(name) {
			e := Entry{Name: string(name)}
			e.Kind = f.kind(records[typeAt], e.Name)
			found = append(found, e)
		}
		records = records[size:]
	}
	return found
}

// kind reads the type of a record. Some file systems do not tell.
func (f *Folder) kind(t byte, name string) Kind {
	switch t {
	case syscall.DT_REG:
		return File
	case syscall.DT_DIR:
		return Dir
	case syscall.DT_LNK:
		return Link
	case syscall.DT_UNKNOWN:
		return KindOf(f.path + "/" + name)
	}
	return Other
}

// Read hands on the content of a file that [Folder.List] said is one; it is
// good during the call only. Should the file have become a link since it is
// [ErrLink]; a FIFO, it seems to be empty.
func (f *Folder) Read(name string, maxSize int64, use func(src []byte)) error {
	path := f.path + "/" + name
	const flags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK | syscall.O_NOCTTY | syscall.O_NOFOLLOW
	var fd int
	err := retry(func() (err error) {
		fd, err = syscall.Openat(f.fd, name, flags, 0)
		return err
	})
	if fd, err = opened(fd, path, flags, err); err != nil {
		return err
	}
	defer syscall.Close(fd)
	buf := buffers.Get().(*[listed]byte)
	defer buffers.Put(buf)
	src, err := readListed(fd, path, buf[:0], maxSize)
	if err != nil {
		return err
	}
	use(src)
	return nil
}

// Stamp is what a regular file of the folder looks like. ok is false where the
// system does not tell all of it.
func (f *Folder) Stamp(name string) (s Stamp, ok bool, err error) {
	var st unix.Stat_t
	err = retry(func() error { return unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrNotRegular
	}
	if err != nil {
		return Stamp{}, false, &fs.PathError{Op: "stat", Path: f.path + "/" + name, Err: err}
	}
	return Stamp{st.Size, st.Ino, uint64(st.Dev), st.Mtim.Nano(), st.Ctim.Nano()}, true, nil
}
