package plugin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"handoff/agents/setup"
)

// TestHooksOfSetup: setup writes the hooks that the plugin has.
func TestHooksOfSetup(t *testing.T) {
	for name, want := range map[string]struct{ settings, hooks string }{
		"claude":  {".claude/settings.json", "plugin/claude/hooks/hooks.json"},
		"codex":   {".codex/hooks.json", "plugin/codex/hooks/hooks.json"},
		"copilot": {".github/hooks/handoff.json", "plugin/portable/com.github.copilot/hooks/hooks.json"},
		"cursor":  {".cursor/hooks.json", "plugin/cursor/hooks/hooks.json"},
		"gemini":  {".gemini/settings.json", "plugin/gemini/hooks/hooks.json"},
		"goose":   {".agents/plugins/handoff/hooks/hooks.json", "plugin/goose/hooks/hooks.json"},
	} {
		project := t.TempDir()
		plan, err := setup.Make(setup.Request{Hosts: []string{name}, Project: project, Machine: setup.Machine{Home: t.TempDir(), Getenv: func(string) string { return "" }}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Apply(); err != nil {
			t.Fatal(err)
		}
		settings, err := os.ReadFile(filepath.Join(project, want.settings))
		if err != nil {
			t.Fatal(err)
		}
		if inSettings, inPlugin := hooksIn(t, settings), hooksIn(t, read(t, want.hooks)); !reflect.DeepEqual(inSettings, inPlugin) {
			t.Errorf("%s: setup writes %v, the plugin has %v", name, inSettings, inPlugin)
		}
	}
}

func hooksIn(t *testing.T, src []byte) (hooks map[string]any) {
	t.Helper()
	var file struct{ Hooks map[string]any }
	if err := json.Unmarshal(src, &file); err != nil || len(file.Hooks) == 0 {
		t.Fatalf("%v\n%s", err, src)
	}
	return file.Hooks
}
