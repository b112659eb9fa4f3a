package facts

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Checked returns the last command that checks the work, such as one that runs its tests or compiles
// it, and whether it was run after the last recorded change of a file. What a shell command does to
// files is not recorded. ok is false if there is none among the commands that are kept.
func (f *Facts) Checked() (c Command, after, ok bool) {
	changed := 0
	if n := len(f.Written); n > 0 {
		changed = f.Written[n-1].Line
	}
	for _, c := range slices.Backward(f.Commands) {
		if Checks(c.Text) {
			return c, c.Line > changed, true
		}
	}
	return Command{}, false, false
}

// Checks reports whether a command checks the work: it runs tests, compiles, or looks for faults with
// one of the programs that people use for that.
func Checks(command string) bool {
	for part := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune(";&|\n()", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 && (strings.Contains(words[0], "=") || slices.Contains(runners, words[0])) {
			words = words[1:] // a variable, or a program that starts another one
		}
		if len(words) > 0 && checks(path.Base(words[0]), words[1:]) {
			return true
		}
	}
	return false
}

// runners start the command that follows them.
var runners = []string{"command", "env", "exec", "nice", "time", "npx", "bunx", "uvx", "xvfb-run", "sudo"}

// checkers are the programs that check, and the words after which they do; none for always.
var checkers = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"ant": {"test", "check", "build", "compile"}, "ava": nil, "bats": nil, "bazel": {"build", "test"}, "behave": nil, "biome": {"check", "lint", "ci"},
		"bun": {"build", "lint", "test", "check", "typecheck"}, "bundle": {"rspec", "rake", "rubocop"}, "cabal": {"build", "test"}, "cargo": {"bench", "build", "check", "clippy", "nextest", "test"},
		"clippy": nil, "composer": {"test", "check"}, "coverage": {"run"}, "ctest": nil, "cypress": nil, "dart": {"analyze", "test"}, "deno": {"check", "lint", "test"},
		"dotnet": {"build", "test"}, "eslint": nil, "flake8": nil, "flutter": {"analyze", "build", "test"}, "g++": nil, "gcc": nil, "ghc": nil, "go": {"build", "test", "vet"},
		"golangci-lint": nil, "gotestsum": nil, "gradle": {"build", "check", "test"}, "gradlew": {"build", "check", "test"}, "hatch": {"test"}, "javac": nil, "jest": nil, "just": {"build", "check", "ci", "lint", "test"},
		"karma": nil, "lake": {"build", "test"}, "make": {"all", "build", "check", "ci", "lint", "test"}, "meson": {"compile", "test"}, "mix": {"compile", "credo", "test"}, "mocha": nil,
		"mvn": {"compile", "package", "test", "verify"}, "mvnw": {"compile", "package", "test", "verify"}, "mypy": nil, "next": {"build", "lint"}, "ninja": nil, "node": {"--test"}, "nox": nil,
		"npm": {"build", "check", "lint", "t", "test", "typecheck"}, "nx": {"build", "lint", "test"}, "phpstan": nil, "phpunit": nil, "playwright": {"test"}, "pnpm": {"build", "check", "lint", "test", "typecheck"},
		"poetry": {"pytest"}, "pre-commit": {"run"}, "pylint": nil, "pyright": nil, "pytest": nil, "python": {"pytest", "unittest"}, "python3": {"pytest", "unittest"}, "rake": {"test", "spec"},
		"rspec": nil, "rubocop": nil, "ruff": {"check"}, "rustc": nil, "sbt": {"compile", "test"}, "shellcheck": nil, "stack": {"build", "test"}, "staticcheck": nil, "stylelint": nil, "swift": {"build", "test"},
		"task": {"build", "check", "lint", "test"}, "tox": nil, "tsc": nil, "turbo": {"build", "lint", "test"}, "ty": {"check"}, "uv": {"pytest", "mypy", "ruff"}, "vite": {"build"}, "vitest": nil, "vue-tsc": nil,
		"xcodebuild": {"build", "test"}, "yarn": {"build", "check", "lint", "test", "typecheck"}, "zig": {"build", "test"},
	}
})

// checks reports whether a program with these words checks. A word counts with what follows a colon, as
// scripts are named: "test:unit".
func checks(program string, words []string) bool {
	after, known := checkers()[program]
	if !known || len(after) == 0 {
		return known
	}
	if program == "make" && len(words) == 0 {
		return true
	}
	return slices.ContainsFunc(words, func(word string) bool {
		word, _, _ = strings.Cut(path.Base(word), ":")
		return slices.Contains(after, word)
	})
}
