package main

import (
	"slices"
	"strings"

	"handoff/surface/command"
	agentcmd "handoff/surface/command/agents"
	"handoff/surface/command/artifacts"
	"handoff/surface/command/check"
	"handoff/surface/command/claims"
	"handoff/surface/command/cli"
	"handoff/surface/command/handoffs"
	"handoff/surface/command/help"
	"handoff/surface/command/reading"
	"handoff/surface/command/relays"
	"handoff/surface/command/serving"
	"handoff/surface/command/stores"
	tapecmd "handoff/surface/command/tapes"
	threadcmd "handoff/surface/command/threads"
	"handoff/workspace/handoffops"
)

// commandMaker builds the command of that name.
type commandMaker struct {
	name string
	make func(*command.Process) *cli.Command
}

// commandMakers are all commands, in the order of completion and suggestions.
func commandMakers() []commandMaker {
	return []commandMaker{
		{"init", agentcmd.Init}, {"new", handoffs.New}, {"lint", check.Lint}, {"fix", check.Fix}, {"rules", check.Rules},
		{"ls", reading.List}, {"search", reading.Search}, {"show", reading.Show}, {"brief", reading.Brief}, {"sync", serving.Sync}, {"watch", serving.Watch},
		{"verify", check.Verify}, {"trust", agentcmd.Trust}, {"graph", reading.Graph},
		{"next", claims.Next}, {"top", claims.Top}, {"claim", claims.Claim}, {"ack", claims.Step(handoffops.Ack)}, {"renew", claims.Step(handoffops.Renew)},
		{"release", claims.Step(handoffops.Release)}, {"done", claims.Step(handoffops.Done)}, {"receipts", claims.Step(handoffops.Receipts)}, {"task", claims.Task}, {"spawn", relays.Spawn}, {"relay", relays.Relay},
		{"agents", agentcmd.Agents}, {"gauge", agentcmd.Gauge}, {"sessions", agentcmd.Sessions}, {"draft", handoffs.Draft}, {"statusline", agentcmd.Statusline}, {"acp", relays.ACP},
		{"setup", agentcmd.Setup}, {"doctor", agentcmd.Doctor}, {"hook", agentcmd.Hook}, {"mcp", serving.MCP}, {"lsp", serving.LSP},
		{"bundle", artifacts.Bundle}, {"convert", handoffs.Convert}, {"artifact", artifacts.Artifact}, {"thread", threadcmd.Thread},
		{"tape", tapecmd.Tape}, {"store", stores.Store}, {"run", threadcmd.Run}, {"compile", threadcmd.Compile}, {"render", threadcmd.Render},
		{"serve", serve}, {"schema", schemaCommand}, {"completion", help.Completion}, {"demo", demoCommand},
		{"man", book.Man}, {"conformance", help.Conformance}, {"diff", reading.Diff}, {"chain", reading.Chain}, {"audit", reading.Audit}, {"restore", claims.Restore},
	}
}

func schemaCommand(w *command.Process) *cli.Command {
	return help.Schema(w, func() []*cli.Command {
		w.Sub = "" // of all groups
		return newApp(w, "").Commands
	})
}

// commandsFor builds the called command, none for "version", or all if called is ""
// or not a command.
// Agents call the binary in hooks: building all commands with their flags and
// help texts takes a millisecond, as much as the rest of a short command.
func commandsFor(w *command.Process, called string) (all []*cli.Command) {
	makers := commandMakers()
	if called == "version" {
		return nil // it prints one line
	}
	if i := slices.IndexFunc(makers, func(m commandMaker) bool { return m.name == called }); i >= 0 {
		makers = makers[i : i+1]
	}
	for _, m := range makers {
		all = append(all, m.make(w))
	}
	return all
}

// calledCommand is the command that the arguments call, or "" if that needs all
// commands: help, manual pages, a misspelled name, an alias.
func calledCommand(args []string) string {
	for len(args) > 1 && args[0] == "-C" {
		args = args[2:]
	}
	switch {
	case len(args) == 0, args[0] == "man", args[0] == "version" && len(args) > 1:
		return ""
	case args[0] == "--version" && len(args) == 1:
		return "version"
	}
	return args[0]
}

