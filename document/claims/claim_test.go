package claims_test

import (
	"fmt"
	"strings"
	"testing"

	"handoff/document/claims"
	"handoff/document/handoff"
	"handoff/parse"
)

// claimsOf are the claims of a section with a text, each as "kind path-or-name number".
func claimsOf(t *testing.T, src string) []string {
	doc := parse.Document([]byte(src))
	var list []string
	for c := range claims.In(doc, false) {
		list = append(list, strings.TrimSpace(fmt.Sprint(c.Kind, " ", c.Path, c.Name, " ", c.Number)))
	}
	return list
}

func TestClaims(t *testing.T) {
	for text, want := range map[string]string{
		"Tests were passing on the last run before the interrupt.": "tests pass  0",
		"All 527 tests pass.":                                             "tests pass  0",
		"Build is green.":                                                 "tests pass  0",
		"PR #12 is merged.":                                               "something was merged  0",
		"Merged `feature/scan` into main.":                                "something was merged feature/scan 0",
		"The branch `feature/scan` was merged.":                           "something was merged feature/scan 0",
		"Commit 1a2b3c4 has been merged to main.":                         "something was merged 1a2b3c4 0",
		"All commits are pushed to origin.":                               "something was pushed  0",
		"Everything is committed and pushed to main.":                     "something was pushed  0",
		"Deployed to staging.":                                            "something was released  0",
		"v1.4.0 was released on npm.":                                     "something was released  0",
		"Issue #311 is closed.":                                           "an issue is closed  0",
		"Fixed #44.":                                                      "an issue is closed  0",
		"The migration is owned by Ann.":                                  "work belongs to somebody  0",
		"The scanner is owned by the core team.":                          "work belongs to somebody  0",
		"Anna owns `docs`.":                                               "work belongs to somebody  0",
		"Carla maintains src/scan.go.":                                    "work belongs to somebody  0, a file holds something src/scan.go 0",
		"The scanner belongs to the platform team.":                       "work belongs to somebody  0",
		"The working solution is saved as solution.py (it is read there)": "a file holds something solution.py 0",
		"The scanner lives in `src/scan.go`.":                             "a file holds something src/scan.go 0",
		"The lemma is located in src/basic.lean, not in src/defs.lean":    "a file holds something src/basic.lean 0",
		"Tests were passing when I stopped.":                              "tests pass  0",
		"src/check/x.go is owned by the core team.":                       "work belongs to somebody  0, a file holds something src/check/x.go 0",
		"File exists at max_path_sum.py with complete implementation":     "a file holds something max_path_sum.py 0",
		"`src/cache.go` does not exist yet.":                              "a file does not exist yet src/cache.go 0",
		"src/cache.go has not been written.":                              "a file does not exist yet src/cache.go 0",
		"The bug is at src/scan.go:40.":                                   "a file has a line src/scan.go 40",
		"See line 40 of src/scan.go":                                      "a file has a line src/scan.go 40",
		"src/scan.go has 240 lines.":                                      "a file has a number of lines src/scan.go 240",
		"There are 1,240 lines in src/scan.go.":                           "a file has a number of lines src/scan.go 1240",
		"Work is at commit 1a2b3c4d.":                                     "there is a commit 1a2b3c4d 0",
		"Everything is on branch `fix/scan`.":                             "there is a branch fix/scan 0",
	} {
		for _, form := range []string{"## Current State\n%s\n", "## Current State\n- %s\n", "## S\nBefore that. %s\n", "## S\n- [x] %s\n"} {
			if got := strings.Join(claimsOf(t, fmt.Sprintf(form, text)), ", "); got != want {
				t.Errorf("%q in %q: %q, want %q", text, form, got, want)
			}
		}
		for _, form := range []string{"## Current State\n- [ ] %s\n", "## Definition of done\n- %s\n", "## Critical Context\n- \"%s\"\n"} {
			if got := claimsOf(t, fmt.Sprintf(form, text)); len(got) > 0 {
				t.Errorf("%q in %q: %q, want none", text, form, got)
			}
		}
	}
	for _, text := range []string{"Merge the branch when CI is green.", "PR #12 is not merged.", "PR #12 can be merged.", "It has to be pushed to origin.", "Wait until #12 is merged.", "Was PR #12 merged?",
		"The merged cells are kept.", "A closed loop over issues.", "Deploy it to staging next.", "It must be saved as out/x.py.", "Write it to `out/x.py`.", "Create `src/cache.go`.",
		"The published API of the parser.", "Released memory is not reused.", "Pushed-down filters are slow.", "The color is #1a2b3c4.", "Do not rebase the branch.", "Continue working on the proof", "The store owns `state`.", "The file is owned by root.", "Debian maintains a fork.", "The lock belongs to the caller.", "`.claude/` and `.codex/skills/` are local.", "Work is in `fix/`.", "Test file exists (typically `test_x.py`)", "Create/verify that the file exists at `src/x.go`", "the two branches of the if",
		"Alice said that all tests pass.", "The docs say the release is live.", "Previously all tests passed on main.", "The build was green before the refactoring.", "Imagine all tests pass.", "The goal: all tests pass", "All tests pass when the flag is set.", "Credentials now live in `.env`.", "R9: live store and workflow adapters", "Any serialization format works.", "`tsc` and lint clean after every slice.", "It is being released as v0.4.0, up from v0.3.2 test builds.", "Backend stack: Hono, deployed to AWS Lambda.", "In theory all tests pass.",
		"Nothing is at src/zz.go yet"} {
		if got := claimsOf(t, "## Current State\n- "+text+"\n"); len(got) > 0 {
			t.Errorf("%q: %q, want none", text, got)
		}
	}
	for c := range claims.In(parse.Document([]byte("## S\n- `go test ./...`: no error reported (session.jsonl:12, 14)\n")), true) {
		t.Errorf("with its line in a transcript: %+v", c)
	}
	if c := claimsOf(t, "## Immediate Next Action\nRun `make`; all tests pass today. Tests were passing before the stop.\n"); len(c) > 1 {
		t.Errorf("in a next action: %q", c)
	}
}

// TestMarked: a mark at the end of an item says how its claims were checked.
func TestMarked(t *testing.T) {
	doc := parse.Document([]byte("## S\n- PR #12 is merged [verified: gh pr view 12]\n- PR #13 is merged\n"))
	var marked []bool
	for c := range claims.In(doc, true) {
		marked = append(marked, c.Marked)
		if c.Section != handoff.Other || c.Lines.First != len(marked)+1 {
			t.Errorf("%+v", c)
		}
	}
	if fmt.Sprint(marked) != "[true false]" {
		t.Errorf("marked %v", marked)
	}
}
