package setup

import (
	"handoff"
	"handoff/agents/host"
	"handoff/agents/setup/edit"
	"handoff/agents/skill"
	"handoff/internal/text/managed"
)

// Kind is what a part of an installation is for.
type Kind string

// The kinds.
const (
	Hooks  Kind = "hooks"
	Server Kind = "MCP server"
	Skill  Kind = "skill"
	Rules  Kind = "block"  // for agents that read AGENTS.md
	Plugin Kind = "plugin" // a file with code
)

// program is how `handoff` is installed for one host.
type program struct {
	name     string   // as in package host
	commands []string // any of them on PATH shows that the host is installed
	folders  []string // or any of these folders
	parts    []part
	plugins  []plugin // how its own plugin of handoff is recognised
	shares   []string // programs whose hooks it runs, too
	next     string   // what the user has to do

	inWorktree string // what else in a linked worktree
}

// part is one edit of one file. A path is relative to the project, or begins with a
// name of base and a colon. "" means that the host has no such file.
type part struct {
	kind          Kind
	project, user string
	edit          edit.Edit
	also          string    // another file of the project that the host reads in the same form; it is never written
	or            [2]string // files that are written instead if they exist
}

// plugin is a sign that the plugin of handoff is installed: a folder or file that
// exists (a glob), or a member of settings in JSON or TOML with a name that begins
// with "handoff@" and is switched on.
type plugin struct {
	path   string
	member string
}

// The forms of one hook in settings.
const (
	plainHandler   = `{"command":$COMMAND,"timeout":$TIMEOUT}`
	typedHandler   = `{"type":"command","command":$COMMAND,"timeout":$TIMEOUT}`
	namedHandler   = `{"name":"handoff","type":"command","command":$COMMAND,"timeout":$TIMEOUT}`
	copilotHandler = `{"type":"command","bash":$COMMAND,"powershell":$COMMAND,"timeoutSec":$TIMEOUT}`
	kiroHandler    = `{"command":$COMMAND,"timeout_ms":$TIMEOUT}`
)

const stdioServer = `{"command":"handoff","args":["mcp"]}`

