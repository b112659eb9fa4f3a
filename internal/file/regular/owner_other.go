//go:build !unix

package regular

// Owner returns the uid of the owner of a file or folder; not ok on a system without
// owners.
func Owner(string) (uid int, ok bool) { return -1, false }

// User is the uid of this process, -1 on a system without any.
func User() int { return -1 }

// device is the file system that a folder is on; not ok if that is unknown.
func device(string) (id uint64, ok bool) { return 0, false }
