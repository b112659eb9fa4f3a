package plugin_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"handoff/document/handoff"
)

// TestAgentPlugins checks the portable manifests against Agent Plugins 1.0.0
// (agent-plugins.org/specification, sections 5 and 7.2). Its schemas are closed: a
// client rejects the plugin, or its MCP server, for one unknown field.
func TestAgentPlugins(t *testing.T) {
	validName := regexp.MustCompile(`^[a-z0-9]([a-z0-9]|[.-][a-z0-9])*$`)
	for _, folder := range []string{"goose", "portable"} {
		var plugin struct {
			Schema                                                    string `json:"$schema"`
			Name, Version, Description, Homepage, Repository, License string
			Author                                                    struct{ Name, Email, URL string }
			Keywords                                                  []string
			Extensions                                                map[string]map[string]any
		}
		closed(t, "plugin/"+folder+"/plugin.json", &plugin)
		if plugin.Schema != "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json" || !validName.MatchString(plugin.Name) || len(plugin.Name) > 64 {
			t.Errorf("%s: schema %q, name %q", folder, plugin.Schema, plugin.Name)
		}
		var mcp struct {
			Schema     string `json:"$schema"`
			MCPServers map[string]struct {
				Type, Command, Cwd string
				Args               []string
				Env                map[string]string
			}
		}
		closed(t, "plugin/"+folder+"/mcp.json", &mcp)
		s := mcp.MCPServers["handoff"]
		if mcp.Schema != "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json" || s.Type != "stdio" || s.Command != "handoff" || !slices.Equal(s.Args, []string{"mcp"}) {
			t.Errorf("%s: %+v", folder, mcp)
		}
	}
}

// TestCursorManifest checks the fields against Cursor's schema, which is closed too
// (cursor.com/schemas/cursor-plugin/plugin.json, of the fields there those that are texts).
func TestCursorManifest(t *testing.T) {
	var plugin struct {
		Name, DisplayName, Version, Description, Publisher, Homepage, Repository, License, Logo, Category string
		Author                                                                                            struct{ Name, Email string }
		Keywords                                                                                          []string
	}
	closed(t, "plugin/cursor/.cursor-plugin/plugin.json", &plugin)
	if plugin.Name == "" || plugin.Author.Name == "" {
		t.Errorf("%+v", plugin)
	}
}

// TestManifestVersions: all manifests have the version of the project.
func TestManifestVersions(t *testing.T) {
	for _, path := range []string{"claude/.claude-plugin/plugin.json", "codex/.codex-plugin/plugin.json", "cursor/.cursor-plugin/plugin.json",
		"gemini/gemini-extension.json", "goose/plugin.json", "portable/plugin.json"} {
		var plugin struct{ Name, Version string }
		if err := json.Unmarshal(read(t, "plugin/"+path), &plugin); err != nil || plugin.Name != "handoff" || plugin.Version != handoff.Version {
			t.Errorf("%s: %+v, %v", path, plugin, err)
		}
	}
}

// closed reads a file into a value that has all of its fields.
func closed(t *testing.T, path string, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(read(t, path)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return src
}
