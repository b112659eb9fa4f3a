package regular

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Folder is an open folder. Files in it are opened without resolving its path again.
type Folder struct {
	descriptor
	path string
}

// OpenFolder opens a folder. A symbolic link is [ErrLink], also one to a folder;
// the folders above it may be links.
func OpenFolder(path string) (*Folder, error) {
	fd, err := workingFolder.open(path, unix.O_DIRECTORY|noFollow)
	if err != nil {
		return nil, opened(path, noFollow, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	return &Folder{fd, path}, nil
}

// buffers are for listings, and for files of the usual size.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// List returns the entries whose names keep accepts, in no order; it may be called
// once. The bytes that keep gets are valid during the call only.
func (f *Folder) List(keep func(name []byte) bool) ([]Entry, error) {
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	var found []Entry
	for {
		var n int
		err := Retry(func() (err error) {
			n, err = unix.ReadDirent(int(f.descriptor), buf[:])
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
		name, _, _ := bytes.Cut(records[nameAt:size], []byte{0})
		if len(name) > 0 && string(name) != "." && string(name) != ".." && keep(name) {
			found = append(found, Entry{string(name), f.kind(records[typeAt], name)})
		}
		records = records[size:]
	}
	return found
}

// kind reads the type of a record. Some file systems do not report it.
func (f *Folder) kind(t byte, name []byte) Kind {
	switch t {
	case unix.DT_REG:
		return File
	case unix.DT_DIR:
		return Dir
	case unix.DT_LNK:
		return Link
	case unix.DT_UNKNOWN:
		return KindOf(f.path + "/" + string(name))
	}
	return Other
}

// Read passes the content of a file that List called regular to use; it is valid
// during the call only. If the file has become a link, that is [ErrLink]; a FIFO
// looks empty.
func (f *Folder) Read(name string, maxSize int64, use func(src []byte)) error {
	buf := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buf)
	src, err := f.content(name, buf[:], maxSize)
	if err == nil {
		use(src)
	}
	return err
}

// content skips fstat for a file that fits into buf: that would be every seventh
// system call of `sync`.
func (f *Folder) content(name string, buf []byte, maxSize int64) ([]byte, error) {
	path := f.path + "/" + name
	file, err := f.open(name, noFollow)
	if err != nil {
		return nil, opened(path, noFollow, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	defer file.Close()
	if maxSize < int64(len(buf)) {
		return readOpen(file, path, buf[:0], maxSize)
	}
	n, err := file.Read(buf)
	switch {
	case err == io.EOF, err == nil && n < len(buf):
		return buf[:n], nil
	case err != nil:
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return readOpen(file, path, buf, maxSize)
}

// Look describes a file of the folder, or of a folder in it. known is false if it cannot be told
// what is there: the system does not report all of it, or does not let us look.
func (f *Folder) Look(name string) (s Stamp, k Kind, known bool) { return f.LookBelow("", name) }

// LookBelow is Look for a file of a folder below; "" for this one. It takes no memory, for thousands of looks.
func (f *Folder) LookBelow(folder, name string) (s Stamp, k Kind, known bool) {
	var path [512]byte
	if len(folder)+1+len(name) >= len(path) {
		return Stamp{}, Nothing, false
	}
	n := copy(path[:], folder)
	if n > 0 {
		path[n] = '/'
		n++
	}
	n += copy(path[n:], name)
	if bytes.IndexByte(path[:n], 0) >= 0 {
		return Stamp{}, Nothing, false
	}
	var st unix.Statx_t
	if err := f.statx(&path, &st); err != 0 {
		return Stamp{}, Nothing, err == unix.ENOENT
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		k = File
	case unix.S_IFDIR:
		k = Dir
	case unix.S_IFLNK:
		k = Link
	default:
		k = Other
	}
	return Stamp{int64(st.Size), st.Ino, unix.Mkdev(st.Dev_major, st.Dev_minor), nano(st.Mtime), nano(st.Ctime)}, k, st.Mask&unix.STATX_BASIC_STATS == unix.STATX_BASIC_STATS
}

func (f *Folder) statx(path *[512]byte, st *unix.Statx_t) unix.Errno {
	for {
		_, _, err := unix.Syscall6(unix.SYS_STATX, uintptr(f.descriptor), uintptr(unsafe.Pointer(path)), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, uintptr(unsafe.Pointer(st)), 0)
		if err != unix.EINTR {
			return err
		}
	}
}

func nano(t unix.StatxTimestamp) int64 { return t.Sec*1e9 + int64(t.Nsec) }

// localFileSystems are those whose times and inodes are the kernel's own, by their magic numbers. What
// others report may be seconds old (NFS), or be made up (FUSE).
var localFileSystems = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC}

// Local reports whether the times of files in the folder can be relied on, because no other machine
// changes them.
func (f *Folder) Local() bool {
	var st unix.Statfs_t
	err := Retry(func() error { return unix.Fstatfs(int(f.descriptor), &st) })
	return err == nil && slices.Contains(localFileSystems, int64(st.Type))
}

// Stamp describes a regular file of the folder. ok is false if the system does not
// report all of it.
func (f *Folder) Stamp(name string) (s Stamp, ok bool, err error) {
	var st unix.Stat_t
	err = Retry(func() error { return unix.Fstatat(int(f.descriptor), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = ErrNotRegular
	}
	if err != nil {
		return Stamp{}, false, &fs.PathError{Op: "stat", Path: f.path + "/" + name, Err: err}
	}
	return stampOf(&st), true, nil
}

func stampOf(st *unix.Stat_t) Stamp {
	return Stamp{st.Size, st.Ino, uint64(st.Dev), st.Mtim.Nano(), st.Ctim.Nano()}
}
