package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// fakeClaude prints what Claude Code prints. It fills its context, writes a handoff
// when it is asked for one, and finishes what a handoff passes on.
const fakeClaude = `#!/bin/sh
prompt=$(cat)
id=11111111-2222-4333-8444-555555555555
printf '{"type":"system","session_id":"%s"}\n' $id
call() {
	printf '{"type":"assistant","session_id":"%s","message":{"id":"%s","model":"claude-sonnet-4-5","usage":{"input_tokens":%s},"content":[{"type":"text","text":"I work."}]}}\n' $id "$1" "$2"
}
case $prompt in
*"write a handoff now"*)
	new=$(printf '%s' "$prompt" | grep -o 'handoff new --task [^` + "`" + `]*--from FILE')
	${new%FILE}- <<-'VALUES' >&2
	next_action: Run ` + "`go test ./parser`" + ` in parser/number.go, then fix the first failure.
	state: {file: parser/number.go, location: line 1, goal: tests pass}
	decisions: [None]
	dead_ends: [None]
	context: [None]
	references: [None]
	VALUES
	call asked 150000
	;;
*"This is a report"*)
	handoff ack --first-action 'Run ` + "`go test ./parser`" + ` in parser/number.go, then fix the first failure.'
	call begun 20000
	tests='{"type":"assistant","session_id":"%s","message":{"id":"ran","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"go test ./..."}}]}}\n'
	printf "$tests" $id
	printf '{"type":"user","session_id":"%s","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"ok","is_error":false}]}}\n' $id
	handoff done
	;;
*)
	mkdir -p parser && echo 'package parser' > parser/number.go
	for tokens in 116000 120000 124000 128000 132000; do call $tokens $tokens; done
	exec sleep 200
	;;
esac
printf '{"type":"result","session_id":"%s","total_cost_usd":0.92}\n' $id
`

// TestStartRelay runs the commands with which docs/start.md shows a relay. The lines that
// it shows are in the log, in their order, but for times and numbers.
func TestStartRelay(t *testing.T) {
	needs.Tool(t, "sh")
	needs.Tool(t, "git")
	readme, err := os.ReadFile("../../docs/start.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(readme), "## Agents one after the other\n")
	parts := strings.Split(after, "```")
	commands, shown := strings.TrimPrefix(parts[1], "sh\n"), strings.Trim(parts[3], "\n")
	bin := commandDir(t)
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte(fakeClaude), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-e", "-c", commands)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+t.TempDir(), "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
		t.Errorf("they leave %v where they started, %v", left, err)
	}
	log := strings.Split(numberless(string(out)), "\n")
	for line := range strings.SplitSeq(numberless(shown), "\n") {
		at := slices.Index(log, line)
		if at < 0 {
			t.Fatalf("the log has no line %q there:\n%s", line, out)
		}
		log = log[at+1:]
	}
}

var number = regexp.MustCompile(`\$?\d[\d,.:TZ]*`)

// numberless replaces times and numbers, except those of links.
func numberless(text string) string {
	return number.ReplaceAllStringFunc(text, func(n string) string {
		if len(n) == 1 {
			return n
		}
		return "N"
	})
}
