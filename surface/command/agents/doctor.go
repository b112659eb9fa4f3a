package agents

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"handoff/agents/doctor"
	"handoff/agents/host"
	"handoff/agents/setup"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace/checkup"
)

// doctorOptions are the options of doctor.
type doctorOptions struct {
	json bool
}

// Doctor is the command `handoff doctor`.
func Doctor(w *command.Process) *cli.Command {
	o := new(doctorOptions)
	return &cli.Command{
		Name:      "doctor",
		Usage:     "find why an agent does not get its handoffs",
		UsageText: "handoff doctor [AGENT …] [flags]\n\nAGENT is " + strings.Join(host.Names(), ", ") + ". Without one, all that are found.",
		Description: "It compares the program in PATH, hooks, MCP server, skill, AGENTS.md block and plugins with what belongs\n" +
			"there, and reports what is switched off or not trusted. It changes nothing.\n\n" +
			"Exit status: 1 if there are problems. Warnings do not count.",
		Flags: []cli.Flag{
			cli.JSON(&o.json, "print JSON ('handoff schema doctor')", cli.Published("doctor")),
		},
		Action: func(c *cli.Context) error { return runDoctor(c.Context, w, o, command.ArgsOf(c)) },
	}
}

func runDoctor(ctx context.Context, w *command.Process, o *doctorOptions, args command.Arguments) error {
	m, err := machineOf(ctx, w)
	if err != nil {
		return err
	}
	lines := append(doctor.Binary(m), checkup.Lines(ctx, w.Dir, w.Options())...)
	machine := len(lines)
	names, asked := args, true
	table, why, err := hosts(w, m.Root)
	if bad := unknownOwn(m.Root, names, why); bad != nil {
		return bad
	}
	if err = errors.Join(err, why); err != nil {
		w.Say("%s", command.Plain(err.Error())) // the other entries are checked all the same
	}
	if m.Table = table; len(names) == 0 {
		names, asked = setup.Names(table), false
	}
	for _, name := range names {
		of, err := doctor.Host(m, name, asked)
		if err != nil {
			return err
		}
		lines = append(lines, of...)
	}
	if len(lines) == machine {
		lines = append(lines, doctor.Line{Check: "hosts", State: doctor.Warning, What: "no agent was found on this machine or in this project", Fix: "handoff setup AGENT"})
	}
	r := doctor.Sum(lines)
	if err := w.Answer(o.json, r, doctorText(m, lines)); err != nil {
		return err
	}
	return command.Found(r.State == doctor.Problem)
}

// machineOf is what doctor checks.
func machineOf(ctx context.Context, w *command.Process) (*doctor.Machine, error) {
	m := &doctor.Machine{Home: homeOf(w.Getenv), Root: command.ProjectAround(w.Dir), OS: runtime.GOOS, Getenv: w.Getenv, LookPath: exec.LookPath}
	if m.Home == "" {
		return nil, errors.New("the home folder is unknown: set HOME")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	m.Self = doctor.Program{Path: self, Version: command.Version()}
	path, err := exec.LookPath("handoff")
	if err != nil {
		return m, nil // not in PATH, which is a finding
	}
	if same(self, path) {
		m.Found = m.Self
		return m, nil
	}
	if m.Found.Path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	m.Found.Version, m.Found.Foreign = answered(probe(ctx, path, []string{"--version"}), path)
	return m, nil
}

// answered is the version in the answer of a program called handoff to --version, and
// whether it is another program: packages of other people have that name. A program that was
// built with Go also has its module in it.
func answered(text, path string) (version string, foreign bool) {
	if built, err := buildinfo.ReadFile(path); err == nil && built.Main.Path != "handoff" {
		return "", true
	}
	if strings.HasPrefix(text, "failed: ") {
		return "", false
	}
	version, ours := strings.CutPrefix(text, "handoff version ")
	if !ours {
		return "", true
	}
	return version, false
}

func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// doctorText groups the lines by host. What to do follows what is wrong.
func doctorText(m *doctor.Machine, lines []doctor.Line) string {
	var text strings.Builder
	group := ""
	for i, l := range lines {
		if i > 0 && l.Host != group {
			text.WriteString("\n" + command.Plain(l.Host) + "\n")
		}
		group = l.Host
		fmt.Fprintf(&text, "%-7s  %s: %s%s\n", l.State, command.Plain(l.Check), command.Plain(l.What), command.Plain(placeInText(m, l)))
		if l.Fix != "" {
			fmt.Fprintf(&text, "%-7s  fix: %s\n", "", command.Plain(l.Fix))
		}
	}
	return text.String()
}

// placeInText is the file of a line, below the project or from ~, in brackets.
func placeInText(m *doctor.Machine, l doctor.Line) string {
	shown := l.File
	if below, err := filepath.Rel(m.Root, l.File); err == nil && filepath.IsLocal(below) && below != "." {
		shown = filepath.ToSlash(below)
	} else if below, err := filepath.Rel(m.Home, l.File); err == nil && filepath.IsLocal(below) {
		shown = "~/" + filepath.ToSlash(below)
	}
	switch {
	case shown == "":
		return ""
	case l.Line > 0:
		return fmt.Sprintf(" (%s:%d)", shown, l.Line)
	}
	return " (" + shown + ")"
}
