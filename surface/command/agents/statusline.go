package agents

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"handoff/agents/sessions"
	"handoff/agents/transcript"
	"handoff/agents/transcript/tail"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// statuslineOptions are the options of statusline.
type statuslineOptions struct {
	agent string
}

// Statusline is the command `handoff statusline`.
func Statusline(w *command.Process) *cli.Command {
	o := new(statuslineOptions)
	return &cli.Command{
		Name:      "statusline",
		Usage:     "print the gauge as a line for the status line of an agent",
		UsageText: "handoff statusline [flags] [-- COMMAND [ARGUMENT …]]\n\nIt reads the JSON that the agent passes to its status line on stdin.",
		Description: "COMMAND is the status line that you had before: it gets the same input, and its output is printed first.\n" +
			"The exit status is 0 also when something fails, because agents hide the whole line otherwise.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Destination: &o.agent, Usage: "`NAME`  the agent that passes the input", DefaultText: "found from its form"},
		},
		Action: func(c *cli.Context) error { return runStatusline(c.Context, w, o, command.ArgsOf(c)) },
	}
}

const (
	mostStatus = 1 << 20         // maximum bytes of the input, and of the other command's output
	otherTime  = 5 * time.Second // maximum run time of the other command
)

func runStatusline(ctx context.Context, w *command.Process, o *statuslineOptions, args command.Arguments) error {
	src, err := io.ReadAll(io.LimitReader(w.Stdin, mostStatus))
	w.Complain(err)
	if len(args) > 0 {
		w.Complain(otherLine(ctx, w, args, src))
	}
	line, err := statusOf(ctx, w, o, src)
	w.Complain(err)
	if line != "" {
		return w.Print(command.Plain(line) + "\n")
	}
	return nil
}

// otherLine runs the other command and prints its output.
func otherLine(ctx context.Context, w *command.Process, args []string, stdin []byte) error {
	ctx, cancel := context.WithTimeout(ctx, otherTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = w.Dir, bytes.NewReader(stdin), w.Stderr
	cmd.WaitDelay = time.Second // for children that keep its output open
	out, err := cmd.Output()
	out = bytes.TrimRight(out[:min(mostStatus, len(out))], "\n")
	if len(out) > 0 {
		if _, werr := w.Stdout.Write(append(out, '\n')); werr != nil {
			return werr
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

// statusOf is the gauge's line for the status that an agent passes: the reading
// of the transcript, or of the status alone if the transcript has none.
func statusOf(ctx context.Context, w *command.Process, o *statuslineOptions, src []byte) (string, error) {
	status, ok := transcript.ParseStatus(src)
	if !ok {
		return "", errors.New("stdin: not the JSON that an agent passes to its status line")
	}
	root, table, err := known(w)
	if err != nil {
		return "", err
	}
	a, err := command.AgentNamed(table, cmp.Or(o.agent, status.Host))
	if err != nil {
		return "", err
	}
	s := sessions.Session{Agent: a, File: &tail.File{}}
	if f, err := tail.Open(status.Transcript, ""); err == nil {
		s.File = f
	}
	t := &s.File.Session
	if t.Used == 0 && t.Compactions == 0 {
		t.Used = status.Used
	}
	t.ID = cmp.Or(t.ID, status.Session)
	t.Model = cmp.Or(status.Model, t.Model) // it knows a change of the model first
	sessions.Reported(t, status.Window, status.Model)
	w.Complain(sessions.Learn(ctx, a, t, w.Getenv))
	return s.Read(0, sessions.ReadProgress(root), w.Getenv).Short(), nil
}
