package procgroup

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestHaving: what a command that ended well has left running in a session of its own is found, and nothing else.
func TestHaving(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid")
	}
	cmd := exec.Command("/bin/sh", "-c", `setsid sh -c 'echo $$; exec >&-; exec sleep 600' & sleep 0.2`)
	owner := t.TempDir()
	cmd.Env = append(os.Environ(), "HANDOFF_TEST_OWNER="+owner)
	var c *Command
	child := start(t, cmd, func() (err error) { c, err = Start(cmd); return err })
	defer syscall.Kill(child, syscall.SIGKILL)
	if err := <-c.Ended; err != nil {
		t.Fatal(err)
	}
	list := Having(func(getenv func(string) string) string { return getenv("HANDOFF_TEST_OWNER") })
	if of := list[owner]; len(of) != 1 || of[0] != (Process{child, "sleep 600"}) {
		t.Errorf("%+v, want process %d", list, child)
	}
	if len(list) != 1 {
		t.Errorf("processes without the variable: %+v", list)
	}
}
