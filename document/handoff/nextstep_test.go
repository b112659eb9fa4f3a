package handoff_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/testing/needs"
	"handoff/parse"
)

func TestNextStep(t *testing.T) {
	tests := []struct{ name, src, from, text string }{
		{"the action", "# T\n\n## Next Steps\n1. b\n\n## Immediate Next Action\nRun `make`.\n", "Immediate Next Action", "Run `make`."},
		{"an empty action", "## Immediate Next Action\n\n## Next Phase\nPhase 4: the oracle\n", "Next Phase", "Phase 4: the oracle"},
		{"small letters", "## Next phase\n\nPhase 4\n", "Next phase", "Phase 4"},
		{"an adjective and an ending", "## Recommended Next Steps (in order)\n1. a\n2. b\n", "Recommended Next Steps (in order)", "1. a\n2. b"},
		{"for whom", "## Next Steps for Continuation\n1. a\n", "Next Steps for Continuation", "1. a"},
		{"the colon's other side", "## Next Phase: Phase 3\nwrite it\n", "Next Phase: Phase 3", "write it"},
		{"a numbered subheading", "## Report\nx\n\n### 8. Next Steps\n1. a\n\ntext\n\n### 9. Files\ny\n", "8. Next Steps", "1. a\n\ntext"},
		{"a label", "# T\n\n- **Status**: done\n- **Next Phase**: 4 (tests)\n", "Next Phase", "4 (tests)"},
		{"a label above a list", "# T\n\n**Next steps**:\n\n- a\n- b\n", "Next steps", "- a\n- b"},
		{"a label above items of its own", "# T\n\n- **Next steps**:\n  - a\n  - b\n", "Next steps", "  - a\n  - b"},
		{"a line", "# T\n\nAll green.\nNext: Phase 7, the gate.\nIt is slow.\n", "Next", "Next: Phase 7, the gate.\nIt is slow."},
		{"an item", "# T\n\n## Status\n- done\n- Next: delete `cli.py`\n", "Next", "Next: delete `cli.py`"},
		{"a section before a mention before a hint", "## Remaining Work\na\n\n## Next Phase Inputs\nb\n\n## Next\nc\n", "Next", "c"},
		{"a mention before a hint", "## Remaining Work\na\n\n## Next Phase Inputs\nb\n", "Next Phase Inputs", "b"},
		{"what is left", "## Status\nx\n\n## Notes for Phase 4\nb\n", "Notes for Phase 4", "b"},
		{"a line above a list", "# T\n\nDone:\n- x\n\nNext:\n- a\n- b\n\nOpen questions:\n- q\n", "Next", "- a\n- b"},
		{"a line above lines", "# T\n\nNext steps:\nrun `a`\n\nother\n", "Next", "run `a`"},
		{"a line above nothing", "# T\n\nTask:\nNext step:\n", "", ""},
		{"an item above items", "# T\n\n- Next:\n  - a\n  - b\n", "Next", "  - a\n  - b"},
		{"an item about what is left", "# T\n\n## Summary\n- 5 runs\n- TODO: fill the cache\n", "TODO", "TODO: fill the cache"},
		{"a line about what is left", "# T\n\n## Session\nStopped at: phase 20\nResume file: a/CONTEXT.md\n", "Resume file", "Resume file: a/CONTEXT.md"},
		{"one of two subjects", "# T\n\n## Blocked (pending answers)\na\n\n## Open work / next\nb\n", "Open work / next", "b"},
		{"a path is one subject", "# T\n\n## src/next\na\n", "", ""},
		{"an adjective within", "# T\n\n## Offene Punkte / Entscheidungen\na\n\n## Nächste sinnvolle Schritte\nb\n", "Nächste sinnvolle Schritte", "b"},
		{"a priority of something", "# T\n\n- Приоритет: dynamic > static\n- **Priorität**: hoch\n", "", ""},
		{"priorities", "# T\n\n**Prioritäten:**\n- a\n", "Prioritäten", "- a"},
		{"a proposal of something", "# T\n\n## 리포트 예시 (응답 형식 제안)\nx\n", "", ""},
		{"a recommended way", "# T\n\n### 자동 빌드 (권장)\nx\n\n### Docker (recommendations)\ny\n", "", ""},
		{"a proposal", "# T\n\n## 제안\nx\n", "제안", "x"},
		{"nothing is left", "## State\nStopped at the parser.\n\n### Pending Todos\n\nNone yet.\n", "", ""},
		{"an English word that is French", "## Figures\n- Suite: 0.91 % off\n", "", ""},
		{"nothing below it", "## Next Phase\n\n## Notes\nx\n", "", ""},
		{"in a word", "## Next-and operators\n", "", ""},
		{"in a fence", "## Log\n```\nNext: x\n```\n", "", ""},
		{"what is struck through", "## TODO\n1. ~~a~~ fixed\n   in b\n2. [x] c\n3. d\n", "TODO", "3. d"},
		{"all of it is done", "## Do these first\n- [x] a\n- ✅ b\n\n## Remaining\n- c\n", "Remaining", "- c"},
		{"a table that is done", "## Priority order\n| # | Task | Status |\n|---|---|---|\n| 1 | a | DONE |\n| 2 | b | ✅ Done |\n\n## What Needs to Happen\nc\n", "What Needs to Happen", "c"},
		{"a table with a row that is open", "## Priority order\n| # | Task | Status |\n|---|---|---|\n| 1 | a | DONE |\n| 2 | b | open |\n", "Priority order", "| # | Task | Status |\n|---|---|---|\n| 1 | a | DONE |\n| 2 | b | open |"},
		{"what was before", "## Current Focus: a\nx\n\n### Pending\n- b\n\n## Previous Focus: c\n\n### Next Steps\n- d\n", "Pending", "- b"},
		{"the last session", "## Previous Session\n\n### Next Steps\n- d\n", "Next Steps", "- d"},
		{"the newest entry", "## 0.0 Session 15 latest (2026-07-07) read this\n### Next Steps\n- a\n\n## 0.0 Session 14 (2026-06-29)\n### Next Steps\n- b\n", "Next Steps", "- a"},
		{"最新", "## 0.0 🆕 セッション15 最新（2026-07-07）— ここだけ\n### 次にやること\n- a\n\n## （過去ログ）セッション14（2026-07-01〜07-03）\n### 次にやること\n- b\n", "次にやること", "- a"},
		{"above another title", "# Session 8\n\n## Next Steps\nall is done\n\n---\n\n# Session 7\n\n## Next Steps\nb\n", "Next Steps", "all is done"},
		{"words in the middle", "# T\n\n## Remaining risks\na\n\n## Next proof step\nb\n", "Next proof step", "b"},
		{"above a break", "# T\n\n## Next Phase\na\n\n---\n\n## Files\nb\n\n---\n", "Next Phase", "a"},
		{"a subheading above a break", "# T\n\n## Report\n\n### Next\na\n\n---\n", "Next", "a"},
		{"nowhere", "# T\n\n## Summary\n7 tests, the context among them.\n", "", ""},
		{"nothing", "", "", ""},
	}
	for _, tt := range tests {
		step, ok := parse.Document([]byte(tt.src)).NextStep()
		if step.From != tt.from || step.Text != tt.text || ok != (tt.from != "") {
			t.Errorf("%s: from %q: %q, %t; want %q: %q", tt.name, step.From, step.Text, ok, tt.from, tt.text)
		}
		if isAction := step.Kind == handoff.NextAction; isAction != (tt.name == "the action") {
			t.Errorf("%s: is the next action: %t", tt.name, isAction)
		}
	}
}

