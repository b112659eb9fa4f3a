package handoff_test

import (
	"testing"

	"handoff/parse"
)

// TestStepBelowTitle: a title may announce the next session, and the first list below it is its step. A heading that
// announces one is better, and other titles announce nothing.
func TestStepBelowTitle(t *testing.T) {
	for src, want := range map[string]string{
		"# Next session — finish the parser\n\nRead a.md.\n\n1. **Lex** strings\n2. Parse them\n": "1. **Lex** strings\n2. Parse them",
		"# Next session\n\n1. Lex\n\n## Next steps\nParse.\n":                                     "Parse.",
		"# Parser\n\n1. Lex\n":                    "",
		"# Next session\n\nNothing is planned.\n": "",
		"# Parser\n\n## User Actions Required BEFORE Merging\n- Rotate the key\n\n## Deferred Items\n- a\n": "- Rotate the key",
		"# Parser\n\n## Current Goals\n1. Lex\n":                                                            "1. Lex",
		"# 解析器\n\n## 7. 当前待办事项\n- 修复词法\n":                                                                   "- 修复词法",
	} {
		step, ok := parse.Document([]byte(src)).NextStep()
		if ok != (want != "") || step.Text != want {
			t.Errorf("%q: %q, want %q", src, step.Text, want)
		}
	}
}
