package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"path"
	"strings"
	"text/template"
)

//go:embed channels
var channels embed.FS

// row is an archive in the table from which the files of package managers are made.
type row struct {
	target
	Folder, File, URL, SHA256 string
}

// System and Arch are Go's names; the others are those of package managers.
func (a row) System() string { return a.system }
func (a row) Arch() string   { return a.arch }
func (a row) Python() string {
	return map[string]string{"amd64": "x86_64", "arm64": "aarch64", "arm": "armv7l"}[a.arch]
}
func (a row) Node() string { return nodeName(a.arch) }

// table is what a template gets.
type table struct {
	Name, Command, Class, Owner, Repository, Homepage, Version, Summary, License, Authors, Downloads string
	rows                                                                                             []row
}

// On returns the rows of a system.
func (t table) On(system string) (list []row) {
	for _, a := range t.rows {
		if a.system == system {
			list = append(list, a)
		}
	}
	return list
}

func (r *release) table(chosen []target) table {
	t := table{Name: packageName, Command: command, Owner: owner, Repository: path.Base(repository), Homepage: homepage, Version: r.built.version,
		Summary: summary, License: licence, Authors: authors, Downloads: strings.TrimSuffix(r.url, "/")}
	for word := range strings.SplitSeq(packageName, "-") {
		t.Class += strings.ToUpper(word[:1]) + word[1:]
	}
	for _, c := range chosen {
		name := r.stem(c) + ending(c)
		t.rows = append(t.rows, row{target: c, Folder: r.stem(c), File: name, URL: r.address(name), SHA256: r.sums[name]})
	}
	return t
}

// written are the files that are made from templates, by the template. A file without
// a target of its systems is left out.
var written = []struct{ name, from, system string }{
	{packageName + ".rb", "formula.rb", ""},
	{packageName + ".json", "scoop.json", "windows"},
	{owner + "." + command + ".yaml", "winget.yaml", "windows"},
	{owner + "." + command + ".installer.yaml", "winget.installer.yaml", "windows"},
	{owner + "." + command + ".locale.en-US.yaml", "winget.locale.yaml", "windows"},
	{"mise.toml", "mise.toml", ""},
	{"aqua-registry.yaml", "aqua.yaml", ""},
	{"install.sh", "install.sh", ""},
}

// channels writes the files with which package managers find the archives.
func (r *release) channels(chosen []target) error {
	t := r.table(chosen)
	for _, w := range written {
		if w.system != "" && t.On(w.system) == nil {
			continue
		}
		src, err := t.fill(w.from)
		if err == nil {
			err = r.write(w.name, src)
		}
		if err != nil {
			return err
		}
	}
	if err := r.packed("flake.tar.gz", "flake", t, "flake.nix"); err != nil {
		return err
	}
	return r.packed("devcontainer-feature-"+packageName+".tgz", "", t, "devcontainer-feature.json", "install.sh")
}

// packed writes a tar.gz of filled templates.
func (r *release) packed(name, folder string, t table, from ...string) error {
	var list []file
	for _, f := range from {
		src, err := t.fill(f)
		if err != nil {
			return err
		}
		list = append(list, file{name: f, data: src, mode: 0o755})
	}
	data, err := tarball(folder, list, r.built.time)
	if err != nil {
		return err
	}
	return r.write(name, data)
}

// fill executes a template of the folder channels.
func (t table) fill(name string) ([]byte, error) {
	quote := func(s string) (string, error) { // JSON's strings are also those of YAML, TOML, Ruby and Nix, as far as these texts go
		src, err := json.Marshal(s)
		return string(src), err
	}
	filled, err := template.New(name).Delims("[[", "]]").Funcs(template.FuncMap{"quote": quote}).ParseFS(channels, "channels/"+name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = filled.Execute(&b, t)
	return b.Bytes(), err
}