// calledSub is the subcommand of thread or tape that the arguments call, "" if all are needed.
func calledSub(args []string) string {
	for len(args) > 1 && args[0] == "-C" {
		args = args[2:]
	}
	if len(args) == 0 || args[0] != "thread" && args[0] != "tape" {
		return ""
	}
	for args = args[1:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "help":
			return ""
		case !strings.HasPrefix(args[0], "-"):
			return args[0]
		case slices.Contains(early, args[0]) && len(args) > 1:
			args = args[1:]
		}
	}
	return ""
}

// book is what the help has besides the commands. Examples are written as the user types them: a test checks
// them, and those of the documentation, against the commands and flags that exist.
var book = &help.Book{Groups: groups, Subgroups: subgroups, Examples: examples}

// groups are the groups in the help of handoff itself: each command is in one.
var groups = []help.Group{
	{Title: "Every day", Commands: []string{"init", "new", "next", "brief", "claim", "done", "release", "lint", "ls", "show", "top", "demo"}, Short: help.Lines},
	{Title: "Handing over", Commands: []string{"spawn", "relay", "draft", "sessions", "restore", "receipts", "task"}},
	{Title: "Agents", Commands: []string{"setup", "doctor", "agents", "gauge", "audit"}},
	{Title: "Check", Commands: []string{"verify", "sync", "watch", "rules", "fix", "search", "graph", "chain", "trust"}},
	{Title: "History", Commands: []string{"thread", "tape", "serve"}},
	{Title: "Formats", Commands: []string{"bundle", "artifact", "convert", "schema", "conformance", "store"}},
	{Title: "Of claims, chains and threads", Commands: []string{"ack", "renew", "diff", "run", "compile", "render"}, Short: help.Nothing},
	{Title: "For programs", Commands: []string{"hook", "mcp", "lsp", "acp", "statusline", "completion", "man"}, Short: help.Nothing},
}

// subgroups are the groups of commands with many subcommands.
var subgroups = map[string][]help.Group{
	"tape": {
		{Title: "Write", Commands: []string{"append", "handoff", "exec", "create", "delete", "reset"}},
		{Title: "Read", Commands: []string{"read", "anchors", "search", "context", "recover", "info", "list", "archives", "check", "schema"}},
		{Title: "Fork", Commands: []string{"fork", "merge", "discard", "lineage"}},
		{Title: "Move", Commands: []string{"send", "receive", "import", "export", "book"}},
	},
}

