package facts

import (
	"path"
	"slices"
	"strings"
	"sync"

	"handoff/document/seen"
)

// Checks reports whether a command checks the work: it runs tests, compiles, or looks for faults with
// one of the programs that people use for that.
func Checks(command string) bool {
	return slices.ContainsFunc(parts(command), func(p part) bool { return p.checks() != 0 })
}

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

// all is what a word such as "check" means, which each project defines for itself.
const all = seen.Tests | seen.Builds | seen.Lints

// checkKinds is how programs and the words after them check, where that is not with tests. A word of a program decides
// before its name.
var checkKinds = sync.OnceValue(func() map[string]seen.Kinds {
	kinds := map[string]seen.Kinds{"make": seen.Builds, "ci": all, "verify": all, "package": seen.Tests | seen.Builds, "just check": all, "make check": all, "gradle check": all, "gradlew check": all,
		"npm check": all, "pnpm check": all, "yarn check": all, "bun check": all, "task check": all, "composer check": all, "ant check": all, "cargo check": seen.Builds, "tsc": seen.Builds | seen.Lints, "vue-tsc": seen.Builds | seen.Lints}
	for _, word := range []string{"build", "compile", "all", "g++", "gcc", "ghc", "javac", "ninja", "rustc"} {
		kinds[word] = seen.Builds
	}
	for _, word := range []string{"lint", "vet", "clippy", "analyze", "credo", "rubocop", "typecheck", "mypy", "ruff", "check", "biome", "eslint", "flake8", "golangci-lint", "phpstan", "pre-commit", "pylint", "pyright", "shellcheck", "staticcheck", "stylelint", "ty"} {
		kinds[word] = seen.Lints
	}
	return kinds
})

// checks returns how a command checks; 0 if it does not.
func (p *part) checks() seen.Kinds {
	switch name, word := p.checker(); {
	case name == "":
		return 0
	case word == "":
		return kindOr(seen.Tests, name)
	default:
		return kindOr(seen.Tests, name+" "+word, word)
	}
}

// checker is the program of a command that checks, and the word after which it does, if it needs one; "" for another
// command. A word counts with what follows a colon, as scripts are named: "test:unit".
func (p *part) checker() (name, word string) {
	if len(p.words) == 0 {
		return "", ""
	}
	name = path.Base(p.words[0])
	after, known := checkers()[name]
	switch {
	case !known:
		return "", ""
	case len(after) == 0, name == "make" && len(p.words) == 1:
		return name, ""
	}
	for _, word := range p.words[1:] {
		if word, _, _ = strings.Cut(path.Base(word), ":"); slices.Contains(after, word) {
			return name, word
		}
	}
	return "", ""
}

// kindOr is the kind of the first of some names that has one, or another.
func kindOr(other seen.Kinds, names ...string) seen.Kinds {
	for _, name := range names {
		if kind, ok := checkKinds()[name]; ok {
			return kind
		}
	}
	return other
}
