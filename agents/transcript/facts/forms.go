package facts

import (
	"strings"
	"sync"

	"handoff/document/seen"
)

// form is how programs that check print their totals. In a pattern # is a number, % one that is not 0, @ a word, and * any text.
type form struct {
	of     []string // programs, or a program and the word after which it checks
	kinds  seen.Kinds
	sum    sum
	any    bool     // one of the lines of passed is enough
	passed []string // the lines of a total that shows success
	failed []string // a line that shows failure
}

// sum is what a total sums up.
type sum uint8

const (
	atEnd  sum = iota // the whole run, at its end
	each              // a part of it, and the run ends at once after a part that failed, or with a line that shows failure
	partly            // a part of it, and nothing sums up all
	apps              // the whole run, but in a project of many apps only one of them
)

// scripts are programs that run what a project defines: the totals are those of any runner of the same kind.
var scripts = []string{"bun", "just", "make", "npm", "pnpm", "task", "yarn"}

// allForms are the forms that are known.
var allForms = sync.OnceValue(func() []form {
	const tests, builds, lints = seen.Tests, seen.Builds, seen.Lints
	of := func(names string) []string { return strings.Split(names, ", ") }
	return []form{
		{of("go test"), tests, each, true, of("ok @ #s, ok @ (cached), ok @ #s coverage: *, ok @ (cached) coverage: *"), of("FAIL, FAIL @ *, --- FAIL: @ (#s)")},
		{of("gotestsum"), tests, atEnd, false, of("DONE % tests in #s"), of("DONE *% failure*, DONE *% error*")},
		{of("go build, go vet, staticcheck"), builds | lints, atEnd, false, nil, of("@.go:#:#: *, vet: *")},
		{of("pytest, python pytest, python3 pytest, uv pytest, poetry pytest, hatch test, coverage run"), tests, atEnd, true, []string{"% passed in #s*", "% passed, * in #s*"},
			of("*% failed* in #s*, % error* in #s*, *% error* in #s*, FAIL Required test coverage *")},
		{of("python unittest, python3 unittest"), tests, atEnd, false, of("Ran % test* in #s, OK*"), of("FAILED (*)")},
		{of("cargo test, cargo nextest"), tests, each, true, of("test result: ok. *, Summary [*] % tests run: # passed*"),
			of("test result: FAILED. *, error: test failed*, error: could not compile *, Summary [*% failed*")},
		{of("cargo build, cargo check, cargo clippy"), builds | lints, atEnd, false, of("Finished * in #*"), of("error: could not compile *")},
		{of("jest"), tests, atEnd, false, of("Test Suites: *% passed*, Tests: *% passed*"), of("Test Suites: % failed*, Tests: % failed*, Jest: *threshold*not met*")},
		{of("vitest"), tests, atEnd, false, of("Test Files % passed*, Tests % passed*"), of("Test Files % failed*, Tests % failed*, Errors % error*, ERROR: Coverage for *")},
		{of("node --test"), tests, atEnd, false, of("pass %, fail 0, cancelled 0"), of("fail %, cancelled %")},
		{of("mocha"), tests, atEnd, false, of("% passing (*)"), of("% failing")},
		{of("ava"), tests, atEnd, false, of("% test* passed"), of("% test* failed*, % uncaught exception*")},
		{of("bun test"), tests, atEnd, false, of("% pass, 0 fail, Ran % test*"), of("% fail, % error*")},
		{of("deno test"), tests, atEnd, false, of("ok | % passed* | 0 failed*"), of("FAILED | *")},
		{of("playwright test"), tests, atEnd, false, of("% passed (*)"), of("% failed, % flaky, % interrupted")},
		{of("rspec, bundle rspec"), tests, atEnd, true, []string{"% example*, 0 failures", "% example*, 0 failures, # pending"}, []string{"# example*, % failure*", "*% error* occurred outside of examples*"}},
		{of("rake test, rake spec"), tests, atEnd, false, []string{"% runs, # assertions, 0 failures, 0 errors, *"}, []string{"# runs, # assertions, *% failures*", "# runs, # assertions, *% errors*", "rake aborted!"}},
		{of("phpunit, composer test"), tests, atEnd, false, []string{"OK (% test*, # assertion*)"}, []string{"FAILURES!", "ERRORS!", "Tests: #* Failures: %*", "Tests: #* Errors: %*"}},
		{of("mix test"), tests, apps, true, []string{"% test*, 0 failures*", "# doctest*, % test*, 0 failures*"}, []string{"# test*, % failure*", "# doctest*, # test*, % failure*", "== Compilation error in file *", "** (Mix) *"}},
		{of("mix compile"), builds, atEnd, false, nil, of("== Compilation error in file *, ** (Mix) *, Compilation failed due to warnings *")},
		{of("mix credo"), lints, atEnd, false, []string{"% mods/funs, found no issues."}, []string{"% mods/funs, found % *"}},
		{of("swift test"), tests, atEnd, false, of("Test Suite 'All tests' passed *"), of("Test Suite 'All tests' failed *, error: fatalError")},
		{of("dart test, flutter test"), tests, atEnd, false, of("*All tests passed!"), of("*Some tests failed.")},
		{of("gradle test, gradlew test, gradle build, gradlew build, gradle check, gradlew check"), tests | builds | lints, atEnd, false, of("BUILD SUCCESSFUL in *"), of("BUILD FAILED*, FAILURE: Build failed *")},
		{of("mvn test, mvnw test, mvn verify, mvnw verify, mvn package, mvnw package, mvn compile, mvnw compile"), tests | builds, atEnd, false, of("[INFO] BUILD SUCCESS"), of("[INFO] BUILD FAILURE, [ERROR] BUILD FAILURE")},
		{of("dotnet test"), tests, partly, false, []string{"Passed! - Failed: 0, Passed: %*"}, []string{"Failed! - Failed: *", "Build FAILED."}},
		{of("dotnet build"), builds, atEnd, false, of("Build succeeded., 0 Error(s)"), of("Build FAILED., % Error(s)")},
		{of("tsc, vue-tsc"), builds | lints, atEnd, false, nil, of("@.ts:#:# - error TS#: *, @.tsx:#:# - error TS#: *, @.ts(#,#): error TS#: *, @.tsx(#,#): error TS#: *, error TS#: *, Found % error*")},
		{of("npm build, pnpm build, yarn build, bun build, vite build"), builds, atEnd, false, of("built in #*s"), of("error during build:, Failed to compile*, npm ERR! *, npm error *")},
		{of("ruff check, uv ruff"), lints, atEnd, false, of("All checks passed!"), []string{"Found % error.", "Found % errors.", "Found % error* (*, % remaining)."}},
		{of("mypy, uv mypy"), lints, atEnd, false, of("Success: no issues found in % source file*"), of("Found % error* in *")},
		{of("pyright"), lints, atEnd, false, []string{"0 errors, *"}, []string{"% error*, # warning*"}},
		{of("eslint, stylelint"), lints, atEnd, false, nil, of("% problem* (% error*")},
		{of("golangci-lint"), lints, atEnd, false, of("0 issues."), of("% issues:")},
		{of("tox"), tests, atEnd, false, of("congratulations :) *"), of("evaluation failed :( *")},
		{scripts, 0, atEnd, false, nil, of("npm ERR! *, npm error *, make: *** *, make[#]: *** *, error: Recipe *, error: script * exited with code %*, ELIFECYCLE *, * ELIFECYCLE *")},
	}
})

// anyMatches is the first pattern that a line matches, "" for none.
func anyMatches(patterns []string, line string) string {
	for _, p := range patterns {
		if matches(p, line) {
			return p
		}
	}
	return ""
}

// matches reports whether a line has the form of a pattern: see [form].
func matches(pattern, line string) bool {
	if pattern == "" || line == "" {
		return strings.Trim(pattern, "*") == "" && line == ""
	}
	n := 0
	switch pattern[0] {
	case '*':
		for at := range len(line) + 1 {
			if matches(pattern[1:], line[at:]) {
				return true
			}
		}
		return false
	case '@':
		for n < len(line) && line[n] != ' ' {
			if n++; matches(pattern[1:], line[n:]) {
				return true
			}
		}
		return false
	case '#', '%':
		for n < len(line) && strings.IndexByte("0123456789.", line[n]) >= 0 {
			n++
		}
		if n == 0 || pattern[0] == '%' && strings.Trim(line[:n], "0.") == "" {
			return false
		}
	default:
		if n = 1; pattern[0] != line[0] {
			return false
		}
	}
	return matches(pattern[1:], line[n:])
}
