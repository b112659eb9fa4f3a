package plugin_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"handoff/agents/skill"
	"handoff/document/handoff"
)

// The texts that all manifests repeat.
const (
	name      = "handoff"
	summary   = "Pass work from one agent session to the next: one-screen handoffs that are checked, claimed and delivered once"
	license   = "Apache-2.0"
	developer = "the handoff authors"
)

type author struct {
	Name string `json:"name"`
}

// manifest has the fields of all hosts; each has those that it knows. None names
// the files of its parts: they are in the places where its host looks anyway, so
// that no host finds a part twice.
type manifest struct {
	Schema      string            `json:"$schema,omitempty"`
	Name        string            `json:"name"`
	DisplayName string            `json:"displayName,omitempty"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Author      *author           `json:"author,omitempty"`
	License     string            `json:"license,omitempty"`
	Keywords    []string          `json:"keywords,omitempty"`
	Servers     map[string]server `json:"mcpServers,omitempty"`
	Interface   *listing          `json:"interface,omitempty"`
}

// listing is what Codex shows in its list of plugins.
type listing struct {
	DisplayName  string   `json:"displayName"`
	Short        string   `json:"shortDescription,omitempty"`
	Developer    string   `json:"developerName,omitempty"`
	Category     string   `json:"category,omitempty"`
	Capabilities []string `json:"capabilities,omitempty"`
}

// server is the entry of the MCP server. Only Agent Plugins has the type.
type server struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

type servers struct {
	Schema  string            `json:"$schema,omitempty"`
	Servers map[string]server `json:"mcpServers"`
}

func mcpServers(kind string) map[string]server {
	return map[string]server{name: {kind, "handoff", []string{"mcp"}}}
}

// complete is a manifest with what all hosts accept.
func complete() manifest {
	return manifest{
		Name: name, Version: handoff.Version, Description: summary, Author: &author{developer}, License: license,
		Keywords: []string{"handoff", "context", "compaction", "agents"},
	}
}

func with(change func(*manifest)) manifest {
	m := complete()
	change(&m)
	return m
}

const agentPlugins = "https://agent-plugins.org/schemas/1.0.0/"

// generated are the generated files, by their path from the root of the repository.
//
// Each host has its own folder. Claude Code, Codex, Cursor, Gemini CLI and Goose all
// look for hooks at hooks/hooks.json, and want different ones. Codex also reads a
// plugin.json of Agent Plugins, ignores its own manifest if there is one, and then
// starts the MCP server in the folder of the plugin instead of the project.
func generated(t *testing.T) map[string][]byte {
	shown := with(func(m *manifest) { m.DisplayName = name })
	native := servers{Servers: mcpServers("")}
	portable := with(func(m *manifest) { m.Schema = agentPlugins + "plugin.schema.json" })
	portableMCP := servers{agentPlugins + "mcp.schema.json", mcpServers("stdio")}
	files := map[string]any{
		".claude-plugin/marketplace.json":          marketplace("./plugin/claude"),
		"plugin/claude/.claude-plugin/plugin.json": shown,
		"plugin/claude/hooks/hooks.json":           hooksOf(t, "claude", 0, nested),
		"plugin/claude/.mcp.json":                  native,
		"plugin/claude/.lsp.json":                  map[string]any{name: languageServer()},

		".agents/plugins/marketplace.json": codexMarketplace(),
		"plugin/codex/.codex-plugin/plugin.json": with(func(m *manifest) {
			m.Interface = &listing{name, "One-screen handoffs between agent sessions", developer, "Productivity", []string{"Interactive", "Write"}}
		}),
		"plugin/codex/hooks/hooks.json": hooksOf(t, "codex", 0, forCodex),
		"plugin/codex/.mcp.json":        native,

		".cursor-plugin/marketplace.json":          marketplace("./plugin/cursor"),
		"plugin/cursor/.cursor-plugin/plugin.json": shown,
		"plugin/cursor/hooks/hooks.json":           hooksOf(t, "cursor", 1, forCursor),
		"plugin/cursor/mcp.json":                   native,

		"plugin/gemini/gemini-extension.json": manifest{Name: name, Version: handoff.Version, Description: summary, Servers: mcpServers("")},
		"plugin/gemini/hooks/hooks.json":      hooksOf(t, "gemini", 0, named),

		"plugin/goose/plugin.json":      portable,
		"plugin/goose/mcp.json":         portableMCP,
		"plugin/goose/hooks/hooks.json": hooksOf(t, "goose", 0, nested),

		".github/plugin/marketplace.json":                     marketplace("./plugin/portable"),
		"plugin/portable/plugin.json":                         portable,
		"plugin/portable/mcp.json":                            portableMCP,
		"plugin/portable/com.github.copilot/hooks/hooks.json": hooksOf(t, "copilot", 1, forCopilot),
	}
	out := map[string][]byte{"plugin/opencode/handoff.ts": []byte(skill.OpenCodePlugin)}
	for _, folder := range []string{"claude", "codex", "cursor", "gemini", "goose", "portable"} {
		out["plugin/"+folder+"/skills/"+skill.Name+"/SKILL.md"] = []byte(skill.Text())
	}
	for _, path := range []string{"claude/commands/pickup.md", "cursor/commands/handoff.md", "cursor/commands/pickup.md", "gemini/commands/handoff.toml", "gemini/commands/pickup.toml"} {
		text, ok := skill.Command(path)
		if !ok {
			t.Errorf("no command %s", path)
		}
		out["plugin/"+path] = []byte(text)
	}
	for path, v := range files {
		out[path] = encode(t, v)
	}
	return out
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// languageServer is its entry in .lsp.json.
func languageServer() any {
	return struct {
		Command   string            `json:"command"`
		Args      []string          `json:"args"`
		Languages map[string]string `json:"extensionToLanguage"`
	}{"handoff", []string{"lsp"}, map[string]string{".md": "markdown"}}
}

// marketplace lists one plugin, for Claude Code, Cursor and GitHub Copilot. Without
// its own file, Copilot would read that of Claude Code.
func marketplace(source string) any {
	type plugin struct {
		Name        string `json:"name"`
		Source      string `json:"source"`
		Description string `json:"description"`
	}
	return struct {
		Name     string            `json:"name"`
		Owner    author            `json:"owner"`
		Metadata map[string]string `json:"metadata"`
		Plugins  []plugin          `json:"plugins"`
	}{name, author{developer}, map[string]string{"description": summary}, []plugin{{name, source, summary}}}
}

func codexMarketplace() any {
	type (
		source struct {
			Source string `json:"source"`
			Path   string `json:"path"`
		}
		policy struct {
			Installation   string `json:"installation"`
			Authentication string `json:"authentication"`
		}
		plugin struct {
			Name     string `json:"name"`
			Source   source `json:"source"`
			Policy   policy `json:"policy"`
			Category string `json:"category"`
		}
	)
	return struct {
		Name      string   `json:"name"`
		Interface listing  `json:"interface"`
		Plugins   []plugin `json:"plugins"`
	}{name, listing{DisplayName: name}, []plugin{{name, source{"local", "./plugin/codex"}, policy{"AVAILABLE", "ON_USE"}, "Productivity"}}}
}
