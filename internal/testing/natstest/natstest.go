// Package natstest runs real NATS servers with JetStream for tests: a single one, or a
// cluster whose nodes can be killed and started again. They listen on random ports of
// the loopback interface, keep their files in a folder of the test, and end with it.
// On Linux they also end with a test process that is killed.
//
// HANDOFF_NATS_SERVER names the program, or the folder that has it.
package natstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// Options configure the servers.
type Options struct {
	// Nodes is the number of servers: 1, or a cluster.
	Nodes int
	// SyncAlways makes the servers fsync each record before they confirm it, as they
	// must in production. Tests that do not need it are faster without it.
	SyncAlways bool
	// Config is added to the configuration, such as users and certificates.
	Config string
	// Secure: Config has a section tls, so the addresses are tls://.
	Secure bool
}

// Cluster is some running servers.
type Cluster struct {
	t       testing.TB
	o       Options
	program string
	dir     string
	tries   int
	nodes   []*node
}

// node is one server; its ports and files stay the same when it is started again.
type node struct {
	process               *os.Process
	name, dir             string
	client, route, status int // ports
	end                   func()
	ended                 chan struct{}
	output                *bytes.Buffer
}

// Start starts servers and waits until they are ready.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	c := &Cluster{t: t, o: o, program: program(t), dir: t.TempDir()}
	t.Cleanup(c.stop) // after TempDir, so that it runs before the folder is removed
	// Another process may take a port before the server does: then it is tried again.
	for range 10 {
		if c.try(); c.serving() {
			return c
		}
		c.stop()
	}
	for _, n := range c.nodes {
		t.Logf("%s printed\n%s", n.name, n.output)
	}
	t.Fatal("the NATS servers do not start")
	return nil
}

// program is the path of nats-server.
func program(t testing.TB) string {
	t.Helper()
	path := os.Getenv("HANDOFF_NATS_SERVER")
	if path == "" {
		needs.Missing(t, "HANDOFF_NATS_SERVER", "the variable is not set: .ci/nats-server installs the server")
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		path = filepath.Join(path, "nats-server")
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("HANDOFF_NATS_SERVER: %v", err)
	}
	return path
}

// try starts all nodes with ports that were free just now.
func (c *Cluster) try() {
	c.nodes, c.tries = nil, c.tries+1
	ports := freePorts(c.t, 3*c.o.Nodes)
	for i := range c.o.Nodes {
		n := &node{name: fmt.Sprintf("n%d", i), client: ports[3*i], route: ports[3*i+1], status: ports[3*i+2]}
		n.dir = filepath.Join(c.dir, fmt.Sprintf("%s-%d", n.name, c.tries))
		if err := os.Mkdir(n.dir, 0o700); err != nil {
			c.t.Fatal(err)
		}
		c.nodes = append(c.nodes, n)
	}
	for i := range c.nodes {
		c.Restart(i)
	}
}

func freePorts(t testing.TB, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // at the end, so that all are different
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// config is the configuration of a node.
func (c *Cluster) config(n *node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "server_name: %s\nlisten: \"127.0.0.1:%d\"\nhttp: \"127.0.0.1:%d\"\n", n.name, n.client, n.status)
	sync := "2m"
	if c.o.SyncAlways {
		sync = "always"
	}
	fmt.Fprintf(&b, "jetstream {\n  store_dir: %q\n  sync_interval: %s\n}\n", filepath.ToSlash(n.dir), sync)
	if len(c.nodes) > 1 {
		fmt.Fprintf(&b, "cluster {\n  name: handoff\n  listen: \"127.0.0.1:%d\"\n  routes: [", n.route)
		for _, other := range c.nodes {
			if other != n {
				fmt.Fprintf(&b, "\n    \"nats://127.0.0.1:%d\"", other.route)
			}
		}
		b.WriteString("\n  ]\n}\n")
	}
	return b.String() + c.o.Config
}

