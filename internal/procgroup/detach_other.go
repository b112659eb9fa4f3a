//go:build !unix

package procgroup

import (
	"errors"
	"os/exec"
)

// Detach is an error: a process that outlives its console was not tried here.
func Detach(*exec.Cmd) error { return errors.ErrUnsupported }
