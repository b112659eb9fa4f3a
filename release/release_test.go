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
	"runtime"
	"strings"
	"testing"
)

// sh runs a command line in a folder and returns its standard output.
func sh(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// made is a release of a clone of this repository in a folder of its own: for this
// system and Windows.
func made(t *testing.T, folder string) *release {
	t.Helper()
	dir := filepath.Join(t.TempDir(), folder)
	sh(t, ".", "git", "clone", "--quiet", "..", dir)
	r := &release{source: dir, out: filepath.Join(t.TempDir(), "out"), url: "https://example.org/handoff", npm: "handoff-cli", sums: map[string]string{}}
	if err := r.run("windows/amd64," + runtime.GOOS + "/" + runtime.GOARCH); err != nil {
		t.Fatal(err)
	}
	return r
}

func only(t *testing.T, r *release, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(r.out, pattern))
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %v %v", pattern, list, err)
	}
	return list[0]
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What users install works, and another clone in another folder gives the same bytes.
func TestRelease(t *testing.T) {
	r, again := made(t, "one"), made(t, "a second folder")
	if first, second := read(t, filepath.Join(r.out, "checksums.txt")), read(t, filepath.Join(again.out, "checksums.txt")); !bytes.Equal(first, second) {
		t.Fatalf("not reproducible:\n%s\n%s", first, second)
	}
	sh(t, r.out, "sha256sum", "--check", "--quiet", "checksums.txt")
	here := runtime.GOOS + "_" + runtime.GOARCH
	version := strings.TrimSpace(sh(t, ".", unpacked(t, only(t, r, "*_"+here+".tar.gz")), "--version"))
	if !strings.Contains(version, r.built.version) {
		t.Errorf("--version prints %q, the archive is of %s", version, r.built.version)
	}
	t.Run("zip", func(t *testing.T) { checkZip(t, only(t, r, "*_windows_amd64.zip")) })
	t.Run("sbom", func(t *testing.T) { checkSBOM(t, only(t, r, "*_"+here+".cdx.json")) })
	t.Run("npm", func(t *testing.T) { checkNPM(t, r, version) })
	t.Run("formula", func(t *testing.T) { checkFormula(t, r) })
	t.Run("deb", func(t *testing.T) { checkDeb(t, r, version) })
}

// unpacked unpacks a tar.gz and returns the path of its binary.
func unpacked(t *testing.T, name string) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(read(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	dir, has := t.TempDir(), map[string]bool{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, h.Name)
		data, err := io.ReadAll(r)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, h.FileInfo().Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
		_, base, _ := strings.Cut(h.Name, "/")
		has[base] = true
	}
	for _, want := range []string{"handoff", "LICENSE", "README.md", "man/man1/handoff.1", "man/man1/handoff-thread-branch.1", "completions/_handoff"} {
		if !has[want] {
			t.Errorf("%s: no %s", name, want)
		}
	}
	return filepath.Join(dir, strings.TrimSuffix(filepath.Base(name), ".tar.gz"), "handoff")
}

func checkZip(t *testing.T, name string) {
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/handoff.exe") {
			return
		}
	}
	t.Error("no handoff.exe")
}

// The SBOM names the libraries that are linked, and the version of Go.
func checkSBOM(t *testing.T, name string) {
	var doc bom
	if err := json.Unmarshal(read(t, name), &doc); err != nil {
		t.Fatal(err)
	}
	purls := map[string]bool{}
	for _, c := range doc.Components {
		if purls[c.Ref] {
			t.Errorf("%s twice", c.Ref)
		}
		purls[c.Ref] = true
	}
	if want := "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go"); doc.Spec != "1.6" || !purls[want] {
		t.Errorf("want %s: %+v", want, doc)
	}
	if !strings.Contains(string(read(t, name)), "pkg:golang/github.com/yuin/goldmark@v") {
		t.Error("goldmark is missing")
	}
}

// needs skips a test without a program; in CI that is an error.
func needs(t *testing.T, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("HANDOFF_CI") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
}

// npm installs the command without a network and without scripts, and the command
// returns the exit status.
func checkNPM(t *testing.T, r *release, version string) {
	needs(t, "npm")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name":"x","version":"1.0.0"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	system := r.npmName(target{runtime.GOOS, runtime.GOARCH})
	sh(t, dir, "npm", "install", "--offline", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--silent",
		only(t, r, system+"-[0-9]*.tgz"), only(t, r, "handoff-cli-[0-9]*.tgz"))
	command := filepath.Join(dir, "node_modules", ".bin", "handoff")
	if got := strings.TrimSpace(sh(t, dir, command, "--version")); got != version {
		t.Errorf("--version prints %q, not %q", got, version)
	}
	if src := read(t, filepath.Join(dir, "node_modules", "handoff-cli", "package.json")); !strings.Contains(string(src), `"mcpName": "io.github.`) {
		t.Errorf("the MCP registry looks for mcpName in\n%s", src)
	}
	err := exec.Command(command, "lint", "missing.md").Run()
	if failed, ok := err.(*exec.ExitError); !ok || failed.ExitCode() != 2 {
		t.Errorf("a usage error: %v, not exit status 2", err)
	}
}

func checkFormula(t *testing.T, r *release) {
	src := string(read(t, filepath.Join(r.out, "handoff.rb")))
	archive := filepath.Base(only(t, r, "*_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"))
	if !strings.Contains(src, `url "https://example.org/handoff/`+archive+`"`) || !strings.Contains(src, r.sums[archive]) {
		t.Errorf("%s is missing in\n%s", archive, src)
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		sh(t, r.out, ruby, "-c", "handoff.rb")
	}
}

// dpkg unpacks the package, and its command runs.
func checkDeb(t *testing.T, r *release, version string) {
	needs(t, "dpkg-deb")
	deb, dir := only(t, r, "handoff_*.deb"), t.TempDir()
	if got := strings.TrimSpace(sh(t, dir, "dpkg-deb", "--field", deb, "Package")); got != "handoff" {
		t.Errorf("package %q", got)
	}
	sh(t, dir, "dpkg-deb", "--extract", deb, dir)
	if got := strings.TrimSpace(sh(t, dir, filepath.Join(dir, "usr/bin/handoff"), "--version")); got != version {
		t.Errorf("--version prints %q, not %q", got, version)
	}
	for _, want := range []string{"usr/share/man/man1/handoff-lint.1.gz", "usr/share/bash-completion/completions/handoff", "usr/share/doc/handoff/copyright"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Error(err)
		}
	}
}
