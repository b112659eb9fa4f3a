package edit_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/agents/host"
	"handoff/internal/testing/needs"
)

// shells are the programs that run a line, by their kind: those that this machine has. Only sh is everywhere.
func shells(kinds []host.Shell) (all [][]string) {
	programs := map[host.Shell][]string{host.POSIX: {"sh", "bash", "dash", "zsh", "ksh", "busybox"}, host.PowerShell: {"pwsh"}}
	for _, kind := range kinds {
		for _, name := range programs[kind] {
			path, err := exec.LookPath(name)
			switch {
			case err != nil:
			case name == "busybox":
				all = append(all, []string{path, "sh", "-c"})
			case name == "pwsh":
				all = append(all, []string{path, "-NoProfile", "-Command"})
			default:
				all = append(all, []string{path, "-c"})
			}
		}
	}
	return all
}

// TestQuiet runs each line that is written, in each shell that may run it and that is on this machine: without handoff it
// prints nothing and ends with 0, with it the input, the output and the arguments pass, and the shell ends with 0.
func TestQuiet(t *testing.T) {
	needs.Unix(t, "the commands run in a POSIX shell")
	bin, nothing := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "handoff"), []byte("#!/bin/sh\n/bin/cat; echo \" $*\"; exit 2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, h := range host.All() {
		for _, k := range h.Hooks {
			for _, set := range [][]host.Shell{h.Shells, {host.POSIX}, {host.PowerShell}} {
				line := h.CommandIn(k.Event, set...)
				for _, shell := range shells(set) {
					out, stderr, err := runLine(shell, line, nothing)
					if err != nil || out != "" || stderr != "" {
						t.Errorf("%s, without handoff: %s: %v, prints %q and %q", shell[0], line, err, out, stderr)
					}
					out, _, err = runLine(shell, line, bin)
					want := `{"a":1} hook ` + string(k.Event) + " --host " + h.Name + "\n"
					if slices.Contains(set, host.Cmd) {
						want = strings.TrimSuffix(want, "\n") + " \"\n"
					}
					if err != nil || out != want {
						t.Errorf("%s: %s: %v, prints %q, want %q", shell[0], line, err, out, want)
					}
				}
			}
		}
	}
}

func runLine(shell []string, line, path string) (stdout, stderr string, err error) {
	cmd := exec.Command(shell[0], append(shell[1:], line)...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = []string{"PATH=" + path}, strings.NewReader(`{"a":1}`), &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// TestLines: what a field of the settings gets, by the shells that may run it.
func TestLines(t *testing.T) {
	const plain = "handoff hook stop --host x ; exit 0"
	for want, shells := range map[string][]host.Shell{
		plain: {host.Cmd},
		`handoff hook stop --host x \" 2>/dev/null ; exit 0 # " ' 2>nul & exit 0 & rem ' ; exit 0`: {host.POSIX, host.Cmd, host.PowerShell},
		"command -v handoff >/dev/null && " + plain:                                                {host.POSIX},
		"set ErrorActionPreference SilentlyContinue; " + plain:                                     {host.PowerShell},
		"set ErrorActionPreference SilentlyContinue; exec 2>/dev/null; " + plain:                   {host.POSIX, host.PowerShell},
	} {
		if got := (host.Host{Name: "x"}).CommandIn(host.Stop, shells...); got != want || !host.IsCommand(got) {
			t.Errorf("%v: %q, want %q", shells, got, want)
		}
	}
	for _, line := range []string{"", "handoff hooks", "exec 2>/dev/null; other", "echo; handoff hook stop", "command -v handoff && handoff hook stop"} {
		if host.IsCommand(line) {
			t.Errorf("%q is not a line of setup", line)
		}
	}
}
