package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"handoff/internal/procgroup"
)

// maxMessage is the longest message that is read, in bytes. Results of tools are
// as long as files.
const maxMessage = 64 << 20

// message is a request, a notification (without ID) or an answer (without Method).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// conn is the connection to an agent. All methods are called by one goroutine,
// which also handles the agent's requests while it awaits an answer.
type conn struct {
	cmd    *exec.Cmd
	agent  *procgroup.Command
	ended  chan struct{} // closed when the agent has ended
	in     chan message  // closed when its output has
	inErr  error         // why; valid then
	out    chan []byte
	closed chan struct{} // closed when reading and writing have ended
	handle func(message)
	last   int // id of a request
}

// connect starts an agent.
func connect(command []string, dir string, environ func([]string) []string, stderr io.Writer, handle func(message)) (*conn, error) {
	c := &conn{cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{}), in: make(chan message), out: make(chan []byte, 64), closed: make(chan struct{}), handle: handle}
	c.cmd.Dir, c.cmd.Stderr, c.cmd.WaitDelay = dir, stderr, hurry
	c.cmd.Env = environ(procgroup.Environ(c.cmd, "HANDOFF_TRUST")) // what an agent writes is not trusted
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, w := io.Pipe() // not StdoutPipe: Wait would lose the last lines
	c.cmd.Stdout = w
	if c.agent, err = procgroup.Start(c.cmd); err != nil {
		return nil, err
	}
	go func() {
		<-c.agent.Ended // how it ended is in cmd.ProcessState
		close(c.ended)
		w.Close()
	}()
	go c.read(output)
	go c.write(stdin)
	return c, nil
}

// read decodes the messages of an agent. An agent whose output is not the
// protocol is not usable: the first line of something else is an error.
func (c *conn) read(output *io.PipeReader) {
	defer close(c.in)
	defer output.Close()
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			c.inErr = fmt.Errorf("the agent printed %q, which is not the Agent Client Protocol", line[:min(len(line), 120)])
			return
		}
		select {
		case c.in <- m:
		case <-c.closed:
			return
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		c.inErr = fmt.Errorf("the agent sent a message of more than %d MB", maxMessage>>20)
	}
}

// write writes messages: an agent that does not read must not stop us from
// reading. If it does not read at all, read notices that it ends.
func (c *conn) write(stdin io.WriteCloser) {
	defer stdin.Close()
	for {
		select {
		case line := <-c.out:
			if _, err := stdin.Write(line); err != nil {
				return
			}
		case <-c.closed:
			return
		}
	}
}

// send queues a message. Its parts are JSON already, or texts, lists and maps of
// them, so they can be encoded.
func (c *conn) send(m message) {
	m.Version = "2.0"
	line, _ := json.Marshal(m)
	select {
	case c.out <- append(line, '\n'):
	case <-c.ended:
	}
}

func (c *conn) notify(method string, params any) {
	c.send(message{Method: method, Params: raw(params)})
}

// request sends a request and returns its id, for await.
func (c *conn) request(method string, params any) string {
	c.last++
	id := strconv.Itoa(c.last)
	c.send(message{ID: json.RawMessage(id), Method: method, Params: raw(params)})
	return id
}

func raw(value any) json.RawMessage {
	b, _ := json.Marshal(value)
	return b
}

// await waits for the answer to a request, and handles what the agent sends
// meanwhile.
func (c *conn) await(ctx context.Context, id, method string, result any) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case m, ok := <-c.in:
			switch {
			case !ok:
				return c.gone(method)
			case m.Method != "":
				c.handle(m)
			case string(m.ID) != id: // the answer to a request that was abandoned
			case m.Error != nil:
				m.Error.Method = method
				return m.Error
			case result != nil:
				if err := json.Unmarshal(m.Result, result); err != nil {
					return fmt.Errorf("%s: the answer is not that of the Agent Client Protocol: %w", method, err)
				}
				return nil
			default:
				return nil
			}
		}
	}
}

// gone is the reason why no more messages arrive.
func (c *conn) gone(method string) error {
	if c.inErr != nil {
		return c.inErr
	}
	<-c.ended // its output ended with it
	return fmt.Errorf("the agent ended (%v) before it answered %s", c.cmd.ProcessState, method)
}

// end stops the agent and its children: it closes the input, then sends a signal, then
// kills it.
func (c *conn) end(patience time.Duration) {
	close(c.closed)
	for _, s := range []os.Signal{nil, syscall.SIGTERM, os.Kill} {
		if s != nil {
			c.agent.Signal(s)
		}
		select {
		case <-c.ended:
			c.agent.Signal(os.Kill) // its children
			return
		case <-time.After(patience):
		}
	}
	<-c.ended
}
