package runner

import "syscall"

// withUs lets the system kill the command when we are killed: nobody would
// keep what it says, and the run is closed by the next one who asks.
func withUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
