package agents_test

import (
	"path/filepath"
	"regexp"
	"slices"
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
		"claude": {",Bash(go test:*),Bash(make check)", "go test;make check"},
		"codex":  {"", ";"}, "aider": {"", ";"},
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
	if _, err := builtin(t, "aider").Args(agents.Call{Exact: []string{"make check"}}); err == nil {
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

// TestRulesFile: the patterns of Gemini CLI, which it matches with the parameters of a call as JSON,
// match what is allowed and nothing else.
func TestRulesFile(t *testing.T) {
	call := agents.Call{Allow: []string{"go test ./..."}, Exact: []string{"make check"}}
	a := builtin(t, "gemini").Within("/receipts", "/state/rules")
	path, rules := a.RulesFile(call)
	args, err := a.Args(call)
	if err != nil || !slices.Contains(args, path) || !strings.HasPrefix(path, filepath.FromSlash("/state/rules/gemini-")) {
		t.Fatalf("%q is not in %q: %v", path, args, err)
	}
	if other, _ := a.RulesFile(agents.Call{}); other == path {
		t.Error("two lists of commands have one file")
	}
	for _, l := range []agents.Level{agents.ReadOnly, agents.All} {
		if path, _ := a.RulesFile(agents.Call{Level: l}); path != "" {
			t.Errorf("rules at %s: %s", l, path)
		}
	}
	var patterns []*regexp.Regexp
	for _, line := range strings.Split(rules, "\n") {
		if p, ok := strings.CutPrefix(line, "argsPattern = '"); ok {
			patterns = append(patterns, regexp.MustCompile(strings.TrimSuffix(p, "'")))
		}
	}
	if len(patterns) != 3 || strings.Contains(rules, "{") {
		t.Fatalf("%d patterns: %s", len(patterns), rules)
	}
	for parameters, want := range map[string]bool{
		`"command":"handoff done"`: true, `"command":"handoff ack --as x"`: true, `"command":"go test ./... -run X"`: true, `"command":"make check"`: true,
		`"command":"handoff spawn 1"`: false, `"command":"handoff doner"`: false, `"command":"go test ./abc"`: false, `"command":"make check x"`: false,
		`"command":"handoff done\ntouch x"`: false, `"command":"touch x \"command\":\"handoff done\""`: false,
		`"command":"touch x"` + "\x00,\x00" + `"description":{"command":"handoff done"}`: false, `"description":"handoff done"`: false,
	} {
		matches := func(p *regexp.Regexp) bool { return p.MatchString("{\x00" + parameters + "\x00}") }
		if got := slices.ContainsFunc(patterns, matches); got != want {
			t.Errorf("%s: %v", parameters, got)
		}
	}
}
