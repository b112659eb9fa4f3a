// Release builds what users install: for each target an archive, an SBOM, a wheel, an npm
// package, an MCP bundle and, on Linux, a Debian package; a container image; the files with which
// Homebrew, Scoop, winget, Nix, mise, aqua, devcontainers and the registry of MCP servers
// find them; and the checksums of all.
//
//	go run . --out DIR --url BASE   # in this folder; release.sh does it, checks it and publishes it
//	go run . --site DIR             # the web site of docs/
//
// The same commit gives the same bytes, in any folder and on any machine with the
// same version of Go: times are those of the commit, and paths are not recorded.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"handoff/release/site"
)

// target is a system that has an archive.
type target struct{ system, arch string }

func (t target) String() string { return t.system + "/" + t.arch }

// targets are all systems, in the order of the checksums.
var targets = []target{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// release is one run.
type release struct {
	source string                                      // the root of the repository
	out    string                                      // a folder that does not exist yet
	url    string                                      // where the archives will be downloaded from
	build  func(source, binary string, t target) error // goBuild, but for tests

	built build             // version that the binaries report
	mcp   string            // name of the server in the registry of MCP servers
	pages []file            // what every archive has besides the binary
	lock  sync.Mutex        // of sums
	sums  map[string]string // SHA-256 of each written file, by file name
}

func main() {
	r := release{build: goBuild, sums: map[string]string{}}
	only, pages, names := "", "", false
	flag.StringVar(&r.source, "source", "..", "root of the repository")
	flag.StringVar(&r.out, "out", "", "folder to create")
	flag.StringVar(&r.url, "url", "", "address of the folder from which the archives will be downloaded (default: the releases of "+homepage+")")
	flag.StringVar(&only, "targets", "", "only these targets, separated by commas, such as linux/amd64")
	flag.StringVar(&pages, "site", "", "write the web site of docs/ to this new folder, and nothing else")
	flag.BoolVar(&names, "names", false, "print the names under which it is published, as variables of a shell")
	flag.Parse()
	if names {
		fmt.Printf("package=%s\nrepository=%s\nimage=%s\n", packageName, repository, image)
		return
	}
	make := func() error { return r.run(only) }
	if pages != "" {
		make = func() error { return website(r.source).Build(pages) }
	}
	if err := make(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r *release) run(only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if r.out == "" {
		return errors.New("--out is needed: see --help")
	}
	if err := clean(r.source); err != nil {
		return err
	}
	if err := os.Mkdir(r.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "handoff-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := r.describe(work); err != nil {
		return err
	}
	for _, t := range chosen {
		if err := r.pack(work, t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	for _, write := range []func([]target) error{r.npmShim, r.channels, r.server, func(chosen []target) error { return r.ociImage(work, chosen) }} {
		if err := write(chosen); err != nil {
			return err
		}
	}
	return r.checksums()
}

// describe compiles the command for this system, and asks it for what all packages need.
func (r *release) describe(work string) error {
	here, err := r.compile(work, target{runtime.GOOS, runtime.GOARCH})
	if err != nil {
		return err
	}
	if r.built, err = describe(here); err != nil {
		return err
	}
	if r.url == "" {
		r.url = homepage + "/releases/download/v" + r.built.version
	}
	if r.mcp, err = r.mcpName(); err != nil {
		return err
	}
	r.pages, err = pages(r.source, here)
	return err
}

// pack writes all files for one target, beside each other: most of the time is compression.
func (r *release) pack(work string, t target) error {
	binary, err := r.compile(work, t)
	if err != nil {
		return err
	}
	formats := []func(target, string) error{r.archive, r.sbom, r.npmBinary, r.wheel, r.bundle}
	if t.system == "linux" {
		formats = append(formats, r.deb)
	}
	errs := make([]error, len(formats))
	var all sync.WaitGroup
	for i, write := range formats {
		all.Go(func() { errs[i] = write(t, binary) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// choose reads the flag --targets.
func choose(only string) (chosen []target, err error) {
	if only == "" {
		return targets, nil
	}
	for name := range strings.SplitSeq(only, ",") {
		known := false
		for _, t := range targets {
			if t.String() == name {
				chosen, known = append(chosen, t), true
			}
		}
		if !known {
			return nil, fmt.Errorf("unknown target %q: want some of %v", name, targets)
		}
	}
	return chosen, nil
}

// clean refuses a tree with changes: no commit would describe its archives.
func clean(source string) error {
	status := exec.Command("git", "status", "--porcelain")
	status.Dir, status.Stderr = source, os.Stderr
	changes, err := status.Output()
	if err == nil && len(changes) > 0 {
		err = fmt.Errorf("%s has changes: commit them first\n%s", source, changes)
	}
	return err
}

// website is the documentation on the web.
func website(source string) site.Site {
	return site.Site{Source: source, Address: siteAddress, Repository: homepage, Summary: summary}
}

// write writes a file of the release.
func (r *release) write(name string, data []byte) error {
	sum := sha256.Sum256(data)
	r.lock.Lock()
	r.sums[name] = hex.EncodeToString(sum[:])
	r.lock.Unlock()
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// checksums writes checksums.txt, as sha256sum -c reads it, for all other files.
func (r *release) checksums() error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		fmt.Fprintf(&b, "%s  %s\n", r.sums[name], name)
	}
	return r.write("checksums.txt", []byte(b.String()))
}
