//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a running server.
type server struct {
	cmd     *exec.Cmd
	said    io.Reader
	address string
	folder  string
}

// serve creates the workspace unless it exists, and starts a server in it.
func serve(handoff, folder string) (s *server, err error) {
	if err := os.MkdirAll(filepath.Join(folder, "specs"), 0o755); err != nil {
		return nil, err
	}
	s = &server{cmd: exec.Command(handoff, "serve", "-C", folder, "--listen", "127.0.0.1:0", "--no-token"), folder: folder}
	if s.said, err = s.cmd.StderrPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(s.said).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if s.address = address; !ok {
		return nil, errors.Join(fmt.Errorf("the server said %q, %w", line, err), s.stop())
	}
	return s, nil
}

func (s *server) stop() error {
	s.cmd.Process.Signal(syscall.SIGTERM)
	io.Copy(os.Stderr, s.said)
	return s.cmd.Wait()
}

// cpu is the CPU time that the server has used so far, in steps of 10 ms; 0
// without /proc.
func (s *server) cpu() time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	const user, system, tick = 11, 12, 10 * time.Millisecond // fields after the name, which may contain spaces
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) <= system {
		return 0
	}
	u, _ := strconv.Atoi(fields[user])
	k, _ := strconv.Atoi(fields[system])
	return time.Duration(u+k) * tick
}
