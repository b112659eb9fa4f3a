package facts_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
	"handoff/internal/testing/needs"
)

// printing is a session of Claude Code with one command that ended well, for its shell, and printed something.
func printing(t *testing.T, command, output string) *facts.Facts {
	t.Helper()
	return read(t, []byte(claudeCall(t, "a", "Bash", object{"command": command})+claudeResult(t, "a", output, false)))
}

// ended is how the checks of a session ended: passed, failed, or unknown, and the line that shows it.
func ended(f *facts.Facts) string {
	var list []string
	for _, r := range f.Seen("/w", own).Ran {
		list = append(list, strings.TrimSpace([...]string{"unknown", "passed", "failed"}[r.Status]+" "+r.Shown))
	}
	return strings.Join(list, "; ")
}

// TestTotals: what runners print shows how a check ended whose status was lost.
func TestTotals(t *testing.T) {
	for _, c := range []struct{ command, output, want string }{
		{"go test ./... | tail -3", "ok  \tm/a\t0.003s\nok  \tm/b\t(cached)", "passed ok m/b (cached)"},
		{"go test ./... | tail -3", "FAIL\tm/a\t0.003s\nok  \tm/b\t0.003s\nFAIL", "failed FAIL m/a 0.003s"},
		{"go test ./... 2>&1 | tail -1", "FAIL", "failed FAIL"},
		{"go test ./... | tail -1", "?   \tm/a\t[no test files]", "unknown"},
		{"go test -run X ./... | tail -1", "ok  \tm/a\t0.003s [no tests to run]", "unknown"},
		{"go test ./... -cover | tee log", "ok  \tm/a\t0.003s\tcoverage: 80.0% of statements", "passed ok m/a 0.003s coverage: 80.0% of statements"},
		{"timeout 60 go test ./... | tail -3", "ok  \tm/a\t0.003s", "unknown"},
		{"go vet ./... 2>&1 | head", "# m/a\na/a.go:3:2: unreachable code", "failed a/a.go:3:2: unreachable code"},
		{"go vet ./... 2>&1 | head", "", "unknown"},
		{"cd /w && pytest -q 2>&1 | tail -3", "....\n4 passed, 1 warning in 0.12s", "passed 4 passed, 1 warning in 0.12s"},
		{"python -m pytest | tail -3", "===== \x1b[31m2 failed\x1b[0m, \x1b[32m5 passed\x1b[0m in 65.2s (0:01:05) =====", "failed 2 failed, 5 passed in 65.2s (0:01:05)"},
		{"uv run pytest | tail", "3 passed, 1 error in 0.5s", "failed 3 passed, 1 error in 0.5s"},
		{"pytest | tail", "no tests ran in 0.01s", "unknown"}, {"pytest --cov | tail", "FAIL Required test coverage of 80% not reached.\n5 passed in 1s", "failed FAIL Required test coverage of 80% not reached."},
		{"python3 -m unittest | tail -4", "----\nRan 3 tests in 0.001s\n\nOK", "passed OK"}, {"python3 -m unittest | tail -4", "Ran 3 tests in 0.001s\n\nFAILED (failures=1)", "failed FAILED (failures=1)"},
		{"cargo test 2>&1 | tail -3", "test result: ok. 3 passed; 0 failed; 0 ignored; finished in 0.01s", "passed test result: ok. 3 passed; 0 failed; 0 ignored; finished in 0.01s"},
		{"cargo test | tail", "test result: FAILED. 3 passed; 1 failed;", "failed test result: FAILED. 3 passed; 1 failed;"},
		{"cargo test --no-fail-fast | tail -3", "test result: ok. 0 passed; 0 failed;", "unknown"},
		{"cargo clippy 2>&1 | tail -2", "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.31s", "passed Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.31s"},
		{"cargo build 2>&1 | tail", "error: could not compile `m` (lib) due to 1 previous error", "failed error: could not compile `m` (lib) due to 1 previous error"},
		{"npx jest 2>&1 | tail -5", "Test Suites: 3 passed, 3 total\nTests:       33 passed, 33 total\nTime: 3 s", "passed Tests: 33 passed, 33 total"},
		{"npm test 2>&1 | tail -5", "Test Suites: 1 failed, 2 passed, 3 total\nTests:       33 passed, 33 total", "failed Test Suites: 1 failed, 2 passed, 3 total"},
		{"npx jest | tail -3", "Tests:       33 passed, 33 total\nTime: 3 s", "unknown"}, // a suite may have failed
		{"npx vitest run | tail", " Test Files  3 passed (3)\n      Tests  33 passed | 2 skipped (35)\n   Duration  1.2s", "passed Tests 33 passed | 2 skipped (35)"},
		{"pnpm test | tail", " Test Files  1 failed | 2 passed (3)\n      Tests  33 passed (33)", "failed Test Files 1 failed | 2 passed (3)"},
		{"node --test | tail -8", "ℹ tests 3\nℹ pass 3\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0", "passed cancelled 0"}, {"node --test | tail -8", "# pass 2\n# fail 1\n# cancelled 0", "failed fail 1"},
		{"node --test | tail -3", "# cancelled 0\n# skipped 0\n# todo 0", "unknown"},
		{"npx mocha | tail", "  12 passing (34ms)\n", "passed 12 passing (34ms)"}, {"npx mocha | tail", "  12 passing (34ms)\n  1 failing", "failed 1 failing"},
		{"bun test 2>&1 | tail -4", " 5 pass\n 0 fail\nRan 5 tests across 1 file. [9.00ms]", "passed Ran 5 tests across 1 file. [9.00ms]"},
		{"bundle exec rspec | tail -3", "7 examples, 0 failures", "passed 7 examples, 0 failures"}, {"rspec | tail", "7 examples, 2 failures", "failed 7 examples, 2 failures"},
		{"./vendor/bin/phpunit | tail -3", "OK (5 tests, 9 assertions)", "passed OK (5 tests, 9 assertions)"}, {"phpunit | tail -3", "FAILURES!\nTests: 5, Assertions: 9, Failures: 1.", "failed FAILURES!"},
		{"mix test | tail -3", "5 tests, 0 failures", "passed 5 tests, 0 failures"}, {"cd apps/a; mix test | tail -3", "5 tests, 0 failures", "unknown"}, {"mix credo | tail -3", "270 mods/funs, found no issues.", "passed 270 mods/funs, found no issues."},
		{"mix test | tail -9", "** (RuntimeError) logged by a test\n5 tests, 0 failures", "passed 5 tests, 0 failures"}, {"mix format && mix compile 2>&1 | tail", "** (Mix) no", "failed ** (Mix) no"},
		{"mix test 2>&1 | tee log", "Finished in 0.1 seconds\n2 doctests, 5 tests, 0 failures", "passed 2 doctests, 5 tests, 0 failures"}, {"mix test | tail -3", "5 tests, 1 failure", "failed 5 tests, 1 failure"},
		{"./gradlew test | tail -5", "BUILD SUCCESSFUL in 3s\n4 actionable tasks: 4 executed", "passed BUILD SUCCESSFUL in 3s"}, {"gradle test | tail", "BUILD FAILED in 3s", "failed BUILD FAILED in 3s"},
		{"mvn -q test | tail", "[INFO] BUILD SUCCESS", "passed [INFO] BUILD SUCCESS"}, {"mvn -fn test | tail", "[INFO] BUILD SUCCESS", "unknown"}, {"mvn test | tail -20", "[INFO] BUILD FAILURE", "failed [INFO] BUILD FAILURE"},
		{"dotnet test | tail -2", "Passed!  - Failed:     0, Passed:     3, Skipped:     0", "unknown"}, {"dotnet build | tail -4", "Build succeeded.\n    0 Warning(s)\n    0 Error(s)", "passed 0 Error(s)"},
		{"npx tsc --noEmit | head -5", "src/a.ts(3,5): error TS2322: Type 'x' is not", "failed src/a.ts(3,5): error TS2322: Type 'x' is not; failed src/a.ts(3,5): error TS2322: Type 'x' is not"},
		{"ruff check . | tail -1", "All checks passed!", "passed All checks passed!"}, {"ruff check | tail -1", "Found 3 errors.", "failed Found 3 errors."}, {"ruff check --fix | tail -1", "Found 3 errors (3 fixed, 0 remaining).", "unknown"},
		{"npx eslint . | tail -3", "✖ 3 problems (1 error, 2 warnings)", "failed 3 problems (1 error, 2 warnings)"}, {"npx eslint . | tail -3", "✖ 2 problems (0 errors, 2 warnings)", "unknown"},
		{"mypy . | tail -1", "Success: no issues found in 3 source files", "passed Success: no issues found in 3 source files"},
		{"make test 2>&1 | tail -5", "ok  \tm/a\t0.003s\nmake: *** [Makefile:3: test] Error 1", "failed make: *** [Makefile:3: test] Error 1"}, {"make test 2>&1 | tail -5", "ok  \tm/a\t0.003s", "passed ok m/a 0.003s"},
		{"npm run build 2>&1 | tail", "✓ built in 1.21s", "passed built in 1.21s"},
	} {
		if got := ended(printing(t, c.command, c.output)); got != c.want {
			t.Errorf("%q printing %q:\n%s\nwant\n%s", c.command, c.output, got, c.want)
		}
	}
}

