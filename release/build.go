package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// build is what the Go toolchain recorded in a binary.
type build struct {
	version string    // without v: 1.2.0, or a pseudo-version between tags
	time    time.Time // of the commit
	info    *debug.BuildInfo
}

// compile returns the path of the binary for a target, which it builds once.
func (r *release) compile(work string, t target) (string, error) {
	binary := filepath.Join(work, t.system, t.arch, t.program(command))
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil {
		return "", err
	}
	return binary, r.build(r.source, binary, t)
}

// goBuild compiles the command for a target, stripped, without paths and without a part of
// a library that is not used but costs start-up.
func goBuild(source, binary string, t target) error {
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-tags", "urfave_cli_no_docs", "-ldflags", "-s -w", "-o", binary, "./cmd/handoff")
	build.Dir, build.Stderr = source, os.Stderr
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.system, "GOARCH="+t.arch, "GOARM=7", "GOAMD64=v1", "GOFLAGS=")
	return build.Run()
}

// describe reads the version and the time of the commit from a binary.
func describe(binary string) (b build, err error) {
	if b.info, err = buildinfo.ReadFile(binary); err != nil {
		return b, err
	}
	b.version = strings.TrimPrefix(b.info.Main.Version, "v")
	if b.version == "" || strings.Contains(b.version, "devel") {
		return b, errors.New("the binary has no version: build in a clone of the repository, not in a linked worktree or a copy without .git")
	}
	for _, s := range b.info.Settings {
		if s.Key == "vcs.time" {
			b.time, err = time.Parse(time.RFC3339, s.Value)
			return b, err
		}
	}
	return b, errors.New("the binary does not name its commit")
}

// pages are the licence, the manual pages and the completions.
func pages(source, binary string) (list []file, err error) {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return nil, err
		}
		list = append(list, file{name: name, data: data, mode: 0o644})
	}
	printed := func(name string, args ...string) error {
		out, err := exec.Command(binary, args...).Output()
		if err != nil {
			return fmt.Errorf("handoff %s: %w", strings.Join(args, " "), err)
		}
		list = append(list, file{name: name, data: out, mode: 0o644})
		return nil
	}
	for shell, name := range map[string]string{"bash": "handoff.bash", "fish": "handoff.fish", "zsh": "_handoff"} {
		if err := printed("completions/"+name, "completion", shell); err != nil {
			return nil, err
		}
	}
	commands, err := exec.Command(binary, "man", "--list").Output()
	if err != nil {
		return nil, err
	}
	if err := printed("man/man1/handoff.1", "man"); err != nil {
		return nil, err
	}
	for command := range strings.Lines(string(commands)) {
		words := strings.Fields(command)
		if err := printed("man/man1/handoff-"+strings.Join(words, "-")+".1", append([]string{"man"}, words...)...); err != nil {
			return nil, err
		}
	}
	return list, nil
}
