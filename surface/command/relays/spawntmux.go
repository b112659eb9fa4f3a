package relays

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"handoff/surface/command"
	"handoff/workspace/spawn"
)

// tmuxSession is the session of all windows.
const tmuxSession = "handoff"

// inWindow runs a command in a folder, and keeps the window if that fails, so that
// a person can read why. The folder is not an argument of tmux, which would expand
// #(COMMAND) in it.
const inWindow = `cd -- "$1" && shift && "$@" || { code=$?; printf 'exit status %s; press Enter to close the window' "$code"; read -r line; exit "$code"; }`

// ofTerminal are the variables of the terminal in which handoff runs: a window is
// another one.
var ofTerminal = []string{"TMUX", "TMUX_PANE", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "COLORTERM", "COLUMNS", "LINES", "PWD", "OLDPWD", "SHLVL", "_"}

// spawnInTmux starts the spawn in a new window of tmux, and prints how to attach
// to it.
func spawnInTmux(w *command.Process, o *spawnOptions, j *spawn.Job, root, claim string, args command.Arguments) error {
	if o.json {
		return errors.New("--json prints what the agent does: pass --via cli or --via acp, or leave it out")
	}
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return fmt.Errorf("tmux: %w: install it, or pass --via cli", errors.Unwrap(err))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	window := []string{"-n", strings.ReplaceAll(j.Agent, "#", ""), "-P", "-F", "#{session_name}:#{window_id}"}
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(ofTerminal, name) && name != "" {
			window = append(window, "-e", v)
		}
	}
	window = append(window, "-e", "HANDOFF_CLAIM="+claim, // also an empty one: the session may have another in its environment
		"--", "sh", "-c", inWindow, "handoff", root, self, "spawn", j.Path, "--agent", cmp.Or(o.agent, j.Agent), "--level", o.level, "--ttl", o.ttl.String())
	window = slices.Concat(window, o.inWindow, allowArgs(j.Allow), []string{"--"}, args.Tail())
	name, err := newWindow(tmux, window)
	if err != nil {
		return err
	}
	way := "attach"
	if w.Getenv("TMUX") != "" {
		way = "switch-client"
	}
	_, err = fmt.Fprintf(w.Stdout, "tmux %s -t %s\n", way, name)
	return err
}

// windowTries is how often a window is tried to be opened: another process may create
// the session, or end the server with its last window, in between.
const windowTries = 5

// newWindow opens a window in the session, which it creates if there is none, and
// returns the window's name for tmux.
func newWindow(tmux string, args []string) (window string, err error) {
	for try := range windowTries {
		open := []string{"new-window", "-d", "-t", "=" + tmuxSession + ":"}
		if exec.Command(tmux, "has-session", "-t", "="+tmuxSession).Run() != nil { // it starts no server, because that would end again
			open = []string{"new-session", "-d", "-s", tmuxSession}
		}
		if window, err = tmuxRun(tmux, append(open, args...)); err == nil {
			break
		}
		time.Sleep(time.Duration(try) * 100 * time.Millisecond)
	}
	return window, err
}

// tmuxRun runs a command of tmux. It is passed on standard input, because other
// users can read arguments, and the environment has keys.
func tmuxRun(tmux string, words []string) (output string, err error) {
	for i, arg := range words {
		words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	var errs bytes.Buffer
	cmd := exec.Command(tmux, "start-server", ";", "source-file", "-")
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(words, " ")+"\n"), &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("tmux: %s (%w)", command.Plain(strings.TrimSpace(errs.String())), err)
	}
	return strings.TrimSpace(string(out)), nil
}
