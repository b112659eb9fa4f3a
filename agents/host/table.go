package host

import "time"

// The names that Claude Code gave to its events, and other hosts took over.
const (
	nativeStart        = "SessionStart"
	nativePrompt       = "UserPromptSubmit"
	nativeTool         = "PostToolUse"
	nativeStop         = "Stop"
	nativeSubStart     = "SubagentStart"
	nativeSubStop      = "SubagentStop"
	nativePreCompact   = "PreCompact"
	nativePostCompact  = "PostCompact"
	nativeStopFailure  = "StopFailure"
	nativeEnd          = "SessionEnd"
	timeout            = 10 * time.Second
	endTimeout         = 3 * time.Second // the most that Codex allows; hosts end while it runs, and `handoff hook` takes at most one second
	defaultMaxLimit    = 10_000
	codexMaxBytes      = 9_000 // 2,500 tokens; more goes to a file
	writingClaudeTools = "Write|Edit|MultiEdit"
)

// All are all hosts, sorted by name.
func All() []Host {
	return []Host{amp(), claude(), codex(), copilot(), crush(), cursor(), gemini(), goose(), kiro(), opencode(), qwen(), vscode()}
}

func amp() Host { return Host{Name: "amp", Title: "Amp", Limit: Limit{Max: defaultMaxLimit}} }

func claude() Host {
	return Host{Name: "claude", Env: "CLAUDE_CODE_SESSION_ID", Mark: "CLAUDECODE", Title: "Claude Code", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Second, Hooks: []Hook{
		{SessionStart, nativeStart, "startup|resume|clear|compact|fork", timeout, Specific},
		{Prompt, nativePrompt, "", timeout, Specific},
		{ToolUse, nativeTool, writingClaudeTools, timeout, Specific},
		{Batch, "PostToolBatch", "", timeout, Specific},
		{Stop, nativeStop, "", timeout, Specific}, // with Block it shows the text twice
		{SubagentStart, nativeSubStart, "", timeout, Specific},
		{SubagentStop, nativeSubStop, "", timeout, Block},
		{PreCompact, nativePreCompact, "", timeout, Silent},
		{PostCompact, nativePostCompact, "", timeout, Silent},
		{StopFailure, nativeStopFailure, "", timeout, Silent},
		{SessionEnd, nativeEnd, "", endTimeout, Silent}, // raises the host's limit of 1.5 s
	}}
}

func codex() Host {
	return Host{Name: "codex", Env: "CODEX_THREAD_ID", Title: "Codex CLI", Limit: Limit{Max: codexMaxBytes, Bytes: true}, Unit: time.Second, Hooks: []Hook{
		{SessionStart, nativeStart, "startup|resume|clear|compact", timeout, Specific},
		{Prompt, nativePrompt, "", timeout, Specific},
		{ToolUse, nativeTool, "", timeout, Specific}, // also the place for a note: it has no PostToolBatch
		{Stop, nativeStop, "", timeout, Block},
		{SubagentStart, nativeSubStart, "", timeout, Specific},
		{SubagentStop, nativeSubStop, "", timeout, Block},
		{PreCompact, nativePreCompact, "", timeout, Silent},
		{PostCompact, nativePostCompact, "", timeout, Silent}, // an envelope here makes every compaction fail
		{StopFailure, nativeStopFailure, "", timeout, Silent},
		{SessionEnd, nativeEnd, "", endTimeout, Silent}, // seen in 0.169
	}}
}

// copilot has names in camelCase and payloads in camelCase with them.
func copilot() Host {
	return Host{Name: "copilot", Title: "GitHub Copilot CLI", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Second, Hooks: []Hook{
		{SessionStart, "sessionStart", "", timeout, Camel},
		{Prompt, "userPromptSubmitted", "", timeout, Camel},
		{ToolUse, "postToolUse", "", timeout, Camel},
		{Stop, "agentStop", "", timeout, Block},
		{SubagentStart, "subagentStart", "", timeout, Camel},
		{SubagentStop, "subagentStop", "", timeout, Block},
		{PreCompact, "preCompact", "", timeout, Silent},
		{StopFailure, "errorOccurred", "", timeout, Silent},
		{SessionEnd, "sessionEnd", "", endTimeout, Silent}, // with -p it comes once a turn
	}}
}

// crush has one event, before a tool call: the first one of a session delivers.
func crush() Host {
	return Host{Name: "crush", Env: "CRUSH_SESSION_ID", Title: "Crush", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Second, Hooks: []Hook{
		{Prompt, "PreToolUse", "", timeout, Context},
	}}
}

