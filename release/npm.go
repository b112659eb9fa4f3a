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
func (r *release) npmName(t target) string {
	return r.npm + "-" + nodeName(t.system) + "-" + nodeName(t.arch)
}

// manifest is package.json. The order of its fields is that of the file.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	MCPName     string            `json:"mcpName,omitempty"` // name of the server in the MCP registry, which compares it
	Bin         map[string]string `json:"bin,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Files       []string          `json:"files"`
}

func (r *release) manifest(name string) manifest {
	return manifest{Name: name, Version: r.built.version, License: "Apache-2.0",
		Description: "pass an agent's work to the next one: write, check and read one-screen handoffs"}
}

// npmBinary writes the package with the binary of one target. npm installs it only where
// os and cpu are those of the machine.
func (r *release) npmBinary(t target, binary string) error {
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	name := "handoff"
	if t.system == "windows" {
		name += ".exe"
	}
	m := r.manifest(r.npmName(t))
	m.OS, m.CPU, m.Files = []string{nodeName(t.system)}, []string{nodeName(t.arch)}, []string{"bin"}
	return r.npmPack(m, file{"bin/" + name, data, 0o755})
}

// npmShim writes the package that users name. It has no script that runs at installation.
func (r *release) npmShim(chosen []target) error {
	m := r.manifest(r.npm)
	m.Bin, m.Files, m.Optional = map[string]string{"handoff": "bin/handoff.js"}, []string{"bin"}, map[string]string{}
	var err error
	if m.MCPName, err = r.mcpName(); err != nil {
		return err
	}
	for _, t := range chosen {
		m.Optional[r.npmName(t)] = r.built.version
	}
	return r.npmPack(m, file{"bin/handoff.js", shim, 0o755})
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
	data, err := tarball("package", []file{{"package.json", append(src, '\n'), 0o644}, f, r.pages[0]}, r.built.time)
	if err != nil {
		return err
	}
	return r.write(m.Name+"-"+r.built.version+".tgz", data)
}
