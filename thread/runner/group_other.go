//go:build !unix

package runner

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd) {}

// tell ends the command: there is no way to ask.
func tell(p *os.Process, _ os.Signal) { p.Kill() }

func signalOf(*os.ProcessState) int { return 0 }
