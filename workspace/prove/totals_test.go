package prove

import "testing"

func TestTotals(t *testing.T) {
	for _, c := range []struct{ output, want, unit string }{
		{"ok  \thandoff/a\t0.1s\nok  \thandoff/b\t(cached)\n?   \thandoff/c\t[no test files]\n", "2 passed", "packages"},
		{"--- FAIL: TestA (0.00s)\nFAIL\nFAIL\thandoff/a\t0.1s\nok  \thandoff/b\t0.1s\nFAIL\n", "1 passed, 1 failed", "packages"},
		{"tests/test_a.py ..F\n=================== 2 failed, 10 passed, 3 skipped in 0.12s ===================\n", "10 passed, 2 failed, 3 skipped", "tests"},
		{"============ 1 passed, 1 error in 0.12s ============\n", "1 passed, 1 failed", "tests"},
		{"test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest result: FAILED. 3 passed; 2 failed; 0 ignored\n", "15 passed, 2 failed, 1 skipped", "tests"},
		{"Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 12 passed, 13 total\n", "12 passed, 1 failed", "tests"},
		{" Test Files  1 passed (1)\n      Tests  12 passed | 1 skipped (13)\n", "12 passed, 1 skipped", "tests"},
		{"  12 passing (20ms)\n  1 pending\n  2 failing\n", "12 passed, 2 failed, 1 skipped", "tests"},
		{"# tests 13\n# pass 12\n# fail 1\n# skipped 0\n", "12 passed, 1 failed", "tests"},
		{"ℹ pass 12\nℹ fail 0\n", "12 passed", "tests"},
	} {
		got, unit, ok := totalsOf(c.output)
		if !ok || got.String() != c.want || unit != c.unit {
			t.Errorf("%q: %s (%s, %v), want %s (%s)", c.output, got, unit, ok, c.want, c.unit)
		}
	}
	for _, output := range []string{"", "it passed 3 tests\n", "3 attempts failed\n", "== 3 passed\n", "12 passed\n"} {
		if got, _, ok := totalsOf(output); ok {
			t.Errorf("%q: %s", output, got)
		}
	}
}
