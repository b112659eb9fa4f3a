package setup_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

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
	rapid.Check(t, func(r *rapid.T) {
		tr := newTree(t, nil)
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(theirs))), rapid.ID[string]).Draw(r, "files") {
			tr.write(name, theirs[name])
		}
		before := tr.files()
		type installed struct {
			host string
			user bool
		}
		var done []installed
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(host.Names()), 1, 3, rapid.ID[string]).Draw(r, "hosts") {
			req := tr.request(name)
			req.User = rapid.Bool().Draw(r, "user")
			with := tr.files()
			if _, err := tr.run(req); err != nil { // claude, after a host that runs its hooks
				if name != "claude" || !maps.Equal(tr.files(), with) {
					r.Fatalf("%s: %v", name, err)
				}
				continue
			}
			done = append(done, installed{name, req.User})
			with = tr.files()
			if _, err := tr.run(req); err != nil || !maps.Equal(tr.files(), with) {
				r.Fatalf("%s twice: %v", name, err)
			}
		}
		for _, in := range rapid.Permutation(done).Draw(r, "removed") {
			req := removing(tr.request(in.host))
			req.User = in.user
			if _, err := tr.run(req); err != nil {
				r.Fatal(err)
			}
		}
		if after := tr.files(); !maps.Equal(after, before) {
			r.Fatalf("%q\nwas %q", after, before)
		}
	})
}
