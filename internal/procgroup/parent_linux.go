package procgroup

import "syscall"

// dieWithParent makes the system kill the command when this process is killed:
// its output would not be stored, and [Reap] will end the run.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
