//go:build unix

package histories

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"handoff/internal/testing/natstest"
)

// machine is a clone with the programs that run there.
type machine struct {
	t     *testing.T
	shell shell
	proxy *natstest.Proxy // its line to the store; nil without one
	away  bool            // it has lost the store
	http  *running
	mcp   *running
	url   string
	lines *bufio.Reader // what mcp answers
	asked int
	files string // of mcp's and the server's messages
}

// running is a program that answers requests.
type running struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

func (r *running) kill() {
	if r != nil {
		r.cmd.Process.Kill()
		r.cmd.Process.Signal(syscall.SIGCONT)
		r.cmd.Wait()
	}
}

// answer is what came of a request.
type answer struct {
	OK     bool      `json:"-"` // it was done, or is queued
	Cut    bool      `json:"-"` // its program was killed: nobody knows
	Text   string    `json:"-"`
	Path   string    `json:"path"`
	State  string    `json:"state"`
	Claim  string    `json:"claim"`
	Token  uint64    `json:"token"`
	Until  time.Time `json:"until"`
	Queued []string  `json:"queued"`
	Stale  bool      `json:"stale"`
	Steps  []step    `json:"steps"`
	Header bool      `json:"-"` // it says by a header that it is stale
}

// step is a line of receipts.
type step struct {
	At    time.Time `json:"at"`
	Step  string    `json:"step"`
	Claim string    `json:"claim"`
	Token uint64    `json:"token"`
	Until time.Time `json:"until"`
	Took  string    `json:"took"`
	Why   string    `json:"why"`
}

// Away reports that the store did not answer, or nobody knows what it did.
func (a answer) Away() bool {
	for _, words := range []string{"cannot be reached", "did not answer", "no answer", "cannot be known", "outcome", "wait in the outbox", "unavailable", "cannot say", "another process is"} {
		if strings.Contains(a.Text, words) {
			return true
		}
	}
	return a.Cut
}

// ask is a request: a step on a handoff, or the next handoff of its task.
type ask struct {
	what  string // claim, renew, release, done, write, read, next
	path  string
	task  int
	claim string
	as    string
	ttl   int
	force bool
	kill  time.Duration // the program is killed that long after the begin; 0 for never
	stop  time.Duration // it is stopped that long, 1 ms after the begin
}

const text = "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n"

