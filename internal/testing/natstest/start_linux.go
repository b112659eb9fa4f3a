package natstest

import (
	"os/exec"
	"runtime"
	"syscall"
)

// start starts a server that the kernel kills when the test process ends, however
// that happens. The kernel does so when the thread ends, so the thread waits for the
// server. ended is closed when the server has ended.
func start(cmd *exec.Cmd, ended chan struct{}) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
			close(ended)
		}
	}()
	return <-started
}
