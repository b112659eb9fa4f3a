package threads

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"handoff/internal/procgroup"
	"handoff/log/thread"
	"handoff/surface/command"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

// detached is what `run --detach` prints: as post-message does over HTTP, so that it can be followed in the same way.
type detached struct {
	ThreadID  string `json:"thread_id"`
	MessageID string `json:"message_id"`
	SessionID string `json:"session_id"`
}

func (d detached) print(w *command.Process) error {
	if !command.IsTerminal(w.Stdout) {
		return command.WriteLine(w.Stdout, d)
	}
	return w.Print(fmt.Sprintf("run %s for message %s in thread %s\n(`handoff thread show %s` shows its answer, `handoff run --cancel %s` ends it)\n",
		command.Plain(d.SessionID), command.Plain(d.MessageID), command.Plain(d.ThreadID), shortID(d.ThreadID), shortID(d.SessionID)))
}

// beginsWithin is how long a process in the background may take until its run is recorded.
const beginsWithin = 30 * time.Second

// runDetached posts the message, and has a process of its own answer it. That process is this command with
// --message-id: it holds the run, and has no terminal.
func runDetached(ctx context.Context, w *command.Process, o *runOptions, program []string, asked asked) error {
	var d detached
	var child *background
	err := withLocal(ctx, w, true, asked.thread, func(ctx context.Context, t *threads.Threads, id string) (err error) {
		here := threadops.Here{Threads: t}
		if d.ThreadID, err = asked.threadOf(ctx, here, id); err != nil {
			return err
		}
		if d.MessageID = *cmp.Or(o.message, new("")); d.MessageID == "" {
			posted, err := threadops.PostMessage.On(ctx, here, d.ThreadID, thread.MessageRequest{Content: asked.content, ActorID: o.actor.id, Origin: o.actor.origin})
			if err != nil {
				return err
			}
			d.MessageID = posted.MessageID
		}
		before, _, err := t.EndedRun(d.ThreadID, d.MessageID, math.MaxUint64)
		if err != nil {
			return err
		}
		args := append([]string{"run", d.ThreadID, "--message-id", d.MessageID}, o.again()...)
		child, err = inBackground(w, slices.Concat(args, []string{"--"}, program))
		if err == nil {
			d.SessionID, err = child.begun(t, d, before)
		}
		if err != nil && o.message == nil {
			err = fmt.Errorf("%w (the message is stored: retry with --message-id %s)", err, d.MessageID)
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.print(w)
}

// background is a process of this program that goes on when this one has ended.
type background struct {
	cmd   *exec.Cmd
	ended chan error
	said  *os.File // what it says until its run is recorded
}

// inBackground starts this program again. Its output goes nowhere: the run keeps it. What it writes to stderr
// goes on to the file that stderr is, if it is one.
func inBackground(w *command.Process, args []string) (*background, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b := &background{cmd: exec.Command(self, args...), ended: make(chan error, 1)}
	b.cmd.Args[0], b.cmd.Dir = "handoff", w.Dir
	if err := procgroup.Detach(b.cmd); err != nil {
		return nil, fmt.Errorf("--detach: %w on this system: start it without, in a window of its own", err)
	}
	if b.said, err = os.CreateTemp("", "handoff-run-*"); err != nil {
		return nil, err
	}
	defer os.Remove(b.said.Name()) // the process has it open
	if b.cmd.Stderr = b.said; isFile(w.Stderr) {
		b.cmd.Stderr = w.Stderr
	}
	if err := b.cmd.Start(); err != nil {
		return nil, errors.Join(err, b.said.Close())
	}
	go func() { b.ended <- b.cmd.Wait() }()
	return b, nil
}

func isFile(out any) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode().IsRegular()
}

// begun waits until the run of the message is recorded, or has ended already, and returns its id. An earlier run of the
// message, nil for none, is not it.
func (b *background) begun(t *threads.Threads, d detached, before *thread.RunEnded) (string, error) {
	defer b.said.Close()
	late := time.After(beginsWithin)
	for {
		if id, err := recorded(t, d.MessageID, b.cmd.Process.Pid); id != "" || err != nil {
			return id, err
		}
		select {
		case <-b.ended:
			if run, ok, err := t.EndedRun(d.ThreadID, d.MessageID, math.MaxUint64); err != nil {
				return "", err
			} else if ok && (before == nil || run.RunSessionID != before.RunSessionID) {
				return run.RunSessionID, nil
			}
			return "", b.failed()
		case <-late:
			return "", fmt.Errorf("process %d has not begun the run within %s", b.cmd.Process.Pid, beginsWithin)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// recorded is the run of a process for a message; "" if it has not begun or has ended.
func recorded(t *threads.Threads, message string, pid int) (string, error) {
	runs, err := t.Runs()
	for _, r := range runs {
		if r.MessageID == message && r.PID == pid {
			if _, _, err := t.SessionEnded(r.RunID); errors.Is(err, fs.ErrNotExist) {
				return "", nil // a moment later it can be followed
			}
			return r.RunID, nil
		}
	}
	return "", err
}

// failed is why there is no run: the last thing that the process said.
func (b *background) failed() error {
	said := make([]byte, 4<<10)
	n, _ := b.said.ReadAt(said, 0)
	lines := bytes.Split(bytes.TrimSpace(said[:n]), []byte{'\n'})
	text := strings.TrimPrefix(string(lines[len(lines)-1]), "handoff: ")
	return errors.New(cmp.Or(text, "the process in the background ended before the run began"))
}
