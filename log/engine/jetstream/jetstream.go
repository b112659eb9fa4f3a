// Package jetstream keeps logs and blobs in a stream of NATS JetStream, for teams
// whose agents work on several machines. docs/jetstream.md describes how to run the
// servers.
//
// A log is a subject. An append is a message on it, or an atomic batch of messages,
// that the server accepts only if the last message of the subject is still the one
// that the caller saw. Messages carry the numbers of their records in a header: the
// sequence numbers of a stream are shared by all of its subjects, so they are not
// those of the records.
//
// The end of a log is always read from the leader of the stream. Older messages may
// come from any node, because their numbers show whether one is missing.
//
// The package does not interpret records and does not know that a workspace has a
// copy of them. It reads nothing from the environment.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

// Options locate a store.
type Options struct {
	// Servers are URLs such as "nats://host:4222" or "tls://host:4222", without
	// credentials. One reachable server is enough: it names the others of its cluster.
	Servers []string
	// Stream is the name of the stream: letters, digits, - and _.
	Stream string
	// Creds is the path of a .creds file, Token a token, CA the path of the CA
	// certificates of the servers, in PEM. Each may be empty.
	Creds, Token, CA string
	// Name is what the server calls the connection; "handoff" if it is empty.
	Name string
	// Create creates the stream if it does not exist. Otherwise that is [ErrNoStream],
	// so that a mistyped name is not taken for an empty store.
	Create bool
	// Replicas is the number of copies in a stream that is created. 0: 3 in a cluster,
	// 1 on a single server.
	Replicas int
	// Timeout limits each request; 5 s if it is 0.
	Timeout time.Duration
}

// ErrNoStream: the server has no stream with this name.
var ErrNoStream = errors.New("the server has no such stream")

// Engine is the logs and blobs of a stream. It is safe for concurrent use.
type Engine struct {
	o       Options
	nc      *nats.Conn
	prefix  string // of all subjects of the store
	ends    ends
	link    atomic.Pointer[link]
	refusal atomic.Pointer[error] // the last missing permission

	noConsumers atomic.Bool // this user may not create any
}

var _ engine.Engine = (*Engine)(nil)

// link is the time between a connect and the disconnect that ends it.
type link struct {
	context.Context
	end context.CancelFunc
}

// Open connects to a server and checks the stream. The error wraps
// engine.ErrUnavailable if no server answers.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	if o.Name == "" {
		o.Name = "handoff"
	}
	e := &Engine{o: o, prefix: "handoff." + o.Stream + "."}
	if err := e.check(); err != nil {
		return nil, err
	}
	if err := e.connect(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name(), err)
	}
	if err := e.prepare(ctx); err != nil {
		e.Close()
		return nil, fmt.Errorf("%s: %w", e.Name(), err)
	}
	return e, nil
}

// Name is the address: "nats://a:4222,b:4222/STREAM".
func (e *Engine) Name() string {
	all := strings.Clone(e.o.Servers[0])
	for _, s := range e.o.Servers[1:] {
		_, host, _ := strings.Cut(s, "://")
		all += "," + host
	}
	return all + "/" + e.o.Stream
}

// Close ends the connection.
func (e *Engine) Close() error {
	e.nc.Close()
	return nil
}

// ends are the last known ends of logs. They are guesses: a server that knows better
// refuses the append that was made with one.
type ends struct {
	mu  sync.Mutex
	all map[string]end
}

// end is where a log ends: the number of its records, and the sequence number of its
// last message, 0 if there is none.
type end struct{ len, seq uint64 }

func (c *ends) get(log string) (end, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.all[log]
	return at, ok
}

func (c *ends) set(log string, at end) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[string]end{}
	}
	if c.all[log].seq <= at.seq { // answers may arrive in another order
		c.all[log] = at
	}
}

func (c *ends) forget(logs ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, log := range logs {
		delete(c.all, log)
	}
}

// reset forgets all ends: the servers may have restored the stream from a backup.
func (c *ends) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = nil
}