func cursor() Host {
	return Host{Name: "cursor", Mark: "CURSOR_AGENT", Title: "Cursor", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Second, Hooks: []Hook{
		{SessionStart, "sessionStart", "", timeout, Snake},
		{ToolUse, "postToolUse", "", timeout, Snake},
		{Stop, "stop", "", timeout, Followup},
		{SubagentStop, "subagentStop", "", timeout, Followup},
		{PreCompact, "preCompact", "", timeout, Silent},
		{SessionEnd, "sessionEnd", "", endTimeout, Silent},
	}}
}

func gemini() Host {
	return Host{Name: "gemini", Env: "GEMINI_SESSION_ID", Mark: "GEMINI_CLI", Title: "Gemini CLI", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Millisecond, Eager: true, Clears: true, Hooks: []Hook{
		{SessionStart, nativeStart, "", timeout, Specific},
		{Prompt, "BeforeAgent", "", timeout, Specific}, // delivers where SessionStart did not come
		{ToolUse, "AfterTool", "", timeout, Specific},
		{Stop, "AfterAgent", "", timeout, Deny},
		{PreCompact, "PreCompress", "", timeout, Silent},
		{SessionEnd, nativeEnd, "", endTimeout, Silent},
	}}
}

// goose adds no text of a hook to the context; only Stop acts.
func goose() Host {
	return Host{Name: "goose", Title: "Goose", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Second, Hooks: []Hook{
		{ToolUse, nativeTool, ".*", timeout, Silent},
		{Stop, nativeStop, "", timeout, Block},
		{SessionEnd, nativeEnd, "", endTimeout, Silent},
	}}
}

// kiro reads plain text.
func kiro() Host {
	return Host{Name: "kiro", Title: "Kiro CLI", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Millisecond, Hooks: []Hook{
		{SessionStart, "agentSpawn", "", timeout, Plain},
		{Prompt, "userPromptSubmit", "", timeout, Plain},
		{ToolUse, "postToolUse", "", timeout, Silent},
		{Stop, "stop", "", timeout, Silent},
		{PreCompact, "preCompact", "", timeout, Silent},
		{PostCompact, "postCompact", "", timeout, Plain},
	}}
}

// opencode runs a plugin, which calls `handoff hook` and adds the text unchanged.
func opencode() Host {
	return Host{Name: "opencode", Mark: "OPENCODE", Title: "OpenCode", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Second, Hooks: []Hook{
		{SessionStart, "session.created", "", timeout, Plain},
		{ToolUse, "tool.execute.after", "", timeout, Plain},
		{Stop, "session.idle", "", timeout, Silent},
		{PreCompact, "session.compacting", "", timeout, Silent},
		{PostCompact, "session.compacted", "", timeout, Plain},
		{StopFailure, "session.error", "", timeout, Silent},
		{SessionEnd, "session.deleted", "", endTimeout, Silent},
	}}
}

func qwen() Host {
	return Host{Name: "qwen", Title: "Qwen Code", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Millisecond, Hooks: []Hook{
		{SessionStart, nativeStart, "startup|resume|clear|compact", timeout, Specific},
		{Prompt, nativePrompt, "", timeout, Specific},
		{ToolUse, nativeTool, "", timeout, Specific},
		{Stop, nativeStop, "", timeout, Block},
		{SubagentStart, nativeSubStart, "", timeout, Specific},
		{SubagentStop, nativeSubStop, "", timeout, Block},
		{PreCompact, nativePreCompact, "", timeout, Silent},
		{PostCompact, nativePostCompact, "", timeout, Silent},
		{StopFailure, nativeStopFailure, "", timeout, Silent},
		{SessionEnd, nativeEnd, "", endTimeout, Silent},
	}}
}

// vscode has Claude Code's names and envelopes in the files of Copilot.
func vscode() Host {
	return Host{Name: "vscode", Title: "VS Code", Limit: Limit{Max: defaultMaxLimit}, Unit: time.Second, Hooks: []Hook{
		{SessionStart, nativeStart, "", timeout, Specific},
		{Prompt, nativePrompt, "", timeout, Silent}, // shows text to the user only
		{ToolUse, nativeTool, "", timeout, Specific},
		{Stop, nativeStop, "", timeout, Block},
		{SubagentStart, nativeSubStart, "", timeout, Specific},
		{SubagentStop, nativeSubStop, "", timeout, Block},
		{PreCompact, nativePreCompact, "", timeout, Silent},
	}}
}
