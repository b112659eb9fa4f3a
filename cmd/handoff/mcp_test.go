package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

const mcpInitialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"an agent","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// mcpServer is a running server, as a host starts one.
type mcpServer struct {
	*exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	problem bytes.Buffer
}

func startMCP(t *testing.T, dir string) *mcpServer {
	t.Helper()
	s := &mcpServer{Cmd: programIn(t, commandDir(t), dir, "mcp")}
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in, s.out, s.Stderr = in, bufio.NewReader(out), &s.problem
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Process.Kill(); s.Wait() })
	s.send(t, mcpInitialize)
	if line := s.answer(t); !strings.Contains(line, `"protocolVersion":"2025-11-25"`) {
		t.Fatal(line)
	}
	return s
}

func (s *mcpServer) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(s.in, text); err != nil {
		t.Fatal(err)
	}
}

func (s *mcpServer) answer(t *testing.T) string {
	t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, &s.problem)
	}
	return line
}

func mcpTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// mcpNew is a call that writes a handoff.
func mcpNew(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"handoff_new","arguments":{"task":7,"phase":1,"slug":"small","next_action":"Run the tests of ./parse.","state":{"goal":"green"},"decisions":[],"dead_ends":[],"context":[],"references":[]}}}`+"\n", id)
}

// TestMCPEnds: a server ends when its input does, and by a signal.
func TestMCPEnds(t *testing.T) {
	s := startMCP(t, mcpTree(t))
	s.in.Close()
	if _, err := s.out.ReadByte(); err != io.EOF {
		t.Errorf("more output: %v", err)
	}
	if err := s.Wait(); err != nil || s.problem.Len() > 0 {
		t.Errorf("ended with %v: %s", err, &s.problem)
	}
	needs.Unix(t, "Windows has no SIGTERM")
	s = startMCP(t, mcpTree(t))
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	waittest.For(t, "the end of the server", ended)
}

// TestMCPKilled kills servers while they write: no document is ever in part there, and
// the next server continues.
func TestMCPKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 12 processes")
	}
	dir := mcpTree(t)
	for round := range 6 {
		s := startMCP(t, dir)
		for id := range 8 {
			s.send(t, mcpNew(id+2))
		}
		for range round {
			if line := s.answer(t); !strings.Contains(line, "Written: ") {
				t.Error(line)
			}
		}
		s.Process.Kill()
		s.Wait()
	}
	// A killed server may leave a temporary file, which is not a document.
	list, err := filepath.Glob(filepath.Join(dir, "specs/7_small/handoffs/*.md"))
	if err != nil || len(list) < 15 {
		t.Errorf("%d documents, %v", len(list), err)
	}
	for _, path := range list {
		src, err := os.ReadFile(path)
		if err != nil || !bytes.HasSuffix(src, []byte("## References (read only if stuck)\nNone\n")) {
			t.Errorf("%s: %q, %v", path, src, err)
		}
	}
	s := startMCP(t, dir)
	s.send(t, mcpNew(2))
	if line := s.answer(t); !strings.Contains(line, "Written: ") {
		t.Error(line)
	}
}