// command makes a request with a command.
func (m *machine) command(a ask) answer {
	args := []string{a.what, a.path, "--json"}
	switch a.what {
	case "claim":
		args = append(args, "--as", a.as, "--ttl", fmt.Sprint(a.ttl, "s"))
	case "next":
		args = []string{"next", "--claim", "--json", "--as", a.as, "--ttl", fmt.Sprint(a.ttl, "s")}
	case "renew":
		args = append(args, "--ttl", fmt.Sprint(a.ttl, "s"))
	case "write":
		args = []string{"new", "--json", "--draft", "--task", fmt.Sprint(a.task), "--phase", "1", "--from", "-"}
	case "read":
		args = []string{"receipts", a.path, "--json"}
	}
	if a.force {
		args = append(args, "--force", "--why", "test")
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = m.shell.dir, append(m.shell.env[:len(m.shell.env):len(m.shell.env)], "HANDOFF_CLAIM="+a.claim)
	cmd.Stdin = strings.NewReader(text)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Start(); err != nil {
		m.t.Error(err)
	}
	disturb(cmd.Process, a)
	err := cmd.Wait()
	r := decoded(out.Bytes())
	r.OK, r.Text = err == nil, out.String()+problem.String()
	r.Cut = a.kill > 0 && err != nil && cmd.ProcessState.ExitCode() < 0
	return r
}

// disturb kills or stops a program while it works.
func disturb(p *os.Process, a ask) {
	switch {
	case a.kill > 0:
		time.Sleep(a.kill)
		p.Kill()
	case a.stop > 0:
		time.Sleep(time.Millisecond)
		p.Signal(syscall.SIGSTOP)
		time.Sleep(a.stop)
		p.Signal(syscall.SIGCONT)
	}
}

func decoded(src []byte) (a answer) {
	var all struct {
		answer
		Claimed *answer `json:"claimed"`
	}
	if json.Unmarshal(src, &all) == nil && all.Claimed != nil {
		return *all.Claimed
	}
	return all.answer
}

var listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// start starts the server, or the one for agents, if it does not run.
func (m *machine) start() error {
	if m.http != nil {
		return nil
	}
	cmd := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--no-token")
	cmd.Dir, cmd.Env = m.shell.dir, m.shell.env
	log, err := os.Create(filepath.Join(m.files, "serve.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	m.http = &running{cmd: cmd}
	for range 3000 {
		src, _ := os.ReadFile(log.Name())
		if m.url = listening.FindString(string(src)); m.url != "" {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("%s does not listen", log.Name())
}

// client does not keep connections to servers that are killed.
var client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}

// overHTTP makes a request to the server of the machine.
func (m *machine) overHTTP(a ask) (r answer) {
	if err := m.start(); err != nil {
		m.t.Error(err)
		return r
	}
	body := map[string]any{"claim": a.claim}
	method, to := "POST", "/handoffs/"+url.PathEscape(a.path)+"/"+a.what
	switch a.what {
	case "claim", "next":
		body = map[string]any{"as": a.as, "ttl_seconds": a.ttl}
		if a.force {
			body["force"], body["why"] = true, "test"
		}
		if a.what == "next" {
			to = "/handoffs/next/claim"
		}
	case "renew":
		body["ttl_seconds"] = a.ttl
	case "write":
		to, body = fmt.Sprintf("/specs/%d/handoffs", a.task), map[string]any{"claim": a.claim, "phase": 1, "draft": true, "markdown": text}
	case "read":
		method, to, body = "GET", "/handoffs/"+url.PathEscape(a.path)+"/receipts", nil
	}
	src, _ := json.Marshal(body)
	request, err := http.NewRequest(method, m.url+to, bytes.NewReader(src))
	if err != nil {
		m.t.Error(err)
		return r
	}
	request.Header.Set("Content-Type", "application/json")
	done := make(chan struct{})
	go func() { defer close(done); disturb(m.http.cmd.Process, a) }()
	response, err := client.Do(request)
	if err == nil {
		src, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	<-done
	if a.kill > 0 {
		m.http.kill()
		m.http = nil
	}
	if err != nil {
		return answer{Cut: true, Text: err.Error()}
	}
	r = decoded(src)
	r.OK, r.Text, r.Header = response.StatusCode < 300, string(src), response.Header.Get("Handoff-Stale") != ""
	return r
}

// startMCP starts the server for agents, if it does not run.
func (m *machine) startMCP() error {
	if m.mcp != nil {
		return nil
	}
	cmd := exec.Command(program, "mcp")
	cmd.Dir, cmd.Env = m.shell.dir, m.shell.env
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	m.mcp, m.lines = &running{cmd, in}, bufio.NewReader(out)
	io.WriteString(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"an agent","version":"1"}}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	_, err = m.lines.ReadString('\n')
	return err
}

// overMCP calls a tool. There are none for next and for reading receipts.
func (m *machine) overMCP(a ask) answer {
	if err := m.startMCP(); err != nil {
		m.t.Error(err)
		return answer{}
	}
	tool, arguments := "handoff_claim", map[string]any{"action": a.what, "ref": a.path}
	if a.claim != "" {
		arguments["claim"] = a.claim
		delete(arguments, "ref")
	}
	if a.what == "write" {
		tool, arguments = "handoff_new", map[string]any{"task": a.task, "phase": 1, "claim": a.claim, "next_action": "Run `go test ./parse`.",
			"state": map[string]any{"goal": "green"}, "decisions": []any{}, "dead_ends": []any{}, "context": []any{}, "references": []any{}}
	}
	m.asked++
	src, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.asked, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
	done := make(chan struct{})
	go func() { defer close(done); disturb(m.mcp.cmd.Process, a) }()
	io.WriteString(m.mcp.in, string(src)+"\n")
	line, err := m.lines.ReadBytes('\n')
	<-done
	if a.kill > 0 {
		m.mcp.kill()
		m.mcp = nil
	}
	if err != nil {
		return answer{Cut: true, Text: err.Error()}
	}
	var result struct {
		Error  json.RawMessage
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
	}
	if err := json.Unmarshal(line, &result); err != nil {
		m.t.Error(err)
	}
	r := decoded(result.Result.StructuredContent)
	r.OK, r.Text = result.Error == nil && !result.Result.IsError, string(line)
	return r
}
