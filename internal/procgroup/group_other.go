//go:build !unix

package procgroup

import (
	"os"
	"os/exec"
)

// group does nothing: there are no process groups.
type group struct{}

func newGroup() *group       { return nil }
func (*group) add(*exec.Cmd) {}
func (*group) await()        {}
func (*group) dismiss()      {}
func (*group) sweep()        {}
func (*group) before()       {}

// signal kills the command: other signals do not exist.
func (*group) signal(p *os.Process, _ os.Signal) { p.Kill() }

func signalOf(*os.ProcessState) int { return 0 }
