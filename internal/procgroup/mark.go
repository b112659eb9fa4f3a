package procgroup

import (
	"crypto/rand"
	"os/exec"
	"strings"
)

// markVar is the variable that marks all that a command starts, also what leaves its process
// group: some agents start each command in a group or a session of its own. It has the marks of
// all commands above: what a command within another one has started belongs to both.
const markVar = "HANDOFF_PROCESSES"

// newMark is a mark that no other command has.
func newMark() string { return rand.Text() }

// marked is the environment of a command with a mark.
func marked(cmd *exec.Cmd, mark string) []string {
	env := cmd.Environ()
	for i, v := range env {
		if before, ok := strings.CutPrefix(v, markVar+"="); ok {
			env[i] = markVar + "=" + before + " " + mark
			return env
		}
	}
	return append(env, markVar+"="+mark)
}
