//go:build linux || darwin

package gitwork

import (
	"io/fs"
	"syscall"
)

// same reports whether a file is as git remembers it.
func (s stat) same(st fs.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && s.mtime == st.ModTime().UnixNano() && s.size == uint32(st.Size()) && s.ctime == changed(sys) && s.ino == uint32(sys.Ino)
}
