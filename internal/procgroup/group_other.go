//go:build !unix

package procgroup

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd) {}

// signal kills the command: other signals do not exist.
func signal(p *os.Process, _ os.Signal) { p.Kill() }

func signalOf(*os.ProcessState) int { return 0 }
