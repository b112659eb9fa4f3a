package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/problem"
)

// jsonCommands are the commands with --json.
func jsonCommands(list []*cli.Command, above ...string) (names [][]string) {
	for _, c := range list {
		name := append(append([]string{}, above...), c.Name)
		if len(c.Subcommands) > 0 {
			names = append(names, jsonCommands(c.Subcommands, name...)...)
		} else if command.FindFlag(c.Flags, "json") != nil {
			names = append(names, name)
		}
	}
	return names
}

// TestEachRefusalIsJSON refuses each command that has --json: its answer is a problem.
func TestEachRefusalIsJSON(t *testing.T) {
	runIn := func(args ...string) (code int, out, text string) {
		var stdout, stderr bytes.Buffer
		w := &command.Process{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: t.TempDir(), Now: time.Now, Getenv: func(string) string { return "" }}
		code = run(context.Background(), w, args)
		return code, stdout.String(), stderr.String()
	}
	w := &command.Process{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Getenv: func(string) string { return "" }}
	names := jsonCommands(newApp(w, "").Commands)
	if len(names) < 50 {
		t.Fatalf("%d commands", len(names))
	}
	for _, name := range names {
		for _, more := range [][]string{{"-C", "no-such-folder", "--json"}, {"--json", "--no-such-flag"}} {
			code, out, text := runIn(append(append([]string{}, name...), more...)...)
			var p problem.Problem
			err := json.Unmarshal([]byte(out), &p)
			if err != nil || code == command.Clean || p.Exit != code || p.Type == "" || p.Title == "" || !strings.Contains(text, "handoff: "+p.Detail+"\n") {
				t.Errorf("%s: %d, %v:\n%s%s", strings.Join(append(name, more...), " "), code, err, out, text)
			}
		}
		if code, out, _ := runIn(append(append([]string{}, name...), "-C", "no-such-folder")...); code == command.Clean || out != "" {
			t.Errorf("%s without --json: %d, %s", name, code, out)
		}
	}
}
