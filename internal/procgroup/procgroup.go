// Package procgroup runs a command in a process group of its own, so that a
// signal reaches the command and its children and signals from a terminal do not.
// If this process is killed, the group is killed too. Where there are no process
// groups, signals end only the command.
package procgroup

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
)

// Command is a command that was started.
type Command struct {
	Ended <-chan error // gets what [exec.Cmd.Wait] returns, once

	cmd       *exec.Cmd
	group     *group
	signalled atomic.Bool
}

// Start starts a command. The error is that of [exec.Cmd.Start]. If the command fails or is killed, what it
// has started and left running is ended: the work may be done again, and not beside the first try. Where only Linux
// shows what a command has started, that is what is in its group.
func Start(cmd *exec.Cmd) (*Command, error) {
	group := newGroup()
	group.add(cmd)
	started, ended := make(chan error, 1), make(chan error, 1)
	c := &Command{Ended: ended, cmd: cmd, group: group}
	go func() {
		// The system ends a command with the thread that started it: see dieWithParent.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if started <- err; err == nil {
			err = cmd.Wait()
			if c.signalled.Load() || !cmd.ProcessState.Success() {
				group.sweep()
			}
			group.dismiss()
			ended <- err
		}
	}()
	if err := <-started; err != nil {
		group.dismiss()
		return nil, err
	}
	group.await()
	return c, nil
}

// Signal sends a signal to the group, which may have ended. When the command ends after that, what
// it has started and left running is ended, too, as if it had failed.
func (c *Command) Signal(s os.Signal) {
	c.signalled.Store(true)
	c.group.before()
	c.group.signal(c.cmd.Process, s)
}

// SignalOf is the number of the signal that ended a process, 0 for none.
func SignalOf(s *os.ProcessState) int { return signalOf(s) }

// Environ is the environment of a command without some variables: those by which a user
// trusts something are not for the programs that he starts.
func Environ(cmd *exec.Cmd, without ...string) []string {
	return slices.DeleteFunc(cmd.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(without, name)
	})
}
