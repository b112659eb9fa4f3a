package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
)

//go:embed shim.js
var shim []byte

// node are npm's names of systems and processors.
var node = map[string]string{"windows": "win32", "amd64": "x64"}

func nodeName(name string) string {
	if n, ok := node[name]; ok {
		return n
	}
	return name
}

// npmName is the npm package with the binary of a target.
func npmName(t target) string {
	return packageName + "-" + nodeName(t.system) + "-" + nodeName(t.arch)
}

// manifest is package.json. The order of its fields is that of the file.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Homepage    string            `json:"homepage"`
	Repository  map[string]string `json:"repository"`        // npm compares it with the workflow that publishes
	MCPName     string            `json:"mcpName,omitempty"` // name of the server in the MCP registry, which compares it
	Bin         map[string]string `json:"bin,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Files       []string          `json:"files"`
}

func (r *release) manifest(name string) manifest {
	return manifest{Name: name, Version: r.built.version, License: licence, Description: summary, Homepage: homepage,
		Repository: map[string]string{"type": "git", "url": "git+" + homepage + ".git"}}
}

// npmBinary writes the package with the binary of one target. npm installs it only where
// os and cpu are those of the machine.
func (r *release) npmBinary(t target, binary string) error {
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	m := r.manifest(npmName(t))
	m.OS, m.CPU, m.Files = []string{nodeName(t.system)}, []string{nodeName(t.arch)}, []string{"bin"}
	return r.npmPack(m, file{name: "bin/" + t.program(command), data: data, mode: 0o755})
}

// npmShim writes the package that users name. It has no script that runs at installation.
func (r *release) npmShim(chosen []target) error {
	m := r.manifest(packageName)
	m.Bin = map[string]string{command: "bin/handoff.js", packageName: "bin/handoff.js"}
	m.Files, m.Optional = []string{"bin"}, map[string]string{}
	var err error
	if m.MCPName, err = r.mcpName(); err != nil {
		return err
	}
	for _, t := range chosen {
		m.Optional[npmName(t)] = r.built.version
	}
	return r.npmPack(m, file{name: "bin/handoff.js", data: shim, mode: 0o755})
}

// mcpName is the name in release/server.json.
func (r *release) mcpName() (string, error) {
	var server struct{ Name string }
	src, err := os.ReadFile(filepath.Join(r.source, "release/server.json"))
	if err == nil {
		err = json.Unmarshal(src, &server)
	}
	return server.Name, err
}

// npmPack writes the tarball of a package, as `npm publish` and `npm install` take it.
func (r *release) npmPack(m manifest, f file) error {
	src, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	data, err := tarball("package", []file{
		{name: "package.json", data: append(src, '\n'), mode: 0o644}, f,
		{name: "LICENSE", data: r.page("LICENSE"), mode: 0o644},
		{name: "README.md", data: []byte(about), mode: 0o644},
	}, r.built.time)
	if err != nil {
		return err
	}
	return r.write(m.Name+"-"+r.built.version+".tgz", data)
}
