// Code generated from agents/table by agents/generate_test.go. DO NOT EDIT.

package agents

var names = [...]string{"aider", "amp", "claude", "codex", "continue", "copilot", "crush", "cursor", "custom", "droid", "gemini", "goose", "kiro", "opencode", "opencode2", "pi", "qwen", "vscode"}

// builtin returns an entry of its own at each call.
func builtin(name string) (Agent, bool) {
	switch name {
	case "aider":
		return Agent{Name: "aider", Title: "Aider", Tried: Tried{What: "not tried; from its documentation"}, Program: "aider", Version: List{"--version"}, Prompt: "file", Start: List{"--yes-always", "--no-stream", "--message-file", "{file}"}, Instructions: List{"--read", "{file}"}, Permissions: Permissions{Read: List{"--dry-run"}}, Settings: Settings{Files: List{".aider.conf.yml", ".aider.model.settings.yml", ".env"}}, Stream: "text", Context: Context{Counts: "not recorded"}}, true
	case "amp":
		return Agent{Name: "amp", Title: "Amp", Tried: Tried{What: "not tried, because it needs an account; from its documentation"}, Program: "amp", Version: List{"--version"}, Prompt: "stdin", Start: List{"-x", "--stream-json"}, Resume: List{"threads", "continue", "{session}", "-x", "--stream-json"}, Permissions: Permissions{All: List{"--dangerously-allow-all"}}, Settings: Settings{Files: List{".amp/"}}, Stream: "claude", Context: Context{Counts: "input and cached tokens of the last call", Percent: 90}, Setup: Setup{Commands: List{"amp"}, Folders: List{".amp", "config:amp"}, Files: []SetupFile{
			{Part: "server", Edit: "json", Project: ".amp/settings.json", User: "config:amp/settings.json", Path: List{"amp.mcpServers", "handoff"}, Entry: "{\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "block", Edit: "block", Project: "AGENTS.md", User: "config:amp/AGENTS.md"},
		}, Next: "start a new session of amp here, and approve the MCP server"}, Notes: "Threads are on its server; `amp threads export` writes one."}, true
	case "claude":
		return Agent{Name: "claude", Title: "Claude Code", Tried: Tried{Version: "2.1.330", Date: "2026-11-22", What: "start, own session id, resume, levels, rules, stream, transcript and a compaction, and over ACP start, resume and cancel (adapter 0.100.0), against a scripted model"}, Program: "claude", Version: List{"--version"}, Prompt: "stdin", Start: List{"-p", "--output-format", "stream-json", "--verbose"}, Resume: List{"-p", "--output-format", "stream-json", "--verbose", "--resume", "{session}"}, Session: List{"--session-id", "{session}"}, Instructions: List{"--append-system-prompt-file", "{file}"}, Permissions: Permissions{Read: List{"--permission-mode", "plan"}, Edit: List{"--permission-mode", "acceptEdits", "--allowedTools", "Bash(handoff ack:*),Bash(handoff brief:*),Bash(handoff done:*),Bash(handoff lint:*),Bash(handoff new:*),Bash(handoff release:*),Bash(handoff renew:*),Bash(handoff rules:*),Bash(handoff schema:*),Bash(handoff show:*),Bash(handoff verify:*){allow}"}, All: List{"--dangerously-skip-permissions"}, Allow: ",Bash({command}:*)", Exact: ",Bash({command})"}, ACP: ACP{Command: List{"claude-agent-acp"}, Modes: Modes{Read: List{"default"}, Edit: List{"default"}, All: List{"bypassPermissions", "default"}}}, Settings: Settings{Files: List{".mcp.json", ".claude/settings*.json", ".claude/hooks/", ".claude/agents/", ".claude/commands/", ".claude/skills/", ".claude/plugins/", ".claude/output-styles/", ".claude-plugin/"}}, Stream: "claude", ReportsCost: true, Exits: map[string]string{"143": "ended by SIGTERM"}, Ends: Ends{Limit: []string{"hit your * limit", "hit your limit", "out of extra usage", "out of usage credits", "claude ai usage limit reached", "claude usage limit reached", "5-hour limit reached", "spend limit reached", "limit reached * resets"}, Temporary: []string{"request rejected (429)", "repeated 529", "api error: request was aborted", "no data arrived for more than"}, Permanent: []string{"credit balance is too low", "please run /login", "not logged in", "organization has been disabled", "oauth token has expired", "issue with the selected model", "no conversation found", "requires usage credits"}, TooLong: []string{"context limit reached", "conversation too long"}}, SessionEnv: "CLAUDE_CODE_SESSION_ID", Transcripts: Transcripts{Env: "CLAUDE_CONFIG_DIR", Folder: "~/.claude", Files: "projects/{folder}/{session}.jsonl", Subs: "projects/{folder}/*/subagents/*.jsonl", Format: "claude"}, Context: Context{Counts: "input_tokens + cache_creation_input_tokens + cache_read_input_tokens of the last call", Models: map[string]int{"claude-fable-5-1": 1000000, "claude-haiku-4-5": 200000, "claude-haiku-5": 1000000, "claude-opus-4-5": 200000, "claude-opus-4-6": 200000, "claude-opus-4-7": 1000000, "claude-opus-4-8": 1000000, "claude-opus-5": 1000000, "claude-sonnet-4-5": 200000, "claude-sonnet-4-6": 200000, "claude-sonnet-5": 1000000}, Percent: 100, Reserve: 33000, Env: "CLAUDE_CODE_AUTO_COMPACT_WINDOW"}, Hooks: Hooks{Events: []HookEvent{
			{Event: "session-start", Native: "SessionStart", Matcher: "startup|resume|clear|compact|fork", Envelope: "hookSpecificOutput"},
			{Event: "prompt", Native: "UserPromptSubmit", Envelope: "hookSpecificOutput"},
			{Event: "tool-use", Native: "PostToolUse", Matcher: "Write|Edit|MultiEdit", Envelope: "hookSpecificOutput"},
			{Event: "batch", Native: "PostToolBatch", Envelope: "hookSpecificOutput"},
			{Event: "stop", Native: "Stop", Envelope: "hookSpecificOutput"},
			{Event: "subagent-start", Native: "SubagentStart", Envelope: "hookSpecificOutput"},
			{Event: "subagent-stop", Native: "SubagentStop", Envelope: "block"},
			{Event: "pre-compact", Native: "PreCompact"},
			{Event: "post-compact", Native: "PostCompact"},
			{Event: "stop-failure", Native: "StopFailure"},
			{Event: "session-end", Native: "SessionEnd"},
		}}, Detect: Detect{Order: 10, Mark: "CLAUDECODE", Transcript: "/.claude/projects/", Env: List{"CLAUDE_CODE_SESSION_ID", "CLAUDE_PLUGIN_ROOT"}, Pascal: true}, Setup: Setup{Bases: map[string]Base{"claude": {Env: "CLAUDE_CONFIG_DIR", Folder: ".claude"}, "claude.json": {Env: "CLAUDE_CONFIG_DIR", Folder: "."}, "managed": {Folder: "/etc/claude-code", Mac: "/Library/Application Support/ClaudeCode", Windows: "C:\\Program Files\\ClaudeCode"}}, Commands: List{"claude"}, Folders: List{".claude", "claude:"}, Files: []SetupFile{
			{Part: "hooks", Edit: "grouped", Project: ".claude/settings.json", User: "claude:settings.json", Also: ".claude/settings.local.json", Handler: "{\"type\":\"command\",\"command\":$COMMAND,\"timeout\":$TIMEOUT}"},
			{Part: "server", Edit: "json", Project: ".mcp.json", User: "claude.json:.claude.json", Path: List{"mcpServers", "handoff"}, Entry: "{\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".claude/skills", User: "claude:skills"},
			{Part: "command", Edit: "command", Project: ".claude/commands/pickup.md", User: "claude:commands/pickup.md"},
			{Part: "block", Edit: "block", Project: "AGENTS.md"},
		}, Plugins: []PluginSign{
			{Path: "claude:settings.json", Member: "enabledPlugins"},
			{Path: ".claude/settings.json", Member: "enabledPlugins"},
			{Path: ".claude/settings.local.json", Member: "enabledPlugins"},
		}, Next: "start a new session of claude here, trust the folder and approve the MCP server"}, Doctor: Doctor{Settings: List{"managed:managed-settings.json", ".claude/settings.local.json", ".claude/settings.json", "claude:settings.json"}, State: List{"claude.json:.claude.json"}, Switches: []Switch{
			{Path: List{"disableAllHooks"}, Off: "true"},
			{Files: List{"managed:managed-settings.json"}, Path: List{"allowManagedHooksOnly"}, Off: "true", Effect: "only hooks of your organization run", Fix: "ask your administrator to add the hooks of handoff there"},
			{Env: "CLAUDE_CODE_SIMPLE", Effect: "no hook runs, as with --bare"},
			{Env: "CLAUDE_CODE_SAFE_MODE", Effect: "no hook runs, as with --bare"},
		}, On: "hooks are not switched off; with --bare none would run", Trust: Trust{Form: "projects", File: "claude.json:.claude.json"}, Checks: List{"plugin", "instructions"}}, Notes: "The level edit allows the commands of handoff that a successor needs. The session id is a UUID. As root, the level all needs IS_SANDBOX=1. The limit is the earliest that was seen: recorded automatic compactions came at 167,731 and 170,251 of 200,000 tokens (2.1.39); with CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000, 2.1.197 compacted at 88,073 and 96,073, and 2.1.330 each time at 67,000, from the second call on. Of 1,000,000 it compacted at 968,018, and not at 967,500. An organization can give a model another window: what the session or its status line reports comes first. Hooks and .mcp.json of the folder run also with -p. claude-agent-acp is npm install -g @agentclientprotocol/claude-agent-acp; it brings its own Claude Code, and CLAUDE_CODE_EXECUTABLE names another."}, true
	case "codex":
		return Agent{Name: "codex", Title: "Codex CLI", Tried: Tried{Version: "0.169.0", Date: "2026-11-22", What: "start, resume, levels, stream, transcript and a compaction, and over ACP start, resume and cancel (adapter 0.16.0), against a scripted model"}, Program: "codex", Version: List{"--version"}, Prompt: "stdin", Start: List{"exec", "--json", "--skip-git-repo-check", "-"}, Resume: List{"exec", "resume", "{session}", "--json", "--skip-git-repo-check", "-"}, Permissions: Permissions{Read: List{"-c", "sandbox_mode=read-only"}, Edit: List{"-c", "sandbox_mode=workspace-write", "-c", "sandbox_workspace_write.writable_roots=[{receipts}]"}, All: List{"--dangerously-bypass-approvals-and-sandbox"}, Allow: "any", Exact: "any"}, ACP: ACP{Command: List{"codex-acp"}, Modes: Modes{Read: List{"read-only"}, Edit: List{"workspace-write", "auto"}, All: List{"agent-full-access", "full-access"}}}, Settings: Settings{Files: List{".codex/"}}, Stream: "codex", Ends: Ends{Limit: []string{"hit your usage limit", "usage limit has been reached", "usage_limit_reached", "workspace is out of credits", "you're out of credits"}, Temporary: []string{"stream disconnected before completion", "exceeded retry limit", "selected model is at capacity", "experiencing high demand", "experiencing high load"}, Permanent: []string{"quota exceeded. check your plan", "to use codex with your chatgpt plan", "model is not supported", "no saved session found", "not logged in"}, TooLong: []string{"context_window_exceeded", "contextwindowexceeded", "ran out of room in the model"}}, SessionEnv: "CODEX_THREAD_ID", Transcripts: Transcripts{Env: "CODEX_HOME", Folder: "~/.codex", Files: "sessions/*/*/*/rollout-*{session}.jsonl", Format: "codex"}, Context: Context{Counts: "total_tokens of the last call", Percent: 90}, Hooks: Hooks{Limit: 9000, InBytes: true, Events: []HookEvent{
			{Event: "session-start", Native: "SessionStart", Matcher: "startup|resume|clear|compact", Envelope: "hookSpecificOutput"},
			{Event: "prompt", Native: "UserPromptSubmit", Envelope: "hookSpecificOutput"},
			{Event: "tool-use", Native: "PostToolUse", Envelope: "hookSpecificOutput"},
			{Event: "stop", Native: "Stop", Envelope: "block"},
			{Event: "subagent-start", Native: "SubagentStart", Envelope: "hookSpecificOutput"},
			{Event: "subagent-stop", Native: "SubagentStop", Envelope: "block"},
			{Event: "pre-compact", Native: "PreCompact"},
			{Event: "post-compact", Native: "PostCompact"},
			{Event: "stop-failure", Native: "StopFailure"},
			{Event: "session-end", Native: "SessionEnd"},
		}}, Detect: Detect{Order: 6, Input: []List{{"turn_id"}}, Transcript: "/sessions/####/"}, Setup: Setup{Bases: map[string]Base{"codex": {Env: "CODEX_HOME", Folder: ".codex"}}, Commands: List{"codex"}, Folders: List{".codex", "codex:"}, Files: []SetupFile{
			{Part: "hooks", Edit: "grouped", Project: ".codex/hooks.json", User: "codex:hooks.json", Handler: "{\"type\":\"command\",\"command\":$COMMAND,\"timeout\":$TIMEOUT}"},
			{Part: "server", Edit: "toml", Project: ".codex/config.toml", User: "codex:config.toml"},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "block", Edit: "block", Project: "AGENTS.md", User: "codex:AGENTS.md"},
		}, Plugins: []PluginSign{
			{Path: "codex:config.toml", Member: "plugins"},
		}, Next: "start codex here, trust the folder, and trust the hooks with /hooks: Codex runs none before that", InWorktree: "; in a linked worktree it reads the hooks of the main checkout: run this there, too"}, Doctor: Doctor{Settings: List{".codex/config.toml", "codex:config.toml"}, Trust: Trust{Form: "hashes", File: "codex:config.toml"}, Checks: List{"features", "worktree"}}, Notes: "`exec resume` refuses --sandbox, so levels are set with -c. Its sandbox makes .git read-only: the level edit adds the folder of receipts. The stream has the usage of a whole turn, which is not what the context holds: the transcript has it. model_auto_compact_token_limit in config.toml sets another limit; `at` here does the same for the gauge. codex-acp is npm install -g @agentclientprotocol/codex-acp, or its predecessor @zed-industries/codex-acp, with a Codex of their own; over ACP its sandbox is that of the session mode."}, true
	case "continue":
		return Agent{Name: "continue", Title: "Continue CLI", Tried: Tried{Version: "1.5.47", Date: "2026-11-27", What: "start and reading only, against a scripted model"}, Program: "cn", Version: List{"--version"}, Prompt: "stdin", Start: List{"-p"}, Permissions: Permissions{Read: List{"--readonly", "-p"}, All: List{"--auto", "-p"}, Unkept: List{"edit"}}, Settings: Settings{Files: List{".continue/"}}, Stream: "text", Context: Context{Counts: "not recorded"}, Notes: "It resumes only the last session of all folders, and never names one, so a session cannot be continued."}, true
	case "copilot":
		return Agent{Name: "copilot", Title: "GitHub Copilot CLI", Tried: Tried{Version: "1.0.102", Date: "2026-11-22", What: "start, own session id, resume, levels, stream and transcript, against a scripted model"}, Program: "copilot", Version: List{"--version"}, Prompt: "stdin", Start: List{"-s", "--no-ask-user", "--output-format", "json"}, Resume: List{"-s", "--no-ask-user", "--output-format", "json", "--resume={session}"}, Session: List{"--session-id={session}"}, Permissions: Permissions{Edit: List{"--allow-tool=write"}, All: List{"--allow-all-tools"}}, ACP: ACP{Command: List{"copilot", "--acp"}}, Settings: Settings{Files: List{".copilot/", ".github/hooks/", ".github/agents/", ".github/skills/", ".github/mcp.json"}}, Stream: "copilot", Ends: Ends{Limit: []string{"reached your * limit", "exceeded your * session limit", "hit a rate limit that restricts", "exceeded your * rate limit", "user_weekly_rate_limited", "user_global_rate_limited", "out of premium requests", "exceeded your premium request allowance", "no quota"}, Temporary: []string{"you have been rate-limited", "failed to get response from the ai model"}, Permanent: []string{"no authentication information found", "not authorized", "policy settings"}, TooLong: []string{"context_limit", "model_max_prompt_tokens_exceeded", "prompt token count of"}}, Transcripts: Transcripts{Env: "COPILOT_HOME", Folder: "~/.copilot", Files: "session-state/{session}/events.jsonl", Format: "copilot"}, Context: Context{Counts: "inputTokens of the last call", Percent: 80}, Hooks: Hooks{Runs: List{"claude"}, Events: []HookEvent{
			{Event: "session-start", Native: "sessionStart", Envelope: "additionalContext"},
			{Event: "prompt", Native: "userPromptSubmitted", Envelope: "additionalContext"},
			{Event: "tool-use", Native: "postToolUse", Envelope: "additionalContext"},
			{Event: "stop", Native: "agentStop", Envelope: "block"},
			{Event: "subagent-start", Native: "subagentStart", Envelope: "additionalContext"},
			{Event: "subagent-stop", Native: "subagentStop", Envelope: "block"},
			{Event: "pre-compact", Native: "preCompact"},
			{Event: "stop-failure", Native: "errorOccurred"},
			{Event: "session-end", Native: "sessionEnd"},
		}}, Detect: Detect{Order: 3, Input: []List{{"sessionId"}}, Transcript: "/.copilot/", Env: List{"COPILOT_CLI"}}, Setup: Setup{Bases: map[string]Base{"copilot": {Env: "COPILOT_HOME", Folder: ".copilot"}}, Commands: List{"copilot"}, Folders: List{".github/hooks", ".github/copilot", "copilot:"}, Files: []SetupFile{
			{Part: "hooks", Edit: "flat", Project: ".github/hooks/handoff.json", User: "copilot:hooks/handoff.json", Handler: "{\"type\":\"command\",\"bash\":$COMMAND,\"powershell\":$COMMAND,\"timeoutSec\":$TIMEOUT}", With: List{"version=1"}},
			{Part: "server", Edit: "json", Project: ".mcp.json", User: "copilot:mcp-config.json", Path: List{"mcpServers", "handoff"}, Entry: "{\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "block", Edit: "block", Project: "AGENTS.md"},
		}, Plugins: []PluginSign{
			{Path: "copilot:installed-plugins/*/handoff"},
		}, Next: "start copilot here and trust the folder (with -p, set GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS)"}, Doctor: Doctor{Settings: List{".github/copilot/settings.json", "copilot:settings.json", "copilot:config.json"}, Switches: []Switch{
			{Files: List{".github/copilot/settings.json", "copilot:settings.json", "copilot:config.json", ".github/hooks/handoff.json", "copilot:hooks/handoff.json"}, Path: List{"disableAllHooks"}, Off: "true"},
		}, On: "hooks are not switched off", Trust: Trust{Form: "list", File: "copilot:config.json", Names: List{"trustedFolders", "trusted_folders"}, Hint: "with -p, set GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS"}}, Notes: "The session id is a UUID. It compacts in the background from 80 % of the prompt tokens, and blocks at 95 %. The stream has no usage: the transcript has it."}, true
	case "crush":
		return Agent{Name: "crush", Title: "Crush", Tried: Tried{What: "not tried; from its documentation"}, Program: "crush", Version: List{"--version"}, Prompt: "stdin", Start: List{"run", "--quiet"}, Resume: List{"run", "--quiet", "--session", "{session}"}, Permissions: Permissions{Unkept: List{"read", "edit"}}, Settings: Settings{Files: List{"crush.json", ".crush.json"}}, Stream: "text", SessionEnv: "CRUSH_SESSION_ID", Context: Context{Counts: "in its database, which handoff does not read"}, Hooks: Hooks{Events: []HookEvent{
			{Event: "prompt", Native: "PreToolUse", Envelope: "context"},
		}}, Detect: Detect{Order: 9, Env: List{"CRUSH"}}, Setup: Setup{Commands: List{"crush"}, Folders: List{".crush", "config:crush"}, Files: []SetupFile{
			{Part: "hooks", Edit: "flat", Project: "crush.json", User: "config:crush/crush.json", Or: ".crush.json", Handler: "{\"command\":$COMMAND,\"timeout\":$TIMEOUT}"},
			{Part: "server", Edit: "json", Project: "crush.json", User: "config:crush/crush.json", Or: ".crush.json", Path: List{"mcp", "handoff"}, Entry: "{\"type\":\"stdio\",\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "block", Edit: "block", Project: "AGENTS.md"},
		}, Next: "start a new session of crush here"}}, true
	case "cursor":
		return Agent{Name: "cursor", Title: "Cursor Agent", Tried: Tried{What: "not tried; from its documentation and other programs that start it"}, Program: "cursor-agent", Version: List{"--version"}, Prompt: "stdin", Start: List{"-p", "--output-format", "stream-json", "--trust"}, Resume: List{"-p", "--output-format", "stream-json", "--trust", "--resume", "{session}"}, Permissions: Permissions{All: List{"--force"}}, ACP: ACP{Command: List{"cursor-agent", "acp"}}, Settings: Settings{Files: List{".cursor/"}}, Stream: "claude", Context: Context{Counts: "the host's status line; transcripts have no usage"}, Hooks: Hooks{Runs: List{"claude"}, Events: []HookEvent{
			{Event: "session-start", Native: "sessionStart", Envelope: "additional_context"},
			{Event: "tool-use", Native: "postToolUse", Envelope: "additional_context"},
			{Event: "stop", Native: "stop", Envelope: "followup_message"},
			{Event: "subagent-stop", Native: "subagentStop", Envelope: "followup_message"},
			{Event: "pre-compact", Native: "preCompact"},
			{Event: "session-end", Native: "sessionEnd"},
		}}, Detect: Detect{Order: 1, Mark: "CURSOR_AGENT", Input: []List{{"cursor_version"}, {"conversation_id"}}}, Setup: Setup{Commands: List{"cursor-agent", "cursor"}, Folders: List{".cursor", "home:.cursor"}, Files: []SetupFile{
			{Part: "hooks", Edit: "flat", Project: ".cursor/hooks.json", User: "home:.cursor/hooks.json", Handler: "{\"command\":$COMMAND,\"timeout\":$TIMEOUT}", With: List{"version=1"}},
			{Part: "server", Edit: "json", Project: ".cursor/mcp.json", User: "home:.cursor/mcp.json", Path: List{"mcpServers", "handoff"}, Entry: "{\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "command", Edit: "command", Project: ".cursor/commands/handoff.md", User: "home:.cursor/commands/handoff.md"},
			{Part: "command", Edit: "command", Project: ".cursor/commands/pickup.md", User: "home:.cursor/commands/pickup.md"},
			{Part: "block", Edit: "block", Project: "AGENTS.md"},
		}, Plugins: []PluginSign{
			{Path: "home:.cursor/plugins/*/handoff"},
		}, Next: "start a new chat in Cursor, and switch on the MCP server in its settings"}, Doctor: Doctor{Settings: List{".cursor/hooks.json", "home:.cursor/hooks.json", ".cursor/mcp.json", "home:.cursor/mcp.json"}, Switches: []Switch{
			{Files: List{".cursor/hooks.json", "home:.cursor/hooks.json"}, Path: List{"version"}, With: "hooks", Must: "1", Effect: "Cursor ignores it"},
		}}, Notes: "The binary is called agent in new installations. `handoff statusline` reads its status line."}, true
	case "custom":
		return Agent{Name: "custom", Title: "a command of your own", Tried: Tried{What: "it is whatever you name"}, Prompt: "stdin", Stream: "text", Context: Context{Counts: "unknown: set windows and percent, or at"}, Notes: "Copy this form to .handoff/agents/NAME.yaml for an agent of your own, or name the command where you start it."}, true
	case "droid":
		return Agent{Name: "droid", Title: "Droid", Tried: Tried{What: "not tried; from its documentation"}, Program: "droid", Version: List{"--version"}, Prompt: "stdin", Start: List{"exec", "--output-format", "stream-json"}, Resume: List{"exec", "--output-format", "stream-json", "--session-id", "{session}"}, Permissions: Permissions{Edit: List{"--auto", "low"}, All: List{"--auto", "high"}}, Settings: Settings{Files: List{".factory/"}}, Stream: "claude", Context: Context{Counts: "totals in its settings files, which handoff does not read"}}, true
	case "gemini":
		return Agent{Name: "gemini", Title: "Gemini CLI", Tried: Tried{Version: "0.61.0", Date: "2026-11-22", What: "start, own session id, resume, levels, stream and transcript, and over ACP start, resume and cancel, against a scripted model"}, Program: "gemini", Version: List{"--version"}, Prompt: "stdin", Start: List{"-p", "", "-o", "stream-json", "--skip-trust"}, Resume: List{"-p", "", "-o", "stream-json", "--skip-trust", "--resume", "{session}"}, Session: List{"--session-id", "{session}"}, Permissions: Permissions{Read: List{"--approval-mode", "plan"}, Edit: List{"--approval-mode", "default", "--allowed-tools", "replace,write_file,run_shell_command(handoff ack),run_shell_command(handoff brief),run_shell_command(handoff done),run_shell_command(handoff lint),run_shell_command(handoff new),run_shell_command(handoff release),run_shell_command(handoff renew),run_shell_command(handoff rules),run_shell_command(handoff schema),run_shell_command(handoff show),run_shell_command(handoff verify){allow}"}, All: List{"--approval-mode", "yolo"}, Allow: ",run_shell_command({command})"}, ACP: ACP{Command: List{"gemini", "--acp"}, Modes: Modes{Read: List{"default"}, Edit: List{"default"}, All: List{"default"}}, Resume: List{"--next-minute"}}, Settings: Settings{Files: List{".gemini/", ".env"}}, Stream: "gemini", Exits: map[string]string{"41": "no way to authenticate", "42": "invalid input", "53": "turn limit reached"}, Ends: Ends{Limit: []string{"usage limit reached for", "access resets at", "exhausted your daily quota", "quota will reset after", "quota exceeded for * per day", "perday"}, Temporary: []string{"exhausted your capacity", "model_capacity_exhausted", "possible quota limitations", "invalid stream"}, Permanent: []string{"please set an auth method", "api key not valid", "api_key_invalid", "permission_denied"}, TooLong: []string{"might exceed the remaining context"}, Exits: map[string]string{"41": "permanent", "42": "permanent"}}, SessionEnv: "GEMINI_SESSION_ID", Transcripts: Transcripts{Home: "GEMINI_CLI_HOME", Folder: "~/.gemini", Files: "tmp/*/chats/session-*{short}.jsonl", Subs: "tmp/*/chats/*/*.jsonl", Format: "gemini"}, Context: Context{Counts: "total tokens of the last call", Models: map[string]int{"auto": 1048576, "gemini-": 1048576}, Percent: 50}, Hooks: Hooks{Unit: "ms", Eager: true, Clears: true, Events: []HookEvent{
			{Event: "session-start", Native: "SessionStart", Envelope: "hookSpecificOutput"},
			{Event: "prompt", Native: "BeforeAgent", Envelope: "hookSpecificOutput"},
			{Event: "tool-use", Native: "AfterTool", Envelope: "hookSpecificOutput"},
			{Event: "stop", Native: "AfterAgent", Envelope: "deny"},
			{Event: "pre-compact", Native: "PreCompress"},
			{Event: "session-end", Native: "SessionEnd"},
		}}, Detect: Detect{Order: 7, Mark: "GEMINI_CLI", Transcript: "/.gemini/", Env: List{"GEMINI_SESSION_ID"}, With: List{"timestamp"}}, Setup: Setup{Bases: map[string]Base{"gemini": {Folder: ".gemini"}, "gemini-trust": {Env: "GEMINI_CLI_TRUSTED_FOLDERS_PATH", Folder: ".gemini/trustedFolders.json"}}, Commands: List{"gemini"}, Folders: List{".gemini", "gemini:"}, Files: []SetupFile{
			{Part: "hooks", Edit: "grouped", Project: ".gemini/settings.json", User: "gemini:settings.json", Handler: "{\"name\":\"handoff\",\"type\":\"command\",\"command\":$COMMAND,\"timeout\":$TIMEOUT}"},
			{Part: "server", Edit: "json", Project: ".gemini/settings.json", User: "gemini:settings.json", Path: List{"mcpServers", "handoff"}, Entry: "{\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "command", Edit: "command", Project: ".gemini/commands/handoff.toml", User: "gemini:commands/handoff.toml"},
			{Part: "command", Edit: "command", Project: ".gemini/commands/pickup.toml", User: "gemini:commands/pickup.toml"},
		}, Plugins: []PluginSign{
			{Path: "gemini:extensions/handoff"},
			{Path: ".gemini/extensions/handoff"},
		}, Next: "start gemini here and trust the folder"}, Doctor: Doctor{Settings: List{".gemini/settings.json", "gemini:settings.json"}, State: List{"gemini-trust:"}, Switches: []Switch{
			{Path: List{"hooksConfig", "enabled"}, Off: "false"},
			{Path: List{"disableAllHooks"}, Off: "true"},
			{Path: List{"hooksConfig", "disabled"}, Lists: true},
		}, On: "hooks are not switched off", Trust: Trust{Form: "folders", File: "gemini-trust:", Env: "GEMINI_CLI_TRUST_WORKSPACE", Settings: List{"gemini:settings.json"}}}, Notes: "In auto_edit it allows redirections of an allowed command to any file, so the level edit is default with the tools that edit. The session id is a UUID. GEMINI_API_KEY alone is refused (status 41) until settings.json has security.auth.selectedType. The stream has sums only: the transcript has the usage of each call. model.compressionThreshold in settings.json sets another share; `percent` here does the same for the gauge. No mark of a compaction was seen in a transcript: a fall of the tokens by more than half counts as one. Over ACP it does not report usage, and it erases a session that is loaded in the minute of the clock in which it began (a bug, seen in 0.61.0), so resuming waits for the next minute."}, true
	case "goose":
		return Agent{Name: "goose", Title: "Goose", Tried: Tried{What: "not tried; from its documentation"}, Program: "goose", Version: List{"--version"}, Prompt: "stdin", Start: List{"run", "-i", "-"}, Resume: List{"run", "--resume", "--name", "{session}", "-i", "-"}, Session: List{"--name", "{session}"}, Permissions: Permissions{Unkept: List{"read", "edit"}}, ACP: ACP{Command: List{"goose", "acp"}, Modes: Modes{Read: List{"approve"}, Edit: List{"approve"}, All: List{"auto"}}}, Settings: Settings{Files: List{".goose/"}}, Stream: "text", Context: Context{Counts: "total_tokens in its database, which handoff does not read"}, Hooks: Hooks{Events: []HookEvent{
			{Event: "tool-use", Native: "PostToolUse", Matcher: ".*"},
			{Event: "stop", Native: "Stop", Envelope: "block"},
			{Event: "session-end", Native: "SessionEnd"},
		}}, Detect: Detect{Order: 4, Input: []List{{"event", "working_dir"}}}, Setup: Setup{Commands: List{"goose"}, Folders: List{".goose", "config:goose"}, Files: []SetupFile{
			{Part: "hooks", Edit: "grouped", Project: ".agents/plugins/handoff/hooks/hooks.json", User: "home:.agents/plugins/handoff/hooks/hooks.json", Handler: "{\"type\":\"command\",\"command\":$COMMAND,\"timeout\":$TIMEOUT}"},
			{Part: "plugin", Edit: "text", Project: ".agents/plugins/handoff/plugin.json", User: "home:.agents/plugins/handoff/plugin.json", Text: "{\n  \"$schema\": \"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json\",\n  \"name\": \"handoff\",\n  \"version\": \"{version}\",\n  \"description\": \"Hands work from one agent session to the next\"\n}\n"},
			{Part: "server", Edit: "text", Project: ".agents/plugins/handoff/mcp.json", Text: "{\n  \"$schema\": \"https://agent-plugins.org/schemas/1.0.0/mcp.schema.json\",\n  \"mcpServers\": {\n    \"handoff\": {\n      \"type\": \"stdio\",\n      \"command\": \"handoff\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "block", Edit: "block", Project: "AGENTS.md"},
		}, Next: "start a new session of goose here (for all projects, add the MCP server with `goose configure`)"}, Notes: "GOOSE_MODE sets what it may do. The session id is a name that you choose."}, true
	case "kiro":
		return Agent{Name: "kiro", Title: "Kiro CLI", Tried: Tried{What: "not tried; from its documentation"}, Program: "kiro-cli", Version: List{"--version"}, Prompt: "none", Stream: "text", Context: Context{Counts: "in its database, which handoff does not read"}, Hooks: Hooks{Unit: "ms", Events: []HookEvent{
			{Event: "session-start", Native: "agentSpawn", Envelope: "plain"},
			{Event: "prompt", Native: "userPromptSubmit", Envelope: "plain"},
			{Event: "tool-use", Native: "postToolUse"},
			{Event: "stop", Native: "stop"},
			{Event: "pre-compact", Native: "preCompact"},
			{Event: "post-compact", Native: "postCompact", Envelope: "plain"},
		}}, Detect: Detect{Order: 5, Native: "agentSpawn"}, Setup: Setup{Commands: List{"kiro-cli", "kiro"}, Folders: List{".kiro", "home:.kiro"}, Files: []SetupFile{
			{Part: "hooks", Edit: "flat", Project: ".kiro/agents/handoff.json", User: "home:.kiro/agents/handoff.json", Handler: "{\"command\":$COMMAND,\"timeout_ms\":$TIMEOUT}", With: List{"name=\"handoff\"", "description=\"Continues and leaves handoffs\"", "tools=[\"*\"]", "includeMcpJson=true"}},
			{Part: "server", Edit: "json", Project: ".kiro/settings/mcp.json", User: "home:.kiro/settings/mcp.json", Path: List{"mcpServers", "handoff"}, Entry: "{\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".kiro/skills", User: "home:.kiro/skills"},
			{Part: "block", Edit: "block", Project: "AGENTS.md"},
		}, Next: "start `kiro-cli chat --agent handoff`: Kiro has hooks only in agents; for another one, copy hooks from .kiro/agents/handoff.json"}}, true
	case "opencode":
		return Agent{Name: "opencode", Title: "OpenCode 1", Tried: Tried{Version: "1.18.33", Date: "2026-11-22", What: "start, resume, levels, stream and export, and over ACP start, resume and cancel, against a scripted model"}, Program: "opencode", Version: List{"--version"}, Prompt: "stdin", Start: List{"run", "--format", "json"}, Resume: List{"run", "--format", "json", "--session", "{session}"}, Permissions: Permissions{Read: List{"--agent", "plan"}, All: List{"--auto"}, Env: Env{"edit": {"OPENCODE_CONFIG_CONTENT?": "{\"experimental\":{\"continue_loop_on_deny\":true}}", "OPENCODE_PERMISSION": "{\"*\":\"deny\",\"read\":\"allow\",\"glob\":\"allow\",\"grep\":\"allow\",\"list\":\"allow\",\"todowrite\":\"allow\",\"todoread\":\"allow\",\"external_directory\":\"deny\",\"edit\":\"allow\",\"bash\":{\"*\":\"deny\",\"handoff ack\":\"allow\",\"handoff ack *\":\"allow\",\"handoff brief\":\"allow\",\"handoff brief *\":\"allow\",\"handoff done\":\"allow\",\"handoff done *\":\"allow\",\"handoff lint\":\"allow\",\"handoff lint *\":\"allow\",\"handoff new\":\"allow\",\"handoff new *\":\"allow\",\"handoff release\":\"allow\",\"handoff release *\":\"allow\",\"handoff renew\":\"allow\",\"handoff renew *\":\"allow\",\"handoff rules\":\"allow\",\"handoff rules *\":\"allow\",\"handoff schema\":\"allow\",\"handoff schema *\":\"allow\",\"handoff show\":\"allow\",\"handoff show *\":\"allow\",\"handoff verify\":\"allow\",\"handoff verify *\":\"allow\"{allow},\"*>*\":\"deny\",\"*<*\":\"deny\"}}"}, "read": {"OPENCODE_CONFIG_CONTENT?": "{\"experimental\":{\"continue_loop_on_deny\":true}}", "OPENCODE_PERMISSION": "{\"*\":\"deny\",\"read\":\"allow\",\"glob\":\"allow\",\"grep\":\"allow\",\"list\":\"allow\",\"todowrite\":\"allow\",\"todoread\":\"allow\",\"external_directory\":\"deny\",\"bash\":{\"*\":\"deny\",\"handoff ack\":\"allow\",\"handoff ack *\":\"allow\",\"handoff brief\":\"allow\",\"handoff brief *\":\"allow\",\"handoff done\":\"allow\",\"handoff done *\":\"allow\",\"handoff lint\":\"allow\",\"handoff lint *\":\"allow\",\"handoff new\":\"allow\",\"handoff new *\":\"allow\",\"handoff release\":\"allow\",\"handoff release *\":\"allow\",\"handoff renew\":\"allow\",\"handoff renew *\":\"allow\",\"handoff rules\":\"allow\",\"handoff rules *\":\"allow\",\"handoff schema\":\"allow\",\"handoff schema *\":\"allow\",\"handoff show\":\"allow\",\"handoff show *\":\"allow\",\"handoff verify\":\"allow\",\"handoff verify *\":\"allow\",\"*>*\":\"deny\",\"*<*\":\"deny\"}}"}}, Unkept: List{"read", "edit"}, Allow: ",\"{command}\":\"allow\",\"{command} *\":\"allow\"", Exact: ",\"{command}\":\"allow\""}, ACP: ACP{Command: List{"opencode", "acp"}, Modes: Modes{Read: List{"plan"}, Edit: List{"build"}, All: List{"build"}}, Env: Env{"edit": {"OPENCODE_CONFIG_CONTENT?": "{\"experimental\":{\"continue_loop_on_deny\":true}}", "OPENCODE_PERMISSION": "{\"*\":\"ask\",\"read\":\"allow\",\"glob\":\"allow\",\"grep\":\"allow\",\"list\":\"allow\",\"todowrite\":\"allow\",\"external_directory\":\"ask\"}"}, "read": {"OPENCODE_CONFIG_CONTENT?": "{\"experimental\":{\"continue_loop_on_deny\":true}}", "OPENCODE_PERMISSION": "{\"*\":\"ask\",\"read\":\"allow\",\"glob\":\"allow\",\"grep\":\"allow\",\"list\":\"allow\",\"todowrite\":\"allow\",\"external_directory\":\"ask\"}"}}}, Settings: Settings{Files: List{"opencode.json", "opencode.jsonc", ".opencode/"}, Own: List{".opencode/node_modules/", ".opencode/package.json", ".opencode/package-lock.json", ".opencode/bun.lock", ".opencode/.gitignore"}}, Stream: "opencode", ReportsCost: true, Ends: Ends{Limit: []string{"free usage exceeded", "freeusagelimiterror", "usage limit has been reached", "gousagelimiterror", "subscription quota exceeded"}, Temporary: []string{"ai_apicallerror * overloaded", "upstream request failed"}, Permanent: []string{"providermodelnotfounderror", "providerautherror", "api access paused", "creditserror", "insufficient balance"}, TooLong: []string{"contextoverflowerror", "message too long"}}, Context: Context{Counts: "input + cache + output of the last step", Percent: 100, Reserve: 32000}, Hooks: Hooks{Events: []HookEvent{
			{Event: "session-start", Native: "session.created", Envelope: "plain"},
			{Event: "tool-use", Native: "tool.execute.after", Envelope: "plain"},
			{Event: "stop", Native: "session.idle"},
			{Event: "pre-compact", Native: "session.compacting"},
			{Event: "post-compact", Native: "session.compacted", Envelope: "plain"},
			{Event: "stop-failure", Native: "session.error"},
			{Event: "session-end", Native: "session.deleted"},
		}}, Detect: Detect{Mark: "OPENCODE"}, Setup: Setup{Commands: List{"opencode"}, Folders: List{".opencode", "config:opencode"}, Files: []SetupFile{
			{Part: "plugin", Edit: "typescript", Project: ".opencode/plugins/handoff.ts", User: "config:opencode/plugins/handoff.ts"},
			{Part: "server", Edit: "json", Project: "opencode.json", User: "config:opencode/opencode.json", Or: "opencode.jsonc", OrUser: "config:opencode/opencode.jsonc", Path: List{"mcp", "handoff"}, Entry: "{\"type\":\"local\",\"command\":[\"handoff\",\"mcp\"],\"enabled\":true}", With: List{"$schema=\"https://opencode.ai/config.json\""}},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "command", Edit: "command", Project: ".opencode/commands/handoff.md", User: "config:opencode/commands/handoff.md"},
			{Part: "command", Edit: "command", Project: ".opencode/commands/pickup.md", User: "config:opencode/commands/pickup.md"},
			{Part: "block", Edit: "block", Project: "AGENTS.md", User: "config:opencode/AGENTS.md"},
		}, Next: "start a new session of opencode here"}, Doctor: Doctor{Settings: List{"opencode.json", "opencode.jsonc", "config:opencode/opencode.json", "config:opencode/opencode.jsonc"}, Switches: []Switch{
			{Env: "OPENCODE_PURE", Effect: "no plugin is loaded, as with --pure"},
		}, On: "plugins are not switched off; with --pure none would be loaded"}, Notes: "Sessions are in a SQLite database that only OpenCode reads: `opencode export ID > session.json` writes one for `handoff gauge --transcript`, and a saved stream works too. It compacts when the context exceeds the model's limit less its output, and only over ACP it reports the window: set windows for your model. Over ACP it reports usage at the end of a turn only, so at the level all its command line is better for a relay."}, true
	case "opencode2":
		return Agent{Name: "opencode2", Title: "OpenCode 2", Tried: Tried{What: "not tried: its package was not in the npm registry on 2026-11-22; from its documentation"}, Program: "opencode", Version: List{"--version"}, Prompt: "file", Start: List{"run", "--standalone", "--format", "json", "--file", "{file}", "Follow the instructions in the attached file."}, Resume: List{"run", "--standalone", "--format", "json", "--session", "{session}", "--file", "{file}", "Follow the instructions in the attached file."}, Permissions: Permissions{Unkept: List{"read", "edit"}}, Stream: "opencode", Context: Context{Counts: "input + cache + output of the last step", Percent: 100, Reserve: 32000}}, true
	case "pi":
		return Agent{Name: "pi", Title: "pi", Tried: Tried{Version: "0.73.1", Date: "2026-11-27", What: "start, resume, reading only, stream, transcript and compaction, against a scripted model"}, Program: "pi", Version: List{"--version"}, Prompt: "stdin", Start: List{"-p", "--mode", "json"}, Resume: List{"-p", "--mode", "json", "--session", "{session}"}, Permissions: Permissions{Read: List{"--tools", "read,grep,find,ls"}, Unkept: List{"edit"}}, Settings: Settings{Files: List{".pi/"}}, Stream: "pi", ReportsCost: true, Transcripts: Transcripts{Env: "PI_CODING_AGENT_DIR", Folder: "~/.pi/agent", Files: "sessions/*/*_{session}.jsonl", Format: "pi"}, Context: Context{Counts: "input + cacheRead + cacheWrite of the last call", Percent: 100, Reserve: 16384}, Detect: Detect{Mark: "PI_CODING_AGENT"}, Notes: "At the level read it has no shell, so it cannot run handoff. Its transcripts do not have the window of a model: set windows for yours. compaction.reserveTokens in its settings.json changes how much stays free."}, true
	case "qwen":
		return Agent{Name: "qwen", Title: "Qwen Code", Tried: Tried{Version: "0.15.10", Date: "2026-11-22", What: "start, own session id, resume, levels, stream and transcript, against a scripted model"}, Program: "qwen", Version: List{"--version"}, Prompt: "stdin", Start: List{"-o", "stream-json"}, Resume: List{"-o", "stream-json", "--resume", "{session}"}, Session: List{"--session-id", "{session}"}, Permissions: Permissions{Read: List{"--approval-mode", "plan"}, Edit: List{"--approval-mode", "auto-edit"}, All: List{"--approval-mode", "yolo"}}, ACP: ACP{Command: List{"qwen", "--acp"}, Modes: Modes{Read: List{"default"}, Edit: List{"default"}, All: List{"yolo", "default"}}}, Settings: Settings{Files: List{".qwen/"}}, Stream: "qwen", Ends: Ends{Limit: []string{"free daily quota * reached", "daily quota * exceeded", "qwen oauth quota exceeded", "quota exceeded * resets"}, Temporary: []string{"request throttled", "throttling"}, Permanent: []string{"please set an auth method", "invalidapikey", "arrearage"}, TooLong: []string{"range of input length should be"}}, Transcripts: Transcripts{Folder: "~/.qwen", Files: "projects/{folder}/chats/{session}.jsonl", Format: "qwen"}, Context: Context{Counts: "promptTokenCount of the last call", Percent: 70}, Hooks: Hooks{Unit: "ms", Events: []HookEvent{
			{Event: "session-start", Native: "SessionStart", Matcher: "startup|resume|clear|compact", Envelope: "hookSpecificOutput"},
			{Event: "prompt", Native: "UserPromptSubmit", Envelope: "hookSpecificOutput"},
			{Event: "tool-use", Native: "PostToolUse", Envelope: "hookSpecificOutput"},
			{Event: "stop", Native: "Stop", Envelope: "block"},
			{Event: "subagent-start", Native: "SubagentStart", Envelope: "hookSpecificOutput"},
			{Event: "subagent-stop", Native: "SubagentStop", Envelope: "block"},
			{Event: "pre-compact", Native: "PreCompact"},
			{Event: "post-compact", Native: "PostCompact"},
			{Event: "stop-failure", Native: "StopFailure"},
			{Event: "session-end", Native: "SessionEnd"},
		}}, Detect: Detect{Order: 8, Transcript: "/.qwen/", Env: List{"QWEN_PROJECT_DIR"}}, Setup: Setup{Commands: List{"qwen"}, Folders: List{".qwen", "home:.qwen"}, Files: []SetupFile{
			{Part: "hooks", Edit: "grouped", Project: ".qwen/settings.json", User: "home:.qwen/settings.json", Handler: "{\"name\":\"handoff\",\"type\":\"command\",\"command\":$COMMAND,\"timeout\":$TIMEOUT}"},
			{Part: "server", Edit: "json", Project: ".qwen/settings.json", User: "home:.qwen/settings.json", Path: List{"mcpServers", "handoff"}, Entry: "{\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".qwen/skills", User: "home:.qwen/skills"},
		}, Plugins: []PluginSign{
			{Path: "home:.qwen/extensions/handoff"},
		}, Next: "start a new session of qwen here and trust the folder"}, Doctor: Doctor{Settings: List{".qwen/settings.json", "home:.qwen/settings.json"}, State: List{"home:.qwen/trustedFolders.json"}, Switches: []Switch{
			{Path: List{"hooksConfig", "enabled"}, Off: "false"},
			{Path: List{"disableAllHooks"}, Off: "true"},
			{Path: List{"hooksConfig", "disabled"}, Lists: true},
		}, On: "hooks are not switched off", Trust: Trust{Form: "folders", File: "home:.qwen/trustedFolders.json", Unasked: true, Settings: List{"home:.qwen/settings.json"}}}, Notes: "Not all of its transcripts have the window; its status line and its Stop hook report it."}, true
	case "vscode":
		return Agent{Name: "vscode", Title: "VS Code", Tried: Tried{What: "hooks not tried; from its documentation"}, Program: "code", Version: List{"--version"}, Prompt: "none", Stream: "text", Context: Context{Counts: "in files of its own, which handoff does not read"}, Hooks: Hooks{Runs: List{"claude"}, Events: []HookEvent{
			{Event: "session-start", Native: "SessionStart", Envelope: "hookSpecificOutput"},
			{Event: "prompt", Native: "UserPromptSubmit"},
			{Event: "tool-use", Native: "PostToolUse", Envelope: "hookSpecificOutput"},
			{Event: "stop", Native: "Stop", Envelope: "block"},
			{Event: "subagent-start", Native: "SubagentStart", Envelope: "hookSpecificOutput"},
			{Event: "subagent-stop", Native: "SubagentStop", Envelope: "block"},
			{Event: "pre-compact", Native: "PreCompact"},
		}}, Detect: Detect{Order: 2, Input: []List{{"sessionId", "hookEventName"}}}, Setup: Setup{Bases: map[string]Base{"code": {Folder: ".config/Code/User", Mac: "Library/Application Support/Code/User", Windows: "AppData/Roaming/Code/User"}, "copilot": {Env: "COPILOT_HOME", Folder: ".copilot"}}, Commands: List{"code"}, Folders: List{".vscode", "code:"}, Files: []SetupFile{
			{Part: "hooks", Edit: "flat", Project: ".github/hooks/handoff.json", User: "copilot:hooks/handoff.json", Host: "copilot", Handler: "{\"type\":\"command\",\"bash\":$COMMAND,\"powershell\":$COMMAND,\"timeoutSec\":$TIMEOUT}", With: List{"version=1"}},
			{Part: "server", Edit: "json", Project: ".vscode/mcp.json", User: "code:mcp.json", Path: List{"servers", "handoff"}, Entry: "{\"type\":\"stdio\",\"command\":\"handoff\",\"args\":[\"mcp\"]}"},
			{Part: "skill", Edit: "skill", Project: ".agents/skills", User: "home:.agents/skills"},
			{Part: "block", Edit: "block", Project: "AGENTS.md"},
		}, Next: "trust the workspace in VS Code, and start the server handoff with MCP: List Servers"}, Doctor: Doctor{Settings: List{".vscode/settings.json", "code:settings.json"}, Switches: []Switch{
			{Path: List{"chat.useHooks"}, Off: "false"},
			{Path: List{"chat.useAgentsMdFile"}, Off: "false", State: "warning", Effect: "AGENTS.md is not read"},
			{Path: List{"chat.mcp.access"}, Off: "\"none\"", State: "warning", Effect: "the MCP server does not start", Fix: "change it to \"all\""},
		}, On: "hooks are not switched off; they also need a trusted workspace"}, Notes: "Its chat is a window, so only a person can start it."}, true
	}
	return Agent{}, false
}
