package relays

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"

	"handoff/internal/procgroup"
	"handoff/surface/command"
	"handoff/workspace/relay/chain"
)

// notifyTime is how long a command of --notify may take: the relay waits for it.
const notifyTime = 30 * time.Second

// notifier runs a command for what a person wants to know.
type notifier struct {
	*command.Process
	command string // "" for none
	dir     string // of the workspace
}

// notify runs the command. A command that fails or takes too long is reported, and the relay goes on.
func (n *notifier) notify(f chain.Fact, s *chain.State) {
	notice := f.Notice(s)
	if n.command == "" || notice == nil {
		return
	}
	if err := n.run(notice); err != nil {
		n.Say("--notify: %s: %v", notice.Event, err)
	}
}

func (n *notifier) run(notice *chain.Notice) error {
	input, err := json.Marshal(notice)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), notifyTime)
	defer cancel()
	cmd := exec.Command("sh", "-c", n.command)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = n.dir, bytes.NewReader(append(input, '\n')), n.Stderr, n.Stderr
	cmd.Env = append(procgroup.Environ(cmd, "HANDOFF_CLAIM", "HANDOFF_REF"), notice.Environ()...)
	cmd.WaitDelay = time.Second
	started, err := procgroup.Start(cmd)
	if err != nil {
		return err
	}
	select {
	case err := <-started.Ended:
		return err
	case <-ctx.Done():
		started.Signal(os.Kill)
		<-started.Ended
		return fmt.Errorf("it took more than %s", notifyTime)
	}
}
