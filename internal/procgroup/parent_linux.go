package procgroup

import "syscall"

// dieWithParent makes the system kill the command when this process is killed:
// nobody would read its output.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
