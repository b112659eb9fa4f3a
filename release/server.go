package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// server writes server.json for the registry of MCP servers: the one in this folder, with
// the version of this release, and its wheel and bundles as further packages.
func (r *release) server(chosen []target) error {
	src, err := os.ReadFile(filepath.Join(r.source, "release/server.json"))
	if err != nil {
		return err
	}
	var server object
	if err := json.Unmarshal(src, &server); err != nil {
		return err
	}
	server["version"] = r.built.version
	npm := server["packages"].([]any)[0].(object)
	npm["version"] = r.built.version
	pypi := object{"registryType": "pypi", "runtimeHint": "uvx", "identifier": packageName, "version": pythonVersion(r.built.version)}
	for _, same := range []string{"packageArguments", "environmentVariables", "transport"} {
		pypi[same] = npm[same]
	}
	packages := []any{npm, pypi}
	for _, t := range chosen {
		name := r.stem(t) + ".mcpb"
		packages = append(packages, object{"registryType": "mcpb", "identifier": r.address(name), "fileSha256": r.sums[name], "transport": npm["transport"]})
	}
	server["packages"] = packages
	data, err := json.MarshalIndent(server, "", "  ")
	if err != nil {
		return err
	}
	return r.write("server.json", append(data, '\n'))
}
