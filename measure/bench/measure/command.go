//go:build linux

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// command is a command to measure and the cost of its runs.
type command struct {
	name   string
	args   []string
	before string // a program that runs before each run; "" for none
	in     string // the file that it reads; "" for none

	exit   int
	lines  int           // of output, both streams, in the warm-up
	first  time.Duration // until the first byte of standard output, in the warm-up; 0 without output
	cpu    []float64     // ms, one per round
	wall   []float64     // ms, one per round
	faults []float64     // page faults that read no disk, one per round
	rss    float64       // MB (10^6 bytes), the maximum of all rounds
	failed error         // why there is no result
}

// parseCommands reads "NAME COMMAND… --- NAME COMMAND…".
func parseCommands(args []string) ([]*command, error) {
	var list []*command
	for len(args) > 0 {
		end := slices.Index(args, "---")
		if end < 0 {
			end = len(args)
		}
		if end < 2 {
			return nil, errors.New("a name and a command are needed: measure floor ./floor . --- lint handoff lint")
		}
		list = append(list, &command{name: args[0], args: args[1:end]})
		args = args[min(end+1, len(args)):]
	}
	if len(list) == 0 {
		return nil, errors.New("nothing to measure: name a command")
	}
	return list, nil
}

// mostExit is the highest exit code of a linter that worked: 0 means no
// findings, 1 means findings.
const mostExit = 1

// warmUp runs the command once and keeps its output as NAME.out and NAME.err.
func (c *command) warmUp(logs string) error {
	stdout, err := os.Create(filepath.Join(logs, c.name+".out"))
	if err != nil {
		return err
	}
	defer stdout.Close()
	stderr, err := os.Create(filepath.Join(logs, c.name+".err"))
	if err != nil {
		return err
	}
	defer stderr.Close()
	if err := c.prepare(); err != nil {
		return err
	}
	out, talk := &watchedWriter{to: stdout}, &watchedWriter{to: stderr}
	cmd, done, err := c.command()
	if err != nil {
		return err
	}
	defer done()
	cmd.Stdout, cmd.Stderr = out, talk
	start := time.Now()
	err = c.finish(cmd, cmd.Run())
	c.lines = out.lines + talk.lines
	if !out.first.IsZero() {
		c.first = out.first.Sub(start)
	}
	if err != nil {
		tail, _ := os.ReadFile(stderr.Name())
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(tail[:min(len(tail), 500)]))
	}
	return nil
}

// sample runs the command once and records its cost.
func (c *command) sample() error {
	if err := c.prepare(); err != nil {
		return err
	}
	cmd, done, err := c.command()
	if err != nil {
		return err
	}
	defer done()
	start := time.Now()
	err = cmd.Run() // without writers, both outputs go to the null device
	wall := time.Since(start)
	if err := c.finish(cmd, err); err != nil {
		return err
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	c.cpu = append(c.cpu, milliseconds(cpu))
	c.wall = append(c.wall, milliseconds(wall))
	c.faults = append(c.faults, float64(used.Minflt))
	c.rss = max(c.rss, float64(used.Maxrss)*1024/1e6)
	return nil
}

// command is the process to run. Its input is a file, so no goroutine of ours copies it meanwhile.
func (c *command) command() (cmd *exec.Cmd, done func() error, err error) {
	in, err := os.Open(cmp.Or(c.in, os.DevNull))
	if err != nil {
		return nil, nil, err
	}
	cmd = exec.Command(c.args[0], c.args[1:]...)
	cmd.Stdin = in
	return cmd, in.Close, nil
}

// prepare runs the program that puts back what a run changes.
func (c *command) prepare() error {
	if c.before == "" {
		return nil
	}
	if out, err := exec.Command(c.before).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", c.before, err, bytes.TrimSpace(out[:min(len(out), 500)]))
	}
	return nil
}

// finish records the exit code and distinguishes a linter's findings from a
// failure.
func (c *command) finish(cmd *exec.Cmd, err error) error {
	if cmd.ProcessState == nil {
		return err // not started
	}
	c.exit = cmd.ProcessState.ExitCode()
	if c.exit < 0 || c.exit > mostExit {
		return fmt.Errorf("%s", cmd.ProcessState)
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// watchedWriter counts lines and records when the first byte came.
type watchedWriter struct {
	to    io.Writer
	lines int
	first time.Time
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	if w.first.IsZero() {
		w.first = time.Now()
	}
	w.lines += bytes.Count(p, []byte{'\n'})
	return w.to.Write(p)
}
