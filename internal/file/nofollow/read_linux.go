package nofollow

import (
	"strings"

	"golang.org/x/sys/unix"

	"handoff/internal/file/regular"
)

// readOnce is ReadUnlinked with one look at the path, whatever its depth. ok is false if that does not work for any
// reason, such as a link, or a kernel without the call: then the usual way finds out which.
func (r Root) readOnce(path string, maxSize int64) (src []byte, ok bool) {
	from, names, err := r.names(path)
	if err != nil || len(names) == 0 {
		return nil, false
	}
	d, err := openDir(from)
	if err != nil {
		return nil, false
	}
	defer d.Close()
	fd, err := unix.Openat2(d.fd, strings.Join(names, "/"), &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > maxSize {
		return nil, false
	}
	src = make([]byte, 0, st.Size+1)
	for int64(len(src)) < st.Size {
		var n int
		err := regular.Retry(func() (err error) {
			n, err = unix.Read(fd, src[len(src):st.Size])
			return err
		})
		if err != nil {
			return nil, false
		}
		if n == 0 { // it was truncated meanwhile
			break
		}
		src = src[:len(src)+n]
	}
	return src, true
}
