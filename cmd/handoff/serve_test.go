package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// started runs serve in a shell after the commands in before, and returns the
// address that it prints.
func started(t *testing.T, files []*os.File, env []string, before string, args ...string) (cmd *exec.Cmd, address string) {
	t.Helper()
	bin, dir := commandDir(t), t.TempDir()
	line := before + " exec " + filepath.Join(bin, "handoff") + " serve " + strings.Join(args, " ")
	cmd = exec.Command("sh", "-c", line)
	cmd.Dir, cmd.ExtraFiles = dir, files
	cmd.Env = append(os.Environ(), env...)
	talk, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	first, err := bufio.NewReader(talk).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(first), "handoff listening on ")
	if !ok {
		t.Fatalf("it said %q: %v", first, err)
	}
	return cmd, address
}

func healthy(t *testing.T, address string) {
	t.Helper()
	resp, err := http.Get(address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); string(text) != `{"status":"ok"}` {
		t.Errorf("%s", text)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestServe(t *testing.T) {
	needs.Unix(t, "Windows has no such signals and sockets")
	cmd, address := started(t, nil, nil, "", "--listen", "127.0.0.1:0")
	if strings.HasSuffix(address, ":0") || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Errorf("address %s", address)
	}
	healthy(t, address)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if err := waittest.For(t, "the end of the server", ended); err != nil {
		t.Errorf("ended by SIGTERM: %v", err)
	}
}

// TestServeActivated: serve uses the socket that it is passed, and reports its
// state to the service manager.
func TestServeActivated(t *testing.T) {
	needs.Linux(t, "only systemd passes sockets on like this")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	dir, err := os.MkdirTemp("", "") // the path of t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "n"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	told := func(want string) {
		t.Helper()
		manager.SetReadDeadline(waittest.Deadline())
		buf := make([]byte, 200)
		n, err := manager.Read(buf)
		if err != nil || !strings.HasPrefix(string(buf[:n]), want) {
			t.Errorf("told %q, %v; want %s", buf[:n], err, want)
		}
	}
	cmd, address := started(t, []*os.File{socket}, []string{"NOTIFY_SOCKET=" + filepath.Join(dir, "n"), "LISTEN_FDS=1"}, "LISTEN_PID=$$")
	if address != "http://"+l.Addr().String() {
		t.Errorf("it listens on %s, not on %s", address, l.Addr())
	}
	told("READY=1\n")
	healthy(t, address)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	told("STOPPING=1")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
