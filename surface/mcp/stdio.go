package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Run serves one client that writes to in and reads from out, a message a line, until in
// ends, which is not an error, or ctx does. It closes in.
//
// The library has one session for each connection, and refuses initialize in one that
// began with a request of 2026-07-28. Clients send both, because they try which one the
// server speaks. So each era has a session of its own, and requests are passed to the
// session of their era.
func (s *Server) Run(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	c := &stdio{out: out, answered: make(chan struct{}, 1), open: map[jsonrpc.ID]int{}}
	c.eras = [2]*era{newEra(c), newEra(c)}
	var sessions []*sdk.ServerSession
	for _, e := range c.eras {
		session, err := s.sdk.Connect(ctx, e, nil)
		if err != nil {
			return err
		}
		sessions = append(sessions, session)
	}
	read := make(chan error, 1)
	go func() { read <- c.read(in) }()
	var err error
	select {
	case err = <-read:
		c.drain(ctx)
	case <-ctx.Done():
		err = ctx.Err()
	}
	for i, session := range sessions {
		c.eras[i].Close()
		session.Wait() // it was ended here
	}
	in.Close() // ends a read that is under way
	return err
}

// The limits of a connection.
const (
	maxLine   = 16 << 20        // bytes of a message
	drainTime = 2 * time.Second // for answers after the input ended
)

// stdio is a connection to one client.
type stdio struct {
	eras     [2]*era // [legacy] and [stateless]
	answered chan struct{}

	mu   sync.Mutex
	out  io.Writer
	open map[jsonrpc.ID]int // calls without an answer
}

const (
	legacy    = 0 // up to 2025-11-25: a session begins with initialize
	stateless = 1 // since 2026-07-28: each request carries its version
)

// era is the connection of one of the two sessions.
type era struct {
	of   *stdio
	in   chan jsonrpc.Message
	done chan struct{}
	once sync.Once
}

func newEra(of *stdio) *era {
	return &era{of: of, in: make(chan jsonrpc.Message), done: make(chan struct{})}
}

func (e *era) Connect(context.Context) (sdk.Connection, error) { return e, nil }

func (e *era) SessionID() string { return "" }

func (e *era) Close() error {
	e.once.Do(func() { close(e.done) })
	return nil
}

func (e *era) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-e.in:
		return m, nil
	case <-e.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e *era) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return e.of.write(text, m)
}

// write writes a message; m is nil if it has no identifier.
func (c *stdio) write(text []byte, m jsonrpc.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := m.(*jsonrpc.Response); ok {
		if c.open[r.ID]--; c.open[r.ID] <= 0 {
			delete(c.open, r.ID)
		}
		select {
		case c.answered <- struct{}{}:
		default:
		}
	}
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// drain waits until all calls are answered: a client may end its input after the last
// one.
func (c *stdio) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	for {
		c.mu.Lock()
		n := len(c.open)
		c.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-ctx.Done():
			return
		}
	}
}

// read passes on messages until the input ends.
func (c *stdio) read(in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := c.take(line); err != nil {
			return err
		}
	}
	return lines.Err()
}

// take passes on one message, or those of a batch, which clients before 2025-06-18 may
// send. It answers invalid messages, because a host would not restart a server that ends.
func (c *stdio) take(line []byte) error {
	var batch []json.RawMessage
	if line[0] == '[' && json.Unmarshal(line, &batch) == nil && len(batch) > 0 {
		var errs error
		for _, one := range batch {
			errs = errors.Join(errs, c.take(append([]byte{' '}, one...)))
		}
		return errs
	}
	m, err := jsonrpc.DecodeMessage(line)
	switch {
	case !json.Valid(line):
		return c.write(notUnderstood(jsonrpc.CodeParseError, "parse error"), nil)
	case err != nil:
		return c.write(notUnderstood(jsonrpc.CodeInvalidRequest, "invalid request"), nil)
	}
	to := c.eras[legacy]
	if r, ok := m.(*jsonrpc.Request); ok {
		if r.Method == "notifications/cancelled" { // of a request of either era
			c.pass(c.eras[stateless], m)
		} else if isStateless(r) {
			to = c.eras[stateless]
		}
		if r.IsCall() && r.Method != "subscriptions/listen" { // which ends with the connection
			c.mu.Lock()
			c.open[r.ID]++
			c.mu.Unlock()
		}
	}
	c.pass(to, m)
	return nil
}

func (c *stdio) pass(to *era, m jsonrpc.Message) {
	select {
	case to.in <- m:
	case <-to.done:
	}
}

// isStateless reports whether a request carries the version of its protocol.
func isStateless(r *jsonrpc.Request) bool {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	return json.Unmarshal(r.Params, &p) == nil && p.Meta[sdk.MetaKeyProtocolVersion] != nil
}

func notUnderstood(code int, text string) []byte {
	b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": text}}) // strings and numbers
	return b
}
