package needs

import (
	"os/exec"
	"testing"
)

// FullDisk makes a command run with a file size limit of 4 KiB, or of 8 KiB if
// the shell counts in larger blocks. To the command that looks like a full disk,
// with the error "file too large".
func FullDisk(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	Linux(t, "ulimit -f and trap of a shell on Linux")
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = append([]string{"sh", "-c", `ulimit -f 8; trap '' XFSZ; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
}
