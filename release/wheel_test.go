package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// python is the folder of programs with Python, pip, uv and pre-commit.
func python(t *testing.T) string {
	t.Helper()
	bin := os.Getenv("HANDOFF_PRE_COMMIT")
	switch {
	case bin != "":
	case os.Getenv("HANDOFF_CI") != "":
		t.Fatal("HANDOFF_PRE_COMMIT is not set")
	default:
		t.Skip("set HANDOFF_PRE_COMMIT: see .ci/pre-commit")
	}
	return bin
}

// checkWheel installs the wheel as users do, from the file and without a network.
func checkWheel(t *testing.T, dist string) {
	bin, wheel, dir := python(t), only(t, dist, "*.whl"), t.TempDir()
	py := filepath.Join(bin, "python")

	venv := filepath.Join(dir, "venv")
	run(t, dir, py, "-m", "venv", "--without-pip", venv)
	run(t, dir, py, "-m", "pip", "--python", filepath.Join(venv, "bin", "python"), "install", "--quiet", "--no-index", wheel)
	checkDemo(t, filepath.Join(venv, "bin"))
	if got := run(t, dir, filepath.Join(venv, "bin", "python"), "-m", pythonModule, "--version"); !strings.Contains(got, version) {
		t.Errorf("python -m %s prints %q", pythonModule, got)
	}

	flat := filepath.Join(dir, "flat")
	run(t, dir, py, "-m", "pip", "install", "--quiet", "--no-index", "--target", flat, wheel)
	if got := run(t, dir, "env", "PYTHONPATH="+flat, py, "-m", pythonModule, "--version"); !strings.Contains(got, version) {
		t.Errorf("with --target it prints %q", got)
	}

	uvx := []string{"--offline", "--no-python-downloads", "--python", py, "--cache-dir", filepath.Join(dir, "cache"), "--from", wheel}
	for _, name := range []string{command, packageName} {
		if out := run(t, dir, filepath.Join(bin, "uvx"), append(uvx, name, "demo")...); !strings.Contains(out, "$ handoff claim") {
			t.Errorf("uvx %s demo printed\n%s", name, out)
		}
	}
}

// checkWheels: each target has a wheel whose tags are those of its name and whose RECORD has
// the hash of each file.
func checkWheels(t *testing.T, full *release) {
	wheels, err := filepath.Glob(filepath.Join(full.out, "*.whl"))
	if err != nil || len(wheels) != len(targets) {
		t.Fatalf("%d wheels for %d targets, %v", len(wheels), len(targets), err)
	}
	for _, wheel := range wheels {
		checkRecord(t, wheel)
	}
}

func checkRecord(t *testing.T, wheel string) {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	texts, want := map[string]string{}, ""
	info := pythonModule + "-" + version + ".dist-info/"
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(data)
		if sum := sha256.Sum256(data); f.Name != info+"RECORD" {
			want += fmt.Sprintf("%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
		}
	}
	if want += info + "RECORD,,\n"; texts[info+"RECORD"] != want {
		t.Errorf("%s: RECORD is\n%s, want\n%s", wheel, texts[info+"RECORD"], want)
	}
	_, tags, _ := strings.Cut(strings.TrimSuffix(filepath.Base(wheel), ".whl"), "-py3-none-")
	for tag := range strings.SplitSeq(tags, ".") {
		if !strings.Contains(texts[info+"WHEEL"], "\nTag: py3-none-"+tag+"\n") {
			t.Errorf("%s: WHEEL lacks %s:\n%s", wheel, tag, texts[info+"WHEEL"])
		}
	}
}

// Versions of commits between tags sort before the release that follows, as pip compares them.
func TestPythonVersion(t *testing.T) {
	for from, want := range map[string]string{
		"0.1.0": "0.1.0", "1.2.3-rc.1": "1.2.3rc1", "1.2.3-beta2": "1.2.3b2",
		"0.0.0-20261127202812-52bd7507abcd":      "0.0.0.dev20261127202812+g52bd7507abcd",
		"0.1.1-0.20261127202812-52bd7507abcd":    "0.1.1.dev20261127202812+g52bd7507abcd",
		"1.0.0-rc.1.0.20261127202812-52bd7507ab": "1.0.0-rc.1.0.20261127202812-52bd7507ab", // no commit of Go's form
	} {
		if got := pythonVersion(from); got != want {
			t.Errorf("%s is %s, want %s", from, got, want)
		}
	}
}

// checkPreCommit: a hook of the kind that docs/plugins.md shows, by pre-commit itself: it
// installs the wheel and compiles nothing. A good handoff passes, a bad one does not.
func checkPreCommit(t *testing.T, dist string) {
	bin, wheel := python(t), only(t, dist, "*.whl")
	handoff := filepath.Join(unpacked(t, only(t, dist, "*_"+here.system+"_*.tar.gz")), command)
	dir := t.TempDir()
	run(t, dir, "git", "init", "-q")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".pre-commit-config.yaml", strings.ReplaceAll(documentedHooks(t), packageName+"=="+version, wheel))
	run(t, dir, handoff, "init")
	write("values.yaml", `next_action: "In values.yaml change the goal, then run `+"`git diff`"+`."
state: {file: values.yaml, location: line 1, goal: "`+"`git diff`"+` shows the goal"}
decisions: ["One file: it is read as a whole"]
dead_ends: ["A second file: it was forgotten"]
context: ["The file is YAML"]
references: []
`)
	document := strings.TrimSpace(run(t, dir, handoff, "new", "--task", "1", "--slug", "first", "--phase", "1", "--from", "values.yaml"))
	document = document[strings.LastIndex(document, "\n")+1:]
	run(t, dir, "git", "add", "-A")
	home := t.TempDir()
	commit := func() (string, error) {
		cmd := program(t, dir, filepath.Join(bin, "pre-commit"), "run", "--all-files")
		// Without Go in PATH: it must not be needed.
		cmd.Env = append(cmd.Env, "PRE_COMMIT_HOME="+home, "PATH="+bin+":/usr/bin:/bin", "GOROOT=/nowhere")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := commit(); err != nil || strings.Count(out, "Passed") != 2 {
		t.Fatalf("a good handoff: %v\n%s", err, out)
	}
	src := string(read(t, filepath.Join(dir, document)))
	write(document, strings.Replace(src, "## Current State", "## Now", 1))
	write("specs/1_first/.return-meta.json", "{")
	run(t, dir, "git", "add", "-A")
	if out, err := commit(); err == nil || strings.Count(out, "Failed") != 2 || !strings.Contains(out, document) {
		t.Errorf("a bad handoff: %v\n%s", err, out)
	}
}

// documentedHooks is the configuration in docs/plugins.md that uses the wheel.
func documentedHooks(t *testing.T) string {
	t.Helper()
	for block := range strings.SplitSeq(string(read(t, "../docs/plugins.md")), "```yaml\n") {
		block, _, _ = strings.Cut(block, "```")
		if strings.Contains(block, "language: python") {
			return block
		}
	}
	t.Fatal("docs/plugins.md shows no hook with the wheel")
	return ""
}
