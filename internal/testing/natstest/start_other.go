//go:build !linux

package natstest

import "os/exec"

func start(cmd *exec.Cmd, ended chan struct{}) error {
	err := cmd.Start()
	if err == nil {
		go func() { cmd.Wait(); close(ended) }()
	}
	return err
}
