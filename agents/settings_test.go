package agents_test

import (
	"testing"

	"handoff/agents"
)

func TestIsSetting(t *testing.T) {
	for path, want := range map[string]bool{
		".claude/settings.json": true, ".claude/settings.local.json": true, ".claude/hooks/a.sh": true, ".claude/skills/x/SKILL.md": true, ".mcp.json": true,
		".gemini/settings.json": true, ".gemini/.env": true, ".codex/config.toml": true, ".codex": true, ".opencode/plugins/x.ts": true, ".agents/opencode/handoff.ts": true, "opencode.json": true,
		".cursor/mcp.json": true, ".vscode/tasks.json": true, ".handoff.yaml": true, ".handoff/agents/claude.yaml": true, ".handoff/relays/x.jsonl": true,
		".envrc": true, ".husky/pre-commit": true, "lefthook.yml": true, "lefthook-local.yml": true, ".pre-commit-config.yaml": true, ".github/hooks/handoff.json": true,
		".agents/plugins/handoff/hooks/hooks.json": true, "crush.json": true, ".kiro/agents/handoff.json": true, ".qwen/settings.json": true,
		".git/config": true, ".git": true, "sub/.git/hooks/x": true,
		"sub/.claude/settings.json": true, ".Claude/Settings.json": true, ".claude": true, ".github": true, "a/../.mcp.json": true,
		"main.go": false, "specs/1_x/handoffs/phase-1-handoff-20260212T143022Z.md": false, "CLAUDE.md": false, "AGENTS.md": false, ".claude/notes.md": false,
		".github/workflows/ci.yml": false, ".gitignore": false, "mcp.json": false, "src/settings.json": false, "opencode.jsonx": false, ".": false,
	} {
		if got := agents.IsSetting(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
