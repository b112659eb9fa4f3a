package main

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What users install works, and another clone in another folder gives the same bytes.
func TestRelease(t *testing.T) {
	folder := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(folder, filepath.Base(r.URL.Path)))
	}))
	defer server.Close()
	dist, printed := dryRun(t, server.URL)
	full := inFull(t, server.URL)
	folder = dist

	checks := map[string]func(t *testing.T){
		"reproducible": func(t *testing.T) { checkSame(t, dist, full) },
		"dry run":      func(t *testing.T) { checkDryRun(t, dist, printed) },
		"stripped":     func(t *testing.T) { checkStripped(t, dist) },
		"sbom":         func(t *testing.T) { checkSBOM(t, only(t, dist, "*.cdx.json")) },
		"archive":      func(t *testing.T) { checkArchive(t, dist) },
		"zip":          func(t *testing.T) { checkZip(t, full) },
		"npm":          func(t *testing.T) { checkNPM(t, dist) },
		"deb":          func(t *testing.T) { checkDeb(t, dist) },
		"wheel":        func(t *testing.T) { checkWheel(t, dist) },
		"wheels":       func(t *testing.T) { checkWheels(t, full) },
		"pre-commit":   func(t *testing.T) { checkPreCommit(t, dist) },
		"bundle":       func(t *testing.T) { checkBundle(t, dist) },
		"image":        func(t *testing.T) { checkImage(t, full) },
		"install.sh":   func(t *testing.T) { checkInstall(t, dist) },
		"channels":     func(t *testing.T) { checkChannels(t, full) },
		"schemas":      func(t *testing.T) { checkSchemas(t, full) },
	}
	t.Run("packages", func(t *testing.T) { // and the server runs until all of them are done
		for name, check := range checks {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				check(t)
			})
		}
	})
}

// checkSame compares what both releases have. Files that list other targets differ.
func checkSame(t *testing.T, dist string, full *release) {
	same := 0
	for line := range strings.Lines(string(read(t, filepath.Join(dist, "checksums.txt")))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if !strings.Contains(name, here.system) {
			continue
		}
		if same++; full.sums[name] != sum {
			t.Errorf("%s is not reproducible", name)
		}
	}
	if same < 4 {
		t.Errorf("only %d files of %s", same, here)
	}
}

// checkDryRun: each file that a command would send exists, and nothing but the version and
// the public registries is in them.
func checkDryRun(t *testing.T, dist, printed string) {
	_, commands, found := strings.Cut(printed, "== publish: dry run, nothing is sent\n")
	if !found {
		t.Fatal(printed)
	}
	for _, want := range []string{"$ gh release create v0.1.0", "$ gh release upload", "$ uv publish", "$ npm publish", "$ skopeo copy", "--draft=false --latest", "$ mcp-publisher publish"} {
		if !strings.Contains(commands, want) && !(want == "$ skopeo copy" && here.system != "linux") {
			t.Errorf("no %q in\n%s", want, commands)
		}
	}
	if !strings.Contains(printed, " pages of documentation") {
		t.Error("the site is not built")
	}
	last := ""
	for word := range strings.FieldsSeq(commands) {
		if name, ok := strings.CutPrefix(word, "./"); ok {
			if _, err := os.Stat(filepath.Join(dist, name)); err != nil {
				t.Error(err)
			}
			if strings.HasSuffix(name, ".tgz") {
				last = name
			}
		}
	}
	if want := packageName + "-" + version + ".tgz"; last != want {
		t.Errorf("the last npm package is %s, not %s, which needs the others", last, want)
	}
}

// checkStripped: neither symbols nor debugging information.
func checkStripped(t *testing.T, dist string) {
	if here.system != "linux" {
		t.Skip("reads ELF")
	}
	f, err := elf.Open(filepath.Join(unpacked(t, only(t, dist, "*_linux_*.tar.gz")), command))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, s := range f.Sections {
		if s.Name == ".symtab" || strings.HasPrefix(s.Name, ".debug") || strings.HasPrefix(s.Name, ".zdebug") {
			t.Errorf("the binary has %s", s.Name)
		}
	}
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the binary is not static: %v %v", libraries, err)
	}
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
	if !bytes.Contains(read(t, name), []byte("pkg:golang/github.com/yuin/goldmark@v")) {
		t.Error("goldmark is missing")
	}
}

// TestNotReleased: a tag that is not that of the sources is refused before anything is built.
func TestNotReleased(t *testing.T) {
	dir := cloned(t, "clone")
	for _, tag := range []string{"v9.9.9", "0.1.0"} {
		out, err := program(t, dir, "release/release.sh", tag, filepath.Join(t.TempDir(), "dist")).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "the commit has no tag "+tag) {
			t.Errorf("%s: %v\n%s", tag, err, out)
		}
	}
	run(t, dir, "git", "tag", "v9.9.9")
	out, err := program(t, dir, "release/release.sh", "v9.9.9", filepath.Join(t.TempDir(), "dist")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "version.go has version "+version) {
		t.Errorf("%v\n%s", err, out)
	}
}
