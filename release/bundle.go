package main

import (
	"encoding/json"
	"os"
)

// bundle writes the MCP bundle of a target (manifest 0.3 of modelcontextprotocol/mcpb):
// a desktop program installs it and asks for the folder of the repository. A manifest names
// systems but no processors, so each target has a bundle.
func (r *release) bundle(t target, binary string) error {
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	src, err := json.MarshalIndent(r.bundleManifest(t), "", "  ")
	if err != nil {
		return err
	}
	packed, err := zipped("", []file{
		{name: "manifest.json", data: append(src, '\n'), mode: 0o644},
		{name: "LICENSE", data: r.page("LICENSE"), mode: 0o644},
		{name: "server/" + t.program(command), data: data, mode: 0o755},
	}, r.built.time)
	if err != nil {
		return err
	}
	return r.write(r.stem(t)+".mcpb", packed)
}

// object is JSON whose members are sorted by name.
type object = map[string]any

func (r *release) bundleManifest(t target) object {
	program := "server/" + t.program(command)
	return object{
		"manifest_version": "0.3",
		"name":             packageName,
		"display_name":     "Handoff",
		"version":          r.built.version,
		"description":      summary,
		"author":           object{"name": authors},
		"repository":       object{"type": "git", "url": homepage + ".git"},
		"homepage":         homepage,
		"license":          licence,
		"tools_generated":  true, // a client asks the server for its tools
		"compatibility":    object{"platforms": []string{nodeName(t.system)}},
		"server": object{
			"type":        "binary",
			"entry_point": program,
			"mcp_config":  object{"command": "${__dirname}/" + program, "args": []string{"mcp", "-C", "${user_config.folder}"}},
		},
		"user_config": object{
			"folder": object{"type": "directory", "title": "Repository", "description": "Folder of the repository whose handoffs are read and written", "required": true},
		},
	}
}