// examples are the last part of a command's help, by the command's name after
// handoff.
var examples = map[string][]string{
	"":     {"handoff init", "handoff new --task 1 --slug first_task --phase 1 --edit", "handoff lint", "handoff brief latest"},
	"init": {"handoff init", "handoff init --preset thoughts"},
	"new": {
		"handoff new --task 259 --phase 3 --edit",
		"handoff new --task 259 --phase 3 --from values.yaml",
	},
	"lint": {
		"handoff lint",
		"handoff lint specs/259_prove --only secret,dead-reference",
		"handoff lint --format github --output sarif=handoff.sarif",
		"handoff lint - --stdin-filename specs/259_prove/handoffs/phase-3-handoff-20260212T143022Z.md --json",
		"handoff lint --baseline handoffs.json --update-baseline",
	},
	"fix":   {"handoff fix --diff", "handoff fix --rename"},
	"rules": {"handoff rules", "handoff rules long-document"},
	"ls": {
		"handoff ls --task 259 --since 7d",
		"handoff ls --format '{{.Ref}} {{.NextAction}}' -n 1",
	},
	"search":         {"handoff search race lock", "handoff search parser --task 259 --since 30d"},
	"graph":          {"handoff graph", "handoff graph --task 259", "handoff graph --thread 1f54c37f --format svg > thread.svg"},
	"gauge":          {"handoff gauge", "handoff gauge --json", "handoff gauge --transcript session.jsonl --at 150000", "handoff gauge --note", "handoff gauge --watch"},
	"audit":          {"handoff audit", "handoff audit --transcript session.jsonl --all", "handoff audit --session 4d5611e5 --handoff 259 --json"},
	"sessions":       {"handoff sessions", "handoff sessions --agent codex --all --json"},
	"draft":          {"handoff draft", "handoff draft --session 8463 --save", "handoff draft --transcript session.jsonl --task 259 --phase 3", "handoff draft --transcript session.jsonl --all --output draft.md"},
	"hook":           {"handoff hook session-start --host claude < payload.json", "handoff hook PostToolBatch --host claude", "handoff hook stop"},
	"statusline":     {"handoff statusline < status.json", "handoff statusline -- ~/.claude/my-statusline.sh"},
	"agents":         {"handoff agents", "handoff agents codex", "handoff agents --probe"},
	"setup":          {"handoff setup claude", "handoff setup codex gemini --user", "handoff setup all --dry-run", "handoff setup claude --remove"},
	"doctor":         {"handoff doctor", "handoff doctor claude codex", "handoff doctor --json"},
	"brief":          {"handoff brief latest", "handoff brief 259/3 --level 2"},
	"show":           {"handoff show latest", "handoff show 259/3 --path"},
	"next":           {"handoff next", "handoff next --claim --as codex", "handoff next --json --task 259"},
	"top":            {"handoff top", "handoff top --as ann --agent claude", "handoff top --json"},
	"claim":          {"handoff claim 259/3 --as codex", "handoff claim 259/3 --as ann --force --why 'its machine is gone'"},
	"ack":            {"handoff ack --first-action 'Run the tests of the parser.'", "handoff ack 259/3 --as ann"},
	"renew":          {"handoff renew --ttl 4h"},
	"release":        {"handoff release --why 'needs a Mac'"},
	"task list":      {"handoff task list", "handoff task list --all --json"},
	"task show":      {"handoff task show 259"},
	"task close":     {"handoff task close 259 --why 'the lemma is in Mathlib'"},
	"task archive":   {"handoff task archive 259"},
	"task reopen":    {"handoff task reopen 259"},
	"task rename":    {"handoff task rename 259 prove_soundness"},
	"done":           {"handoff done", "handoff done 259/3 --as ann"},
	"receipts":       {"handoff receipts 259/3"},
	"spawn":          {"handoff spawn 259/3 --agent claude", "handoff spawn 259/3 --agent codex --print > prompt.md", "handoff spawn 259/3 --agent claude --via tmux", "handoff spawn 259/3 --agent custom -- my-agent --quiet"},
	"acp":            {"handoff acp --level all -- opencode acp < prompt.md", "handoff acp --session 5f1c9a02 -- gemini --acp < prompt.md"},
	"relay":          {"handoff relay --agent claude --task 259 --level all -- 'finish phase 3'", "handoff relay --agent claude --then codex --task 1 --max-continuations 5 --budget 2000000 -- - < objective.md", "handoff relay --agent codex --task 1 --until 'go test ./...' -- 'write a parser for numbers'", "handoff relay --resume latest", "handoff relay --list"},
	"sync":           {"handoff sync", "handoff sync 259 --dry-run"},
	"watch":          {"handoff watch", "handoff watch --status", "handoff watch --install-service"},
	"verify":         {"handoff verify", "handoff verify 259 --fix", "handoff verify --staged", "handoff verify --format github --strict"},
	"trust":          {"handoff trust --show", "handoff trust", "handoff trust --revoke"},
	"convert":        {"handoff convert 259/3 --to bundle", "handoff convert 259/3 --to anchor --tape prover --write"},
	"bundle check":   {"handoff bundle check bundle.json"},
	"bundle show":    {"handoff bundle show 259/3"},
	"bundle diff":    {"handoff bundle diff 259/3"},
	"artifact put":   {"handoff artifact put report.pdf", "make 2>&1 | handoff artifact put"},
	"artifact get":   {"handoff artifact get 87428fc5 -o report.pdf"},
	"artifact fetch": {`handoff artifact fetch '{"id":"87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7","max_bytes":4096}'`},
	"artifact gc":    {"handoff artifact gc", "handoff artifact gc --older-than 48h --delete"},
	"store check":    {"handoff store check", "handoff store check --json"},
	"store copy":     {"handoff store copy files nats://10.0.0.1:4222,10.0.0.2:4222/HANDOFF", "handoff store copy nats://10.0.0.1:4222/HANDOFF files", "handoff store copy files git:origin"},
	"store drain":    {"handoff store drain"},
	"thread create":  {"handoff thread create --title completeness"},
	"thread branch":  {"handoff thread branch 1f54c37f --from-seq 12"},
	"thread handoff": {"handoff thread handoff 1f54c37f --summary-markdown 'Left: the truth lemma.'"},
	"thread rename":  {"handoff thread rename 1f54c37f 'weak completeness'"},
	"thread show":    {"handoff thread show 1f54c37f"},
	"thread events":  {"handoff thread events 1f54c37f --follow"},
	"thread repair":  {"handoff thread repair", "handoff thread repair 1f54c37f"},
	"thread export":  {"handoff thread export --rip ~/.rip/data"},
	"thread import":  {"handoff thread import --rip ~/.rip/data"},
	"tape append":    {"handoff tape append 'Continue with the routes.'", "handoff tape append --from entries.jsonl"},
	"tape handoff":   {"handoff tape handoff phase-1 --summary 'Database is set up' --next-steps Routes --state '{\"tables\": 5}'"},
	"tape read":      {"handoff tape read --last-anchor", "handoff tape read --since 2026-02-12 --kind message --format text", "handoff tape read --between session/start phase-1"},
	"tape context":   {"handoff tape context --for anthropic"},
	"tape search":    {"handoff tape search routes", "handoff tape search rutes --fuzzy --all-tapes"},
	"tape exec":      {"handoff tape exec ',search query=routes'"},
	"tape merge":     {"handoff tape merge worker"},
	"tape export":    {"handoff tape export tape.jsonl"},
	"tape fork":      {"handoff tape fork worker --from-anchor phase-1 --next-steps 'Write the tests'"},
	"tape send":      {"handoff tape send --from agent:worker-1 --to agent:worker-2 > envelope.json"},
	"tape receive":   {"handoff tape receive envelope.json"},
	"tape import":    {"handoff tape import tape.jsonl --to old", "handoff tape import cli:local --bub ~/.bub --to local"},
	"run":            {"handoff run 1f54c37f --content 'What is left?' -- my-agent --quiet", "handoff run 'What is left?' --view raw -- my-agent", "handoff run --list"},
	"compile":        {"handoff compile 1f54c37f --explain", "handoff compile 1f54c37f --budget 8000"},
	"render":         {"handoff render $(handoff compile 1f54c37f) --for anthropic", "handoff artifact schema | handoff render $(handoff compile 1f54c37f) --for openai --tools -"},
	"serve":          {"handoff serve", "handoff serve --listen unix:handoff.sock --runner 'my-agent --quiet'"},
	"mcp":            {"handoff mcp", "handoff mcp --http 127.0.0.1:7342 --token-file token"},
	"lsp":            {"handoff lsp", "handoff lsp --rules-page https://example.org/handoff/rules.html"},
	"schema":         {"handoff schema config"},
	"diff":           {"handoff diff 259", "handoff diff 259/2 259/4"},
	"chain":          {"handoff chain 259"},
	"restore":        {"handoff restore", "handoff restore 259 --to ../work", "handoff restore --list"},
	"conformance":    {"handoff conformance -- ./my-implementation", "handoff conformance --operation tape.read -- python3 my_tapes.py"},
	"demo":           {"handoff demo", "handoff demo --keep"},
	"man":            {"handoff man lint | man -l -"},
	"completion":     {"source <(handoff completion bash)", "handoff completion fish | source"},

	"thread post-message":          {"handoff thread post-message 1f54c37f --content 'What is left?'", "handoff thread post-message latest --content-file question.md"},
	"thread reference":             {"handoff thread reference 1f54c37f 9c40ab12 --note 'the lemmas'"},
	"thread compaction-checkpoint": {"handoff thread compaction-checkpoint 1f54c37f --summary-file summary.md --to-seq 120"},
}

// serve is the command `handoff serve`, whose pages answer relays.
func serve(w *command.Process) *cli.Command { return serving.Serve(w, relays.Answering) }