// TestInsteadIsFound: the cheap test that OtherNextSteps makes first passes every
// word of the table.
func TestInsteadIsFound(t *testing.T) {
	for _, word := range words.English.List("next") {
		doc := parse.Document([]byte("## Immediate Next Action\na\n\n## Recommended " + word + "\nb\n"))
		plain := parse.Document([]byte("## Other\na\n\n## " + strings.ToUpper(word) + "\nb\n"))
		for _, d := range []*handoff.Document{doc, plain} {
			found := 0
			for range d.OtherNextSteps {
				found++
			}
			last := d.Sections[len(d.Sections)-1]
			if found != 1 && last.Kind == handoff.Other {
				t.Errorf("%q is not found", last.Heading.Text)
			}
		}
	}
}

func TestOtherNextSteps(t *testing.T) {
	doc := parse.Document([]byte("## Immediate Next Action\na\n\n## Remaining Work\nb\n\n## Next Steps\nc\n\n## Next Phase Inputs\nd\n\n## Next\n"))
	var got []string
	for s := range doc.OtherNextSteps {
		got = append(got, s.Heading.Text)
	}
	if len(got) != 1 || got[0] != "Next Steps" {
		t.Errorf("%q, want Next Steps alone", got)
	}
}

// TestNextStepOfRealDocuments: hardly any real document has the section, but
// most name the next step.
func TestNextStepOfRealDocuments(t *testing.T) {
	root := needs.Folder(t, "HANDOFF_CORPUS")
	without, found := 0, 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(file)) != handoff.Folder || filepath.Ext(file) != ".md" {
			return err
		}
		src, err := os.ReadFile(file)
		doc := parse.Document(src)
		if doc.Section(handoff.NextAction) == nil {
			without++
			if _, ok := doc.NextStep(); ok {
				found++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d documents without a next action, %d of them announce a next step", without, found)
	if found*4 < without*3 {
		t.Errorf("a next step is found in %d of %d documents without a next action, want three of four", found, without)
	}
}

// TestStartPrompt: a text to start a session with is the next step only if it names one.
func TestStartPrompt(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"```text\nRead HANDOFF.md first. Then continue with the next task.\n```", "- Write the lexer."},
		{"> You are picking up this repository. Don't push.", "- Write the lexer."},
		{"```\nRead HANDOFF.md, then port `scan` to the new lexer.\n```", "port `scan`"},
	} {
		for _, form := range []string{"# T\n\n## Kickoff prompt\n%\n\n## Remaining work\n- Write the lexer.\n", "# T\n\n## Pending\n- Write the lexer.\n\n## Paste this into the next session\n%\n"} {
			step, ok := parse.Document([]byte(strings.Replace(form, "%", c.prompt, 1))).NextStep()
			if !ok || !strings.Contains(step.Text, c.want) {
				t.Errorf("%q: %q, %t, want %q", c.prompt, step.Text, ok, c.want)
			}
		}
	}
	if step, ok := parse.Document([]byte("# T\n\n## Next session prompt\nRead HANDOFF.md and continue.\n")).NextStep(); ok {
		t.Errorf("a prompt without a step is one: %q", step.Text)
	}
}
