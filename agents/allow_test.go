package agents_test

import (
	"strings"
	"testing"

	"handoff/agents"
)

func TestRunsAllowed(t *testing.T) {
	allow := []string{"go test ./...", "make"}
	for line, want := range map[string]bool{
		"go test ./...": true, "go test ./... -run 'TestA'": true, "go  test ./...": true, "make check": true, "make": true,
		"go test ./parse": false, "go test": false, "gotest ./...": false, "go test ./...x": false, "makefile": false, "./make": false, "": false,
		"go test ./...; rm x": false, "go test ./... > x": false, "go test ./... && rm x": false, "go test ./... | tee x": false, "make $(rm x)": false, "make `rm x`": false,
		"make \"$(rm x)\"": false, "make\nrm x": false, "X=1 make": false, "env make": false, "cd .. && make": false, "make &": false, "make <(rm x)": false, `make \; rm x`: false,
	} {
		if got := agents.RunsAllowed(line, allow); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
	if agents.RunsAllowed("rm x", []string{""}) {
		t.Error("an empty command allows everything")
	}
}

func TestCheckAllow(t *testing.T) {
	for command, want := range map[string]bool{
		"go test ./...": true, "npm run test:unit": true, "./scripts/check.sh": true, "make -j2 check": true, "python3 -m pytest": true,
		"": false, " ": false, "go *": false, "sh -c 'x'": false, "a; b": false, "a,b": false, "a)": false, "a\nb": false, "a  b": false, " a": false, "A=1 make": false, "-x": false, `a"b`: false, "a$b": false, "a{command}": false,
	} {
		if err := agents.CheckAllow(command); (err == nil) != want {
			t.Errorf("%q: %v", command, err)
		}
	}
}

func TestRunsExactly(t *testing.T) {
	exact := []string{"make check"}
	for line, want := range map[string]bool{
		"make check": true, " make  check ": true, "make": false, "make check x": false, "make check -f x": false, "make checks": false,
		"make check; rm x": false, "make check > x": false, "make check\nrm x": false, "make $(x)": false, "'make check'": false, "": false,
	} {
		if got := agents.RunsExactly(line, exact); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestExact: a command that may have no further arguments gets a rule that says so, or none.
func TestExact(t *testing.T) {
	for name, want := range map[string][2]string{ // the rules, and what the agent is told
		"claude": {",Bash(go test:*),Bash(make check)", "go test;make check"}, "gemini": {",run_shell_command(go test)", "go test;"},
		"codex": {"", ";"}, "aider": {"", ";"},
	} {
		a := builtin(t, name)
		open, exact := a.Permitted([]string{"go test", "a$b"}, []string{"make check", "x; y"})
		if got := strings.Join(open, ",") + ";" + strings.Join(exact, ","); got != want[1] {
			t.Errorf("%s is told %q, want %q", name, got, want[1])
		}
		args, err := a.Args(agents.Call{Allow: open, Exact: exact})
		if err != nil || !strings.Contains(strings.Join(args, " "), want[0]) {
			t.Errorf("%s: %q, %v, want %s", name, args, err, want[0])
		}
	}
	if _, err := builtin(t, "gemini").Args(agents.Call{Exact: []string{"make check"}}); err == nil {
		t.Error("an agent without exact rules gets an exact command")
	}
	over, err := builtin(t, "codex").OverACP("/bin/handoff")
	if err != nil {
		t.Fatal(err)
	}
	open, exact := over.Permitted([]string{"go test"}, []string{"make check"})
	if args, err := over.Args(agents.Call{Allow: open, Exact: exact}); err != nil || !strings.HasSuffix(strings.Join(args, " "), "--allow go test --allow-exact make check -- codex-acp -c allow_login_shell=false") {
		t.Errorf("%q, %v", args, err)
	}
}

// Each agent gets the rules in its own form, or it is said that it cannot.
func TestAllow(t *testing.T) {
	call := agents.Call{Allow: []string{"go test ./...", "make check"}}
	for name, want := range map[string]string{
		"claude": "Bash(handoff verify:*),Bash(go test ./...:*),Bash(make check:*)",
		"gemini": "run_shell_command(handoff verify),run_shell_command(go test ./...),run_shell_command(make check)",
		"codex":  "writable_roots=[{receipts}]", // its sandbox runs every command
		"aider":  "error: agent cannot be told which commands it may run: start Aider with --via acp, or leave --allow out",
	} {
		args, err := builtin(t, name).Args(call)
		got := strings.Join(args, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if !strings.HasSuffix(got, want) || strings.Contains(got, "{allow}") {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	over, err := builtin(t, "opencode").OverACP("/bin/handoff")
	if err != nil {
		t.Fatal(err)
	}
	if args, err := over.Args(call); err != nil || !strings.HasSuffix(strings.Join(args, " "), "--allow go test ./... --allow make check -- opencode acp") {
		t.Errorf("%q, %v", args, err)
	}
	call.Level = agents.ReadOnly
	if _, err := builtin(t, "claude").Args(call); err == nil {
		t.Error("allowed at the level read")
	}
	call = agents.Call{Allow: []string{"x),Bash(rm"}}
	if _, err := builtin(t, "claude").Args(call); err == nil {
		t.Error("a command forges a rule")
	}
}
