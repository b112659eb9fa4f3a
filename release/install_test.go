package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkDemo runs a command under both names, and the demo.
func checkDemo(t *testing.T, bin string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{command, packageName} {
		if got, want := run(t, dir, filepath.Join(bin, name), "--version"), "handoff version "+version+"\n"; got != want {
			t.Errorf("%s --version prints %q, not %q", name, got, want)
		}
	}
	if out := run(t, dir, filepath.Join(bin, packageName), "demo"); !strings.Contains(out, "$ handoff claim") {
		t.Errorf("demo printed\n%s", out)
	}
	cmd := program(t, dir, filepath.Join(bin, packageName), "lint", "missing.md")
	if failed, ok := cmd.Run().(*exec.ExitError); !ok || failed.ExitCode() != 2 {
		t.Errorf("a usage error: %v, not exit status 2", cmd.ProcessState)
	}
}

// unpacked unpacks a tar.gz with one folder, or a layer, and returns the folder.
func unpacked(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	run(t, dir, "tar", "-xzf", name)
	if _, err := os.Stat(filepath.Join(dir, command)); err == nil {
		return dir
	}
	return only(t, dir, "*")
}

func checkArchive(t *testing.T, dist string) {
	dir := unpacked(t, only(t, dist, "*_"+here.system+"_*.tar.gz"))
	for _, want := range []string{"LICENSE", "README.md", "man/man1/handoff.1", "man/man1/handoff-thread-branch.1", "completions/_handoff"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
	checkDemo(t, dir)
}

// checkZip: Windows has no symlinks for all users, so the second name is a script.
func checkZip(t *testing.T, full *release) {
	z, err := zip.OpenReader(only(t, full.out, "*_windows_amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	folder := full.stem(target{"windows", "amd64"}) + "/"
	for _, want := range []string{"handoff.exe", packageName + ".cmd", "LICENSE"} {
		if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == folder+want }) {
			t.Errorf("no %s", want)
		}
	}
	f, err := z.Open(folder + packageName + ".cmd")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "@\"%~dp0handoff.exe\" %*\r\n" {
		t.Errorf("%q %v", text, err)
	}
}

// checkNPM installs the packed tarballs in a prefix, without a network and without scripts.
func checkNPM(t *testing.T, dist string) {
	npm := needs(t, "npm")
	prefix := t.TempDir()
	run(t, prefix, npm, "install", "--global", "--prefix", prefix, "--offline", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--silent",
		only(t, dist, npmName(here)+"-[0-9]*.tgz"), only(t, dist, packageName+"-[0-9]*.tgz"))
	checkDemo(t, filepath.Join(prefix, "bin"))
	if src := read(t, filepath.Join(prefix, "lib", "node_modules", packageName, "package.json")); !bytes.Contains(src, []byte(`"mcpName": "io.github.`+owner+`/`)) {
		t.Errorf("the MCP registry looks for mcpName in\n%s", src)
	}
}

// dpkg unpacks the package, and its command runs.
func checkDeb(t *testing.T, dist string) {
	dpkg := needs(t, "dpkg-deb")
	deb, dir := only(t, dist, packageName+"_*.deb"), t.TempDir()
	if got := strings.TrimSpace(run(t, dir, dpkg, "--field", deb, "Package")); got != packageName {
		t.Errorf("package %q", got)
	}
	run(t, dir, dpkg, "--extract", deb, dir)
	for _, want := range []string{"man/man1/handoff-lint.1.gz", "bash-completion/completions/handoff", "doc/" + packageName + "/copyright"} {
		if _, err := os.Stat(filepath.Join(dir, "usr/share", want)); err != nil {
			t.Error(err)
		}
	}
	checkDemo(t, filepath.Join(dir, "usr/bin"))
}

// checkBundle starts the server of the bundle as its manifest says, in an unpacked bundle.
func checkBundle(t *testing.T, dist string) {
	dir := t.TempDir()
	z, err := zip.OpenReader(only(t, dist, "*.mcpb"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	var m struct {
		Server struct {
			EntryPoint string `json:"entry_point"`
			Config     struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
	}
	if err := json.Unmarshal(read(t, filepath.Join(dir, "manifest.json")), &m); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, m.Server.EntryPoint), 0o755); err != nil { // CopyFS does not keep modes
		t.Fatal(err)
	}
	fill := strings.NewReplacer("${__dirname}", dir, "${user_config.folder}", t.TempDir())
	for i, a := range m.Server.Config.Args {
		m.Server.Config.Args[i] = fill.Replace(a)
	}
	cmd := program(t, t.TempDir(), fill.Replace(m.Server.Config.Command), m.Server.Config.Args...)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"handoff_claim"`)) {
		t.Errorf("%v\n%s", err, out)
	}
}

// checkInstall runs install.sh as a user and as the feature of a devcontainer, with a prefix
// of its own. A download with another hash is refused, and what was installed stays.
func checkInstall(t *testing.T, dist string) {
	dir, feature := t.TempDir(), t.TempDir()
	if _, err := exec.LookPath("wget"); err != nil {
		needs(t, "curl")
	}
	run(t, feature, "tar", "-xzf", only(t, dist, "devcontainer-feature-"+packageName+".tgz"))
	script := filepath.Join(dist, "install.sh")
	if !bytes.Equal(read(t, script), read(t, filepath.Join(feature, "install.sh"))) {
		t.Error("the feature has another install.sh")
	}
	run(t, dir, "env", "PREFIX="+dir, "sh", script)
	checkDemo(t, filepath.Join(dir, "bin"))
	run(t, dir, "env", "PREFIX="+dir, "sh", script) // an upgrade

	archive := only(t, dist, "*_"+here.system+"_*.tar.gz")
	forged := bytes.Replace(read(t, script), []byte("sum="), []byte("sum=0"), 1)
	if err := os.WriteFile(filepath.Join(feature, "forged.sh"), forged, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := program(t, dir, "env", "PREFIX="+filepath.Join(dir, "other"), "sh", filepath.Join(feature, "forged.sh")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), filepath.Base(archive)+" has another SHA-256") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("a forged archive was installed")
	}
}

// entries are the names in a tar, with the text of the regular files.
func entries(t *testing.T, src []byte, zipped bool) map[string][]byte {
	t.Helper()
	var from io.Reader = bytes.NewReader(src)
	if zipped {
		z, err := gzip.NewReader(from)
		if err != nil {
			t.Fatal(err)
		}
		from = z
	}
	list := map[string][]byte{}
	for r := tar.NewReader(from); ; {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if list[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
