package setup_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"handoff/agents/host"
)

// TestAnyOrder installs some hosts one by one, into files of the user, and removes
// them in another order: everything is as it was before.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	theirs := map[string]string{
		"project/.claude/settings.json":  "{\r\n\t// mine\r\n\t\"hooks\": {\"Stop\": [],},\r\n}",
		"project/.mcp.json":              "{ }",
		"project/.gemini/settings.json":  "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"command\": \"mine\"}]}]}}",
		"project/.codex/config.toml":     "[features]",
		"project/.codex/hooks.json":      "{\n  \"hooks\": {\n  }\n}\n",
		"project/opencode.json":          "{\"mcp\": {}}\n",
		"project/AGENTS.md":              "# Mine",
		"project/.cursor/hooks.json":     "{\n    \"version\": 1,\n    \"hooks\": {}\n}\n",
		"project/.github/hooks/a.json":   "{}",
		"home/.claude.json":              "{\"projects\": {}}",
		"home/.codex/config.toml":        "model = \"x\"\n",
		"home/.copilot/mcp-config.json":  "{\"mcpServers\": {}}",
		"home/.qwen/settings.json":       "{\n\t\"a\": 1\n}",
		"home/.config/crush/crush.json":  "{}\n",
		"home/.config/amp/settings.json": "{\n  // \"amp.mcpServers\": {}\n}\n",
	}
	for seed := range uint64(10) { // few, because each write is fsynced
		r := rand.New(rand.NewPCG(seed, 0))
		tr := newTree(t, nil)
		for _, name := range slices.Sorted(maps.Keys(theirs)) {
			if r.IntN(2) == 0 {
				tr.write(name, theirs[name])
			}
		}
		before := tr.files()
		type installed struct {
			host string
			user bool
		}
		var done []installed
		for _, i := range r.Perm(len(host.Names()))[:5] {
			name := host.Names()[i]
			req := tr.request(name)
			req.User = r.IntN(2) == 0
			with := tr.files()
			if _, err := tr.run(req); err != nil { // claude, after a host that runs its hooks
				if name != "claude" || !maps.Equal(tr.files(), with) {
					t.Fatalf("seed %d: %s: %v", seed, name, err)
				}
				continue
			}
			done = append(done, installed{name, req.User})
		}
		for _, i := range r.Perm(len(done)) {
			in := done[i]
			req := removing(tr.request(in.host))
			req.User = in.user
			if _, err := tr.run(req); err != nil {
				t.Fatalf("seed %d: %+v: %v", seed, in, err)
			}
		}
		if after := tr.files(); !maps.Equal(after, before) {
			t.Fatalf("seed %d: %q\nwas %q", seed, after, before)
		}
	}
}
