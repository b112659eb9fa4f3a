package needs

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const nobody = 65534

// asNobody runs the test again as nobody. The binary lies where nobody may not
// look, and so may the checkout: the binary is run by the link that each
// process has to itself, in a folder that nobody owns.
func asNobody(t *testing.T) {
	t.Helper()
	home, err := os.MkdirTemp("", "nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	name := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run", name, "-test.v")
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "TMPDIR="+home, "HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	// A test that was skipped there, or that is not found, would end well too.
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name()+" ")) {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
}
