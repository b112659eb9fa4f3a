package prove

import (
	"fmt"
	"strconv"
	"strings"
)

// totals are the numbers that a test runner prints.
type totals struct{ passed, failed, skipped int }

func (t totals) String() string {
	text := fmt.Sprintf("%d passed", t.passed)
	if t.failed > 0 {
		text += fmt.Sprintf(", %d failed", t.failed)
	}
	if t.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", t.skipped)
	}
	return text
}

// totalsOf finds the totals in an output: of pytest, cargo, Jest, Vitest, Mocha and node
// --test, or the packages of go test. ok is false if the output has none of them.
func totalsOf(output string) (t totals, unit string, ok bool) {
	var packages totals
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "ok \t"), strings.HasPrefix(line, "ok  \t"):
			packages.passed++
		case strings.HasPrefix(line, "FAIL\t"):
			packages.failed++
		case isTotal(line):
			t.add(line)
			ok = true
		}
	}
	switch {
	case ok:
		return t, "tests", true
	case packages != totals{}:
		return packages, "packages", true
	}
	return t, "", false
}

// isTotal reports whether a line is the sum of a runner, and not the name of a test.
func isTotal(line string) bool {
	switch {
	case strings.HasPrefix(line, "test result: "), // cargo
		strings.HasPrefix(line, "Tests:"), strings.HasPrefix(line, "Tests  "), // Jest, Vitest
		strings.HasPrefix(line, "# pass "), strings.HasPrefix(line, "# fail "), strings.HasPrefix(line, "# skipped "), // node --test
		strings.HasPrefix(line, "ℹ pass "), strings.HasPrefix(line, "ℹ fail "), strings.HasPrefix(line, "ℹ skipped "):
		return true
	case strings.HasPrefix(line, "==") && strings.HasSuffix(line, "=="): // pytest
		return strings.Contains(line, " in ")
	}
	number, word, _ := strings.Cut(line, " ")
	_, err := strconv.Atoi(number)
	word, _, _ = strings.Cut(word, " ")
	return err == nil && (word == "passing" || word == "failing" || word == "pending") // Mocha
}

// add adds the numbers of a line: "12 passed, 1 failed", or "# pass 12".
func (t *totals) add(line string) {
	words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '|' || r == '\t' })
	for i, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil {
			continue
		}
		about := ""
		if i+1 < len(words) {
			about = words[i+1]
		} else if i > 0 {
			about = words[i-1]
		}
		switch about {
		case "passed", "passing", "pass":
			t.passed += n
		case "failed", "failing", "fail", "error", "errors":
			t.failed += n
		case "skipped", "ignored", "pending":
			t.skipped += n
		}
	}
}
