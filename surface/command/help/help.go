// Package help prints the help and the manual pages of commands, completes command lines, and suggests the
// command that a misspelled one meant. It has the groups and the examples of all commands.
package help

// This file contains the parts of the help that are not flags. Examples are
// written as the user types them: a test checks them, and those of the
// documentation, against the commands and flags that exist.

// AppUsage is how handoff itself is called.
const AppUsage = "handoff COMMAND [ARGUMENT …] [flags]"

// AppDescription is what the help of handoff says about all commands.
const AppDescription = "Results go to stdout, messages to stderr. Exit status: 0 is clean, 1 findings, 2 an error. Every command takes -C DIR, " +
	"the folder to work in. `handoff COMMAND --help` explains a command, `handoff rules NAME` a finding."

// Group is a group of commands in the help.
type Group struct {
	title    string
	Commands []string
}

// Groups are the groups in the help of handoff itself: each command is in one.
var Groups = []Group{
	{"Handoffs", []string{"init", "new", "lint", "fix", "rules", "ls", "search", "show", "brief", "diff", "chain", "convert", "demo"}},
	{"Successors", []string{"next", "top", "claim", "ack", "renew", "release", "done", "receipts", "task", "spawn", "relay", "restore"}},
	{"Agents", []string{"sessions", "draft", "gauge", "statusline", "agents"}},
	{"Hosts", []string{"setup", "doctor", "hook", "mcp", "lsp"}},
	{"Workspace", []string{"sync", "watch", "verify", "trust", "graph", "bundle", "artifact", "store"}},
	{"Threads", []string{"thread", "run", "compile", "render"}},
	{"Tapes", []string{"tape"}},
	{"Plumbing", []string{"acp", "serve", "schema", "conformance", "completion", "man"}},
}

// Subgroups are the groups of commands with many subcommands.
var Subgroups = map[string][]Group{
	"tape": {
		{"Write", []string{"append", "handoff", "exec", "create", "delete", "reset"}},
		{"Read", []string{"read", "anchors", "search", "context", "recover", "info", "list", "check", "schema"}},
		{"Fork", []string{"fork", "merge", "discard", "lineage"}},
		{"Move", []string{"send", "receive", "import", "export"}},
	},
}

// Examples are the last part of a command's help, by the command's name after
// handoff.
var Examples = map[string][]string{
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
	"sessions":       {"handoff sessions", "handoff sessions --agent codex --all --json"},
	"draft":          {"handoff draft", "handoff draft --session 8463 --save", "handoff draft --transcript session.jsonl --task 259 --phase 3", "handoff draft --transcript session.jsonl --all --output draft.md"},
	"hook":           {"handoff hook session-start --host claude < payload.json", "handoff hook PostToolBatch --host claude", "handoff hook stop"},
	"statusline":     {"handoff statusline < status.json", "handoff statusline -- ~/.claude/my-statusline.sh"},
	"agents":         {"handoff agents", "handoff agents codex", "handoff agents --probe"},
	"setup":          {"handoff setup claude", "handoff setup codex gemini --user", "handoff setup all --dry-run", "handoff setup claude --remove"},
	"doctor":         {"handoff doctor", "handoff doctor claude codex", "handoff doctor --json"},
	"brief":          {"handoff brief latest", "handoff brief 259/3 --level 2"},
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
	"relay":          {"handoff relay --agent claude --task 259 --level all -- 'finish phase 3'", "handoff relay --agent claude --then codex --task 1 --max-continuations 5 --budget 2000000 -- - < objective.md", "handoff relay --resume latest", "handoff relay --list"},
	"sync":           {"handoff sync", "handoff sync 259 --dry-run"},
	"watch":          {"handoff watch", "handoff watch --status", "handoff watch --install-service"},
	"verify":         {"handoff verify", "handoff verify 259 --fix", "handoff verify --staged", "handoff verify --format github --strict"},
	"trust":          {"handoff trust --show", "handoff trust", "handoff trust --revoke"},
	"convert":        {"handoff convert 259/3 --to bundle", "handoff convert 259/3 --to anchor --tape prover --write"},
	"bundle check":   {"handoff bundle check bundle.json"},
	"artifact put":   {"handoff artifact put report.pdf", "make 2>&1 | handoff artifact put"},
	"artifact fetch": {`handoff artifact fetch '{"id":"87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7","max_bytes":4096}'`},
	"artifact gc":    {"handoff artifact gc", "handoff artifact gc --older-than 48h --delete"},
	"store check":    {"handoff store check", "handoff store check --json"},
	"store copy":     {"handoff store copy files nats://10.0.0.1:4222,10.0.0.2:4222/HANDOFF", "handoff store copy nats://10.0.0.1:4222/HANDOFF files", "handoff store copy files git:origin"},
	"store drain":    {"handoff store drain"},
	"thread create":  {"handoff thread create --title completeness"},
	"thread branch":  {"handoff thread branch 1f54c37f --from-seq 12"},
	"thread handoff": {"handoff thread handoff 1f54c37f --summary-markdown 'Left: the truth lemma.'"},
	"thread show":    {"handoff thread show 1f54c37f"},
	"thread events":  {"handoff thread events 1f54c37f --follow"},
	"thread repair":  {"handoff thread repair", "handoff thread repair 1f54c37f"},
	"thread export":  {"handoff thread export --rip ~/.rip/data"},
	"thread import":  {"handoff thread import --rip ~/.rip/data"},
	"tape append":    {"handoff tape append 'Continue with the routes.'", "handoff tape append --from entries.jsonl"},
	"tape handoff":   {"handoff tape handoff phase-1 --summary 'Database is set up' --next-steps Routes --state '{\"tables\": 5}'"},
	"tape read":      {"handoff tape read --last-anchor", "handoff tape read --since 2026-02-12 --kind message --format text", "handoff tape read --between session/start phase-1"},
	"tape context":   {"handoff tape context --for anthropic"},
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
}