// TestTotalsOfOthers: what another part of the line may have printed, or changed, or what is cut off, shows nothing.
func TestTotalsOfOthers(t *testing.T) {
	const good, bad = "5 passed in 1.2s", "1 failed, 5 passed in 1.2s"
	for _, c := range []struct{ command, output, want string }{
		{"pytest | tail -3; echo", good, "passed " + good}, {"pytest | tail -3; echo \"exit $?\"", good + "\nexit 0", "passed " + good}, {"pytest -q || true", good, "passed " + good}, {"pytest -q || true", bad, "failed " + bad},
		{"export X=1; cd /w; pytest | cat; git add -A", good, "passed " + good},
		{"pytest | tail -3; echo '5 passed in 1.2s'", good, "unknown"}, {"echo '5 passed in 1.2s'; pytest | tail -3", good, "unknown"}, {"pytest | tail -3; echo $(cat x)", good, "unknown"},
		{"pytest | tail -3; echo \"$? passed in 1s\"", good, "unknown"}, {"pytest | tail -3; printf '%s passed in 1s' 5", good, "unknown"}, {"pytest | tail -3; echo -e '5 p\\x61ssed in 1s'", good, "unknown"}, {"pytest | tail -3; cat log", good, "unknown"},
		{"pytest | tail -3; git log -1", good, "unknown"}, {"pytest() { echo '5 passed in 1.2s'; }; pytest | tail", good, "unknown"}, {"for i in 1 2; do pytest; done | tail", good, "unknown"},
		{"alias pytest='echo 5 passed in 1s'; pytest | tail", good, "unknown"}, {"pytest | sed s/failed/passed/", good, "unknown"}, {"pytest | tail -1 fake.txt", good, "unknown"}, {"pytest | tail -c 17", good, "unknown"},
		{"pytest | grep -o '[0-9]* passed.*'", good, "unknown"}, {"pytest | grep passed", good, "unknown"}, {"pytest | grep failed", bad, "failed " + bad}, {"pytest | grep passed fake.txt", bad, "unknown"}, {"pytest | head -5", good, "unknown"},
		{"pytest > log 2>&1; echo done", good, "unknown"}, {"pytest a; pytest b | tail -3", good, "unknown"}, {"yes | pytest | tail", good, "unknown"},
		{"pytest | tail", "... [120 lines truncated] ...\n" + good, "unknown"}, {"pytest | tail", "<persisted-output>\n" + good + "\n</persisted-output>", "unknown"},
		{"pytest | tail", strings.Repeat("x", 3000) + good, "unknown"}, {"pytest | tail", strings.Repeat("x", 30_000) + "\n" + good, "passed " + good},
		{"echo '" + good + "'", good, ""}, {"cat <<EOF\n" + good + "\nEOF", good, ""}, {"grep -rn pytest .", good, ""},
		{"npm run lint | tail; npm test | tail", "  12 passing (3ms)\nnpm error code 1", "unknown; unknown"}, // which of them failed is not known
		{"ruff check . | tail; pytest | tail", "Found 3 errors.\n" + good, "passed " + good + "; failed Found 3 errors."},
		{"pytest | tail", "it says \"5 passed in 1.2s\"", "unknown"}, {"pytest | tail", "5 passed by hand", "unknown"}, {"pytest | tail", "0 passed in 1s", "unknown"},
		{"npm test --workspaces | tail", "  12 passing (3ms)", "unknown"}, {"make -k test | tail", "ok  \tm/a\t0.003s", "unknown"}, {"go test ./... | tail", good, "unknown"},
	} {
		if got := ended(printing(t, c.command, c.output)); got != c.want {
			t.Errorf("%q printing %.80q:\n%s\nwant\n%s", c.command, c.output, got, c.want)
		}
	}
	failed := read(t, []byte(claudeCall(t, "a", "Bash", object{"command": "pytest | tail"})+claudeResult(t, "a", "Command timed out\n"+good, true)))
	if got := ended(failed); got != "unknown" {
		t.Errorf("ended by the host: %s", got)
	}
	background := read(t, []byte(claudeCall(t, "a", "Bash", object{"command": "pytest | tail"})+
		line(t, object{"type": "user", "uuid": "u", "sessionId": "s", "toolUseResult": object{"backgroundTaskId": "b"}, "message": object{"content": []object{{"type": "tool_result", "tool_use_id": "a", "content": good}}}})))
	if got := ended(background); got != "unknown" {
		t.Errorf("in the background: %s", got)
	}
}

// TestTotalsCorpus counts how the checks of recorded sessions ended: by their status, by a total, and unknown. docs/checks.md has the figures.
func TestTotalsCorpus(t *testing.T) {
	var all facts.Endings
	root := filepath.Join(needs.Folder(t, "HANDOFF_CORPUS"), "transcripts")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".jsonl" {
			return err
		}
		src, err := os.Open(name)
		if err != nil {
			return err
		}
		defer src.Close()
		if f, err := facts.Read(src, ""); err == nil {
			all.Add(f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", all)
	if all.ByStatus < 20 || all.ByTotal < 27 || all.Unknown == 0 {
		t.Errorf("%+v", all)
	}
}
