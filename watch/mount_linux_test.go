package watch

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestSilent compares the numbers of file systems with those in the system's
// headers.
func TestSilent(t *testing.T) {
	for magic, want := range map[uint32]string{
		unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB",
		unix.FUSE_SUPER_MAGIC: "FUSE", unix.V9FS_MAGIC: "9p",
		unix.EXT4_SUPER_MAGIC: "", unix.TMPFS_MAGIC: "", unix.OVERLAYFS_SUPER_MAGIC: "",
	} {
		if silent[magic] != want {
			t.Errorf("%#x is %q, want %q", magic, silent[magic], want)
		}
	}
	if why := unwatchable("/proc", "/not/there"); why != "" {
		t.Error(why)
	}
}
