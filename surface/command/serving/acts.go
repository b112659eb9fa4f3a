package serving

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"handoff/document/handoff"
	"handoff/internal/procgroup"
	"handoff/surface/command"
	"handoff/surface/dashboard"
	"handoff/surface/httpapi"
	"handoff/workspace"
	"handoff/workspace/relay/word"
)

// Answering returns how a relay that asks continues after an answer: what that starts, the command for a
// terminal, and the arguments of this program up to the answer.
type Answering = func(ws *workspace.Workspace, relay string) (says, command string, args []string, err error)

// actsOf are what pages can do. What no route does is for the user of the server alone: asked is nil if
// others can call it.
func actsOf(ctx context.Context, w *command.Process, f httpapi.ForPages, asked Answering) dashboard.Acts {
	a := dashboard.Acts{User: w.Caller().User, Handoffs: f.Handoffs, Problem: f.Problem}
	if asked != nil {
		a.Restores, a.Retry, a.Runner = true, f.Retry, f.Runner
		a.Continue = func(_ context.Context, ws *workspace.Workspace, id string) (dashboard.Continuation, error) {
			return continuation(ctx, ws, asked, id)
		}
	}
	return a
}

// continuation is how a relay continues after an answer: as another process of this program, which ends
// when the server does, and can be resumed.
func continuation(ctx context.Context, ws *workspace.Workspace, asked Answering, id string) (c dashboard.Continuation, err error) {
	says, line, args, err := asked(ws, id)
	if err != nil {
		return c, err
	}
	return dashboard.Continuation{Says: says + " The relay runs as a part of this server, and ends with it; `handoff relay --resume` continues it then.", Command: line,
		Answer: func(asked context.Context, text string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			cmd := exec.Command(self, append(slices.Clone(args), text)...)
			cmd.Dir = ws.Root
			return begin(ctx, asked, cmd, func() bool {
				return !slices.ContainsFunc(word.Questions(ws), func(q word.Asks) bool { return q.Relay == id })
			})
		}}, nil
}

// beginsWithin is how long a relay may take until it has recorded an answer.
const beginsWithin = 30 * time.Second

// begin starts a command and returns when it has begun its work. The error of one that ends before is what
// it printed last. It is ended with ctx.
func begin(ctx, asked context.Context, cmd *exec.Cmd, begun func() bool) error {
	said := &lastLine{}
	cmd.Stderr = said
	run, err := procgroup.Start(cmd)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		stop := context.AfterFunc(ctx, func() { run.Signal(syscall.SIGTERM) })
		defer stop()
		ended <- <-run.Ended
	}()
	look, patience := time.NewTicker(50*time.Millisecond), time.NewTimer(beginsWithin)
	defer look.Stop()
	defer patience.Stop()
	for {
		select {
		case err := <-ended:
			if begun() {
				return nil
			}
			return errors.Join(handoff.ErrInvalid, errors.New(said.text()), err)
		case <-asked.Done():
			return asked.Err()
		case <-patience.C:
			return errors.New("the relay has not recorded the answer after " + beginsWithin.String() + ": look at `handoff relay --list`")
		case <-look.C:
			if begun() {
				return nil
			}
		}
	}
}

// lastLine keeps the last line that is written to it.
type lastLine struct {
	mu   sync.Mutex
	kept []byte
}

// mostKept is how much of what a command writes is kept, in bytes.
const mostKept = 4 << 10

func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	l.kept = l.kept[max(0, len(l.kept)-mostKept):]
	return len(p), nil
}

func (l *lastLine) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(string(l.kept))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
