package nofollow

import "testing"

// TestSyncUnsupported: a folder of a file system that cannot fsync folders, as /proc and SMB shares, is no error: nothing could
// be written there otherwise.
func TestSyncUnsupported(t *testing.T) {
	if err := Root("/proc").Sync("/proc/sys"); err != nil {
		t.Error(err)
	}
	if err := Root("/proc").Sync("/proc/sys/missing"); err == nil {
		t.Error("a missing folder is no error")
	}
}
