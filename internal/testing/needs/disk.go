package needs

import (
	"os/exec"
	"testing"
)

// FullDisk has a command run where no file may grow beyond 4 KiB, or 8 where
// the shell counts in larger blocks. To the command that is a full disk, which
// has this one error for all: "file too large".
func FullDisk(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	Linux(t, "the shell's ulimit -f and trap as Linux has them")
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 8; trap '' XFSZ; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
}