// programs lists all hosts. Claude Code is first, because others run its hooks, too.
func programs() []program {
	return []program{
		{
			name: "claude", commands: []string{"claude"}, folders: []string{".claude", "claude:"},
			parts: []part{
				{kind: Hooks, project: ".claude/settings.json", user: "claude:settings.json", edit: grouped("claude", typedHandler), also: ".claude/settings.local.json"},
				server(".mcp.json", "claude.json:.claude.json", stdioServer, "mcpServers", "handoff"),
				skillFile(".claude/skills", "claude:skills"),
				rules(""),
			},
			plugins: []plugin{{"claude:settings.json", "enabledPlugins"}, {".claude/settings.json", "enabledPlugins"}, {".claude/settings.local.json", "enabledPlugins"}},
			next:    "start a new session of claude here, trust the folder and approve the MCP server",
		},
		{
			name: "codex", commands: []string{"codex"}, folders: []string{".codex", "codex:"},
			parts: []part{
				{kind: Hooks, project: ".codex/hooks.json", user: "codex:hooks.json", edit: grouped("codex", typedHandler)},
				{kind: Server, project: ".codex/config.toml", user: "codex:config.toml", edit: edit.Codex{}},
				skillFile(".agents/skills", "home:.agents/skills"),
				rules("codex:AGENTS.md"),
			},
			plugins: []plugin{{"codex:config.toml", "plugins"}},
			next:    "start codex here, trust the folder, and trust the hooks with /hooks: Codex runs none before that",

			inWorktree: "; in a linked worktree it reads the hooks of the main checkout: run this there, too",
		},
		{
			name: "gemini", commands: []string{"gemini"}, folders: []string{".gemini", "gemini:"},
			parts: []part{
				{kind: Hooks, project: ".gemini/settings.json", user: "gemini:settings.json", edit: grouped("gemini", namedHandler)},
				server(".gemini/settings.json", "gemini:settings.json", stdioServer, "mcpServers", "handoff"),
				skillFile(".agents/skills", "home:.agents/skills"),
			},
			plugins: []plugin{{"gemini:extensions/handoff", ""}, {".gemini/extensions/handoff", ""}},
			next:    "start gemini here and trust the folder",
		},
		{
			name: "opencode", commands: []string{"opencode"}, folders: []string{".opencode", "config:opencode"},
			parts: []part{
				{kind: Plugin, project: ".opencode/plugins/handoff.ts", user: "config:opencode/plugins/handoff.ts", edit: edit.Whole{Content: skill.OpenCodePlugin, Start: "// "}},
				openCodeServer(),
				skillFile(".agents/skills", "home:.agents/skills"),
				rules("config:opencode/AGENTS.md"),
			},
			next: "start a new session of opencode here",
		},
		{
			name: "cursor", commands: []string{"cursor-agent", "cursor"}, folders: []string{".cursor", "home:.cursor"},
			parts: []part{
				{kind: Hooks, project: ".cursor/hooks.json", user: "home:.cursor/hooks.json", edit: flat("cursor", plainHandler, edit.Member{Name: "version", JSON: "1"})},
				server(".cursor/mcp.json", "home:.cursor/mcp.json", stdioServer, "mcpServers", "handoff"),
				skillFile(".agents/skills", "home:.agents/skills"),
				rules(""),
			},
			plugins: []plugin{{"home:.cursor/plugins/*/handoff", ""}},
			shares:  []string{"claude"},
			next:    "start a new chat in Cursor, and switch on the MCP server in its settings",
		},
		{
			name: "copilot", commands: []string{"copilot"}, folders: []string{".github/hooks", ".github/copilot", "copilot:"},
			parts: []part{
				copilotHooks(),
				server(".mcp.json", "copilot:mcp-config.json", stdioServer, "mcpServers", "handoff"),
				skillFile(".agents/skills", "home:.agents/skills"),
				rules(""),
			},
			plugins: []plugin{{"copilot:installed-plugins/*/handoff", ""}},
			shares:  []string{"claude"},
			next:    "start copilot here and trust the folder (with -p, set GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS)",
		},
		{
			name: "vscode", commands: []string{"code"}, folders: []string{".vscode", "code:"},
			parts: []part{
				copilotHooks(),
				server(".vscode/mcp.json", "code:mcp.json", `{"type":"stdio","command":"handoff","args":["mcp"]}`, "servers", "handoff"),
				skillFile(".agents/skills", "home:.agents/skills"),
				rules(""),
			},
			shares: []string{"claude"},
			next:   "trust the workspace in VS Code, and start the server handoff with MCP: List Servers",
		},
		{
			name: "qwen", commands: []string{"qwen"}, folders: []string{".qwen", "home:.qwen"},
			parts: []part{
				{kind: Hooks, project: ".qwen/settings.json", user: "home:.qwen/settings.json", edit: grouped("qwen", namedHandler)},
				server(".qwen/settings.json", "home:.qwen/settings.json", stdioServer, "mcpServers", "handoff"),
				skillFile(".qwen/skills", "home:.qwen/skills"),
			},
			plugins: []plugin{{"home:.qwen/extensions/handoff", ""}},
			next:    "start a new session of qwen here and trust the folder",
		},
		{
			name: "goose", commands: []string{"goose"}, folders: []string{".goose", "config:goose"},
			parts: []part{
				{kind: Hooks, project: ".agents/plugins/handoff/hooks/hooks.json", user: "home:.agents/plugins/handoff/hooks/hooks.json", edit: grouped("goose", typedHandler)},
				{kind: Plugin, project: ".agents/plugins/handoff/plugin.json", user: "home:.agents/plugins/handoff/plugin.json", edit: edit.Exact{Content: goosePlugin, Version: versionLine}},
				// It starts in the folder of the plugin, from where it finds only a project around that.
				{kind: Server, project: ".agents/plugins/handoff/mcp.json", edit: edit.Exact{Content: gooseServer}},
				skillFile(".agents/skills", "home:.agents/skills"),
				rules(""),
			},
			next: "start a new session of goose here (for all projects, add the MCP server with `goose configure`)",
		},
		{
			name: "crush", commands: []string{"crush"}, folders: []string{".crush", "config:crush"},
			parts: []part{
				{kind: Hooks, project: "crush.json", user: "config:crush/crush.json", edit: flat("crush", plainHandler), or: [2]string{".crush.json"}},
				crushServer(),
				skillFile(".agents/skills", "home:.agents/skills"),
				rules(""),
			},
			next: "start a new session of crush here",
		},
		{
			name: "kiro", commands: []string{"kiro-cli", "kiro"}, folders: []string{".kiro", "home:.kiro"},
			parts: []part{
				{kind: Hooks, project: ".kiro/agents/handoff.json", user: "home:.kiro/agents/handoff.json", edit: flat("kiro", kiroHandler,
					edit.Member{Name: "name", JSON: `"handoff"`},
					edit.Member{Name: "description", JSON: `"Continues and leaves handoffs"`},
					edit.Member{Name: "tools", JSON: `["*"]`},
					edit.Member{Name: "includeMcpJson", JSON: "true"},
				)},
				server(".kiro/settings/mcp.json", "home:.kiro/settings/mcp.json", stdioServer, "mcpServers", "handoff"),
				skillFile(".kiro/skills", "home:.kiro/skills"),
				rules(""),
			},
			next: "start `kiro-cli chat --agent handoff`: Kiro has hooks only in agents; for another one, copy hooks from .kiro/agents/handoff.json",
		},
		{
			name: "amp", commands: []string{"amp"}, folders: []string{".amp", "config:amp"},
			parts: []part{
				server(".amp/settings.json", "config:amp/settings.json", stdioServer, "amp.mcpServers", "handoff"),
				skillFile(".agents/skills", "home:.agents/skills"),
				rules("config:amp/AGENTS.md"),
			},
			next: "start a new session of amp here, and approve the MCP server",
		},
	}
}

