package natstest

import "syscall"

// Stall stops a node without ending it: it accepts connections and answers nothing, as a
// machine without a processor or a disk for a moment. resume lets it continue; it may be
// called twice.
func (c *Cluster) Stall(i int) (resume func()) {
	c.t.Helper()
	process := c.nodes[i].process
	if err := process.Signal(syscall.SIGSTOP); err != nil {
		c.t.Fatal(err)
	}
	return func() { process.Signal(syscall.SIGCONT) }
}
