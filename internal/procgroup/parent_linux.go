package procgroup

import "syscall"

// dieWithParent makes the system kill the command when this process is killed:
// nobody would store its output, and [Reap] will end the run.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