const versionLine = `  "version": `

const goosePlugin = `{
  "$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
  "name": "handoff",
` + versionLine + `"` + handoff.Version + `",
  "description": "Hands work from one agent session to the next"
}
`

const gooseServer = `{
  "$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
  "mcpServers": {
    "handoff": {
      "type": "stdio",
      "command": "handoff",
      "args": ["mcp"]
    }
  }
}
`

func grouped(name, handler string) edit.Hooks {
	h, _ := host.Named(name) // TestTable has all names
	return edit.Hooks{Host: h, Handler: handler, Grouped: true}
}

func flat(name, handler string, with ...edit.Member) edit.Hooks {
	h, _ := host.Named(name)
	return edit.Hooks{Host: h, Handler: handler, With: with}
}

// copilotHooks is a file that Copilot and VS Code read.
func copilotHooks() part {
	return part{kind: Hooks, project: ".github/hooks/handoff.json", user: "copilot:hooks/handoff.json", edit: flat("copilot", copilotHandler, edit.Member{Name: "version", JSON: "1"})}
}

func server(project, user, entry string, path ...string) part {
	return part{kind: Server, project: project, user: user, edit: edit.Server{Path: path, Entry: entry}}
}

func skillFile(project, user string) part {
	const file = "/" + skill.Name + "/SKILL.md"
	return part{kind: Skill, project: project + file, user: user + file, edit: edit.Whole{Content: skill.Text(), Start: "<!-- ", End: " -->"}}
}

func rules(user string) part {
	return part{kind: Rules, project: "AGENTS.md", user: user, edit: edit.Block{Block: managed.Block{Begin: skill.BlockBegin, End: skill.BlockEnd}, Lines: skill.Block()}}
}

const openCodeEntry = `{"type":"local","command":["handoff","mcp"],"enabled":true}`

// openCodeServer also writes $schema, because OpenCode would add it to a file without it,
// and it would remain after the server is removed.
func openCodeServer() part {
	return part{
		kind: Server, project: "opencode.json", user: "config:opencode/opencode.json", or: [2]string{"opencode.jsonc", "config:opencode/opencode.jsonc"},
		edit: edit.Server{Path: []string{"mcp", "handoff"}, Entry: openCodeEntry, With: []edit.Member{{Name: "$schema", JSON: `"https://opencode.ai/config.json"`}}},
	}
}

func crushServer() part {
	p := server("crush.json", "config:crush/crush.json", `{"type":"stdio","command":"handoff","args":["mcp"]}`, "mcp", "handoff")
	p.or = [2]string{".crush.json"}
	return p
}
