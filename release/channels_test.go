package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// texts are the files that package managers read, by name, also those inside an archive.
func texts(t *testing.T, full *release) map[string][]byte {
	t.Helper()
	list := map[string][]byte{"server.json": read(t, filepath.Join(full.out, "server.json"))}
	for _, w := range written {
		list[w.name] = read(t, filepath.Join(full.out, w.name))
	}
	for _, name := range []string{"flake.tar.gz", "devcontainer-feature-" + packageName + ".tgz"} {
		for entry, text := range entries(t, read(t, filepath.Join(full.out, name)), true) {
			list[filepath.Base(entry)] = text
		}
	}
	return list
}

// which are the systems whose archives a file lists: all, or those that it is for.
var which = map[string]func(t target) bool{
	packageName + ".rb":                       func(t target) bool { return t.system != "windows" && t.arch != "arm" },
	packageName + ".json":                     func(t target) bool { return t.system == "windows" },
	owner + "." + command + ".installer.yaml": func(t target) bool { return t.system == "windows" },
	"mise.toml":                               func(t target) bool { return t.arch != "arm" },
	"install.sh":                              func(t target) bool { return t.system != "windows" },
	"flake.nix":                               func(t target) bool { return t.system != "windows" },
}

var (
	hashes    = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	addresses = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[^"\s]*?(\.tar\.gz|\.zip|\.mcpb)`)
)

// checkChannels: each file has the hash of each archive that it is for and no other, each
// address is that of a file of the release, and what can be parsed here is.
func checkChannels(t *testing.T, full *release) {
	list := texts(t, full)
	for name, wants := range which {
		text, want := string(list[name]), map[string]bool{}
		for _, target := range targets {
			if wants(target) {
				want[full.sums[full.stem(target)+ending(target)]] = true
			}
		}
		for _, sum := range hashes.FindAllString(text, -1) {
			if !want[sum] {
				t.Errorf("%s has %s, which is no archive for it", name, sum)
			}
		}
		for sum := range want {
			if !strings.Contains(text, sum) {
				t.Errorf("%s lacks %s", name, sum)
			}
		}
	}
	for name, text := range list {
		for _, address := range addresses.FindAllString(string(text), -1) {
			if !strings.Contains(address, "$folder") && full.sums[filepath.Base(address)] == "" {
				t.Errorf("%s names %s, which is not in the release", name, address)
			}
		}
		if bytes.Contains(text, []byte("[[.")) || bytes.Contains(text, []byte("<no value>")) || len(text) < 100 {
			t.Errorf("%s is not filled:\n%s", name, text)
		}
		checkSyntax(t, name, text)
	}
}

// checkSyntax parses a file. Ruby and Nix are asked where they are installed.
func checkSyntax(t *testing.T, name string, text []byte) {
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var parsed any
	switch filepath.Ext(name) {
	case ".json":
		if err := json.Unmarshal(text, &parsed); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	case ".yaml":
		if err := yaml.Unmarshal(text, &parsed); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	case ".sh":
		run(t, ".", "sh", "-n", file)
	case ".rb", ".nix":
		parser := map[string][]string{".rb": {"ruby", "-c"}, ".nix": {"nix-instantiate", "--parse"}}[filepath.Ext(name)]
		if path, err := exec.LookPath(parser[0]); err == nil {
			run(t, ".", path, parser[1], file)
		}
	}
}

// TestNames: other files name the package only as name.go does, and the workflow runs the script that is tested.
func TestNames(t *testing.T) {
	for _, name := range []string{"about.md", "server.json", "../docs/install.md", "../README.md", "../docs/plugins.md"} {
		text := string(read(t, name))
		if !strings.Contains(text, packageName) && name != "../README.md" {
			t.Errorf("%s does not name %s", name, packageName)
		}
		for _, other := range []string{"handoff-cli", "npx handoff ", "uvx handoff ", "pip install handoff\n"} {
			if strings.Contains(text, other) {
				t.Errorf("%s has %q", name, other)
			}
		}
	}
	var server struct{ Name string }
	if err := json.Unmarshal(read(t, "server.json"), &server); err != nil || server.Name != "io.github."+repository {
		t.Errorf("server.json has the name %q, %v", server.Name, err)
	}
	if !strings.Contains(about, "mcp-name: "+server.Name+" ") {
		t.Errorf("about.md lacks the name %s, which the registry looks for on PyPI", server.Name)
	}
}

// TestWorkflow: a pushed tag runs the script with --publish, with the permissions that it needs, and then publishes the site.
func TestWorkflow(t *testing.T) {
	var w struct {
		On   struct{ Push struct{ Tags []string } }
		Jobs map[string]struct {
			Needs       string
			Permissions map[string]string
			Steps       []struct{ Uses, Run string }
		}
	}
	if err := yaml.Unmarshal(read(t, "../.github/workflows/release.yml"), &w); err != nil {
		t.Fatal(err)
	}
	job := w.Jobs["release"]
	if len(w.On.Push.Tags) != 1 || job.Permissions["id-token"] != "write" || job.Permissions["contents"] != "write" || len(w.Jobs) != 2 {
		t.Errorf("%+v", w)
	}
	if last := job.Steps[len(job.Steps)-1]; !strings.HasPrefix(last.Run, "release/release.sh --publish ") {
		t.Errorf("the last step is %+v", last)
	}
	site := w.Jobs["site"]
	if n := len(site.Steps); site.Needs != "release" || site.Permissions["contents"] != "read" || n < 3 ||
		!strings.Contains(site.Steps[n-3].Run, "go run . --site ") || !strings.HasPrefix(site.Steps[n-1].Uses, "actions/deploy-pages@") {
		t.Errorf("the site is not published after the release: %+v", site)
	}
	for _, s := range append(job.Steps, site.Steps...) {
		if s.Uses != "" && !strings.HasPrefix(s.Uses, "actions/") {
			t.Errorf("%s gets the permissions, too", s.Uses)
		}
	}
}
