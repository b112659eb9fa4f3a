//go:build !linux && !darwin

package gitwork

import "io/fs"

// same reports whether a file is as git remembers it.
func (s stat) same(st fs.FileInfo) bool {
	return s.mtime == st.ModTime().UnixNano() && s.size == uint32(st.Size())
}
