package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var here = target{runtime.GOOS, runtime.GOARCH}

// version is the version of the release in tests: its tag must be that of the sources.
const version = "0.1.0"

// run runs a program in a folder, in an empty home, and returns what it prints.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, err := program(t, dir, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// program has a home of its own. Go's folders stay where they are.
func program(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"),
		"NO_COLOR=1", "GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.org", "GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.org")
	return cmd
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// cloned is a clone of this repository, in a folder of its own, with the tag.
func cloned(t *testing.T, folder string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), folder)
	run(t, ".", "git", "clone", "--quiet", "..", dir)
	run(t, dir, "git", "tag", "--force", "v"+version)
	return dir
}

func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
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

// needs skips a test without a program; in CI that is an error.
func needs(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
	case os.Getenv("HANDOFF_CI") != "":
		t.Fatal(err)
	default:
		t.Skip(err)
	}
	return path
}

// dryRun does what the workflow does at a tag, for this system, and returns the folder
// of the release and what was printed.
func dryRun(t *testing.T, url string) (dist, printed string) {
	t.Helper()
	dist = filepath.Join(t.TempDir(), "dist")
	return dist, run(t, cloned(t, "one"), "release/release.sh", "v"+version, dist, "--targets", here.String(), "--url", url)
}

// inFull is a release for all systems, of another clone. Only this system's binary is built;
// a small program is in the place of each of the others.
func inFull(t *testing.T, url string) *release {
	t.Helper()
	small := filepath.Join(t.TempDir(), "small")
	for name, text := range map[string]string{"go.mod": "module handoff\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.MkdirAll(small, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(small, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(t, small, "go", "build", "-o", "program", ".")
	stand := func(source, binary string, to target) error {
		if to == here {
			return goBuild(source, binary, to)
		}
		return os.WriteFile(binary, read(t, filepath.Join(small, "program")), 0o755)
	}
	r := &release{source: cloned(t, "a second folder"), out: filepath.Join(t.TempDir(), "out"), url: url, build: stand, sums: map[string]string{}}
	if err := r.run(""); err != nil {
		t.Fatal(err)
	}
	return r
}