// Restart starts a node that does not run. It does not wait until it is ready.
func (c *Cluster) Restart(i int) {
	c.t.Helper()
	n := c.nodes[i]
	path := filepath.Join(n.dir, "server.conf")
	if err := os.WriteFile(path, []byte(c.config(n)), 0o600); err != nil {
		c.t.Fatal(err)
	}
	n.output, n.ended = new(bytes.Buffer), make(chan struct{})
	cmd := exec.Command(c.program, "-c", path)
	cmd.Stdout, cmd.Stderr = n.output, n.output
	if err := start(cmd, n.ended); err != nil {
		c.t.Fatal(err)
	}
	n.process = cmd.Process
	n.end = func() { cmd.Process.Kill(); <-n.ended }
}

// SetConfig replaces Options.Config for nodes that are started later.
func (c *Cluster) SetConfig(config string) { c.o.Config = config }

// Check has nats-server check a configuration, and returns what it printed.
func Check(t testing.TB, config string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "server.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program(t), "-t", "-c", path).CombinedOutput()
	return string(out), err
}

// Kill kills a node with SIGKILL, and waits until it has ended.
func (c *Cluster) Kill(i int) { c.nodes[i].end() }

func (c *Cluster) stop() {
	for _, n := range c.nodes {
		if n.end != nil {
			n.end()
		}
	}
}

// Addresses are the URLs of all nodes.
func (c *Cluster) Addresses() (all []string) {
	scheme := "nats"
	if c.o.Secure {
		scheme = "tls"
	}
	for _, n := range c.nodes {
		all = append(all, fmt.Sprintf("%s://127.0.0.1:%d", scheme, n.client))
	}
	return all
}

// serving waits until all nodes are ready and know each other, or one has ended.
func (c *Cluster) serving() (ok bool) {
	waittest.Until(c.t, "the NATS servers to be ready", func() bool {
		for _, n := range c.nodes {
			select {
			case <-n.ended:
				return true
			default:
			}
		}
		ok = c.healthy() && (len(c.nodes) == 1 || c.peers() == len(c.nodes))
		return ok
	})
	return ok
}

// WaitHealthy waits until all nodes report that they have all records.
func (c *Cluster) WaitHealthy() {
	c.t.Helper()
	waittest.Until(c.t, "all NATS servers to be healthy", c.healthy)
}

func (c *Cluster) healthy() bool {
	for _, n := range c.nodes {
		var health struct{ Status string }
		if !n.ask("/healthz", &health) || health.Status != "ok" {
			return false
		}
	}
	return true
}

// peers is the number of nodes that the leader of the cluster can reach. It refuses to
// create streams on others.
func (c *Cluster) peers() (most int) {
	for _, n := range c.nodes {
		var js struct {
			Meta struct {
				Leader   string
				Replicas []struct{ Current, Offline bool }
			} `json:"meta_cluster"`
		}
		if n.ask("/jsz", &js) && js.Meta.Leader == n.name {
			reached := 1
			for _, r := range js.Meta.Replicas {
				if r.Current && !r.Offline {
					reached++
				}
			}
			most = max(most, reached)
		}
	}
	return most
}

// Leader returns the node that leads a stream, -1 if none reports that it does.
func (c *Cluster) Leader(stream string) int {
	for i, n := range c.nodes {
		var js struct {
			Accounts []struct {
				Streams []struct {
					Name    string
					Cluster struct{ Leader string }
				} `json:"stream_detail"`
			} `json:"account_details"`
		}
		if !n.ask("/jsz?streams=true&accounts=true", &js) {
			continue
		}
		for _, account := range js.Accounts {
			for _, s := range account.Streams {
				if s.Name == stream && s.Cluster.Leader == n.name {
					return i
				}
			}
		}
	}
	return -1
}

// WaitLeader waits until a node leads a stream.
func (c *Cluster) WaitLeader(stream string) (leader int) {
	c.t.Helper()
	waittest.Until(c.t, "a leader of the stream "+stream, func() bool {
		leader = c.Leader(stream)
		return leader >= 0
	})
	return leader
}

// client does not keep connections to servers that are killed.
var client = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// ask asks the monitoring port of a node.
func (n *node) ask(path string, answer any) bool {
	r, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d%s", n.status, path))
	if err != nil {
		return false
	}
	defer r.Body.Close()
	return json.NewDecoder(r.Body).Decode(answer) == nil
}
