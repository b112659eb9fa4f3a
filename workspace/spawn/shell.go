package spawn

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"handoff/workspace/spawn/meter"
)

// shellTime is how long a shell may take to start and to find handoff.
const shellTime = 20 * time.Second

// findsHandoff asks the shell in which the agent will run commands whether it finds handoff: a login shell sets
// PATH anew. Without an answer the agent is started: it is ended at its first call of handoff that fails so.
func (w *Work) findsHandoff(ctx context.Context) error {
	args := w.job.agent.Shell
	if len(args) == 0 || runtime.GOOS == "windows" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, shellTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, cmp.Or(w.o.getenv()("SHELL"), os.Getenv("SHELL"), "/bin/bash"), append(args[:len(args):len(args)], "handoff --version")...)
	cmd.Dir = w.job.ws.Root
	cmd.Env = w.environ(cmd.Dir)
	cmd.WaitDelay = time.Second // a program that the profile starts may keep the output open
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if lost := meter.NotFound(string(out)); lost != nil {
		return fmt.Errorf("%s: %w: nothing was claimed", w.job.agent.Title, lost)
	}
	return nil
}
