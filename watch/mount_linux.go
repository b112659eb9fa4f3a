package watch

import "syscall"

// silent are the file systems that do not report changes by other machines, by
// the number that statfs returns.
var silent = map[uint32]string{
	0x6969:     "NFS",
	0x517b:     "SMB",
	0xff534d42: "SMB", // cifs
	0xfe534d42: "SMB", // smb2
	0x65735546: "FUSE",
	0x01021997: "9p",
	0x786f4256: "a shared folder", // vboxsf
}

// unwatchable is why one of the folders has no events; "" if all have.
func unwatchable(dirs ...string) string {
	for _, dir := range dirs {
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			continue // missing, perhaps not created yet
		}
		if name := silent[uint32(st.Type)]; name != "" {
			return dir + " is on " + name + ", which does not report changes"
		}
	}
	return ""
}
