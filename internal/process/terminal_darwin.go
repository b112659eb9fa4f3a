package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Terminal identifies the terminal that this process is controlled from, as long as the
// session of that terminal lives; "" if there is none. Another terminal that later gets the
// same device has another identity, because its session has another leader.
func Terminal() string {
	own, err := unix.SysctlKinfoProc("kern.proc.pid", unix.Getpid())
	if err != nil || own.Eproc.Tdev == -1 || own.Eproc.Tdev == 0 {
		return ""
	}
	leader, err := unix.Getsid(0)
	if err != nil {
		return ""
	}
	begun := int64(0)
	if of, err := unix.SysctlKinfoProc("kern.proc.pid", leader); err == nil {
		begun = of.Proc.P_starttime.Nano()
	}
	return fmt.Sprintf("tty%d.%d.%d", own.Eproc.Tdev, leader, begun)
}
