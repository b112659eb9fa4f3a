package claims_test

import (
	"strings"
	"testing"

	"handoff/document/claims"
	"handoff/document/seen"
	"handoff/parse"
)

// TestMark: a mark is at the end of what claims it, and nothing else of the text changes.
func TestMark(t *testing.T) {
	passed := seen.Session{Read: true, Ran: []seen.Ran{{Kinds: seen.Tests, Command: "go test ./...", Plain: true, Status: seen.Passed}, {Kinds: seen.Lints, Command: "go vet ./...", Plain: true, Status: seen.Passed}}}
	failed := seen.Session{Read: true, Ran: []seen.Ran{{Kinds: seen.Tests, Command: "go test ./...", Status: seen.Failed, Exit: 1}}}
	edited := seen.Session{Read: true, Ran: []seen.Ran{{Kinds: seen.Tests, Command: "go test ./...", Plain: true, Status: seen.Passed, Edited: "a.go"}}}
	unknown := seen.Session{Read: true, Ran: []seen.Ran{{Kinds: seen.Tests, Command: "go test ./...", Plain: true}}}
	const yes, no, old = " [verified: go test ./... @1a2b3c4]", " [unverified: failed when last run: go test ./..., exit 1]", " [unverified: not checked after the last edit, a.go: go test ./... passed before]"
	for _, c := range []struct {
		name    string
		session seen.Session
		text    string
		mark    string // at the end of the first line
	}{
		{"passed", passed, "## S\n- All tests pass\n", yes}, {"failed", failed, "## S\n- All tests pass\n", no}, {"edited", edited, "## S\n- All tests pass\n", old},
		{"a point", passed, "## S\n- All tests pass.\n", yes}, {"unknown", unknown, "## S\n- All tests pass\n", ""}, {"no record", seen.Session{}, "## S\n- All tests pass\n", ""},
		{"a paragraph", passed, "## S\nAll 40 tests passed.\n", yes}, {"not at the end", passed, "## S\nAll 40 tests passed. It is slow.\n", ""}, {"not at the end, failed", failed, "## S\nAll 40 tests passed. It is slow.\n", no},
		{"marked", failed, "## S\n- All tests pass [verified: make]\n", ""}, {"another claim", passed, "## S\n- PR #12 is merged and all tests pass\n", ""},
		{"the next action", failed, "## Immediate Next Action\n- All tests passed. Run x.\n", ""}, {"a dead end", failed, "## What NOT to Try\n- x: all tests pass, but slowly\n", ""},
		{"a criterion", failed, "## Definition of done\n- All tests pass\n", ""}, {"CI", failed, "## S\n- CI is green\n", ""}, {"CI passed", passed, "## S\n- CI is green\n", ""},
		{"a build", failed, "## S\n- The build is green\n", ""}, {"both, with two commands", passed, "## S\n- Typecheck and tests pass\n", ""}, {"another language", failed, "## S\n- Alle Tests sind grün\n", no}, {"a build in another language", failed, "## 現在の状態\n- ビルド成功\n", ""}, {"CI in another language", failed, "## 当前状态\n- CI已通过\n", ""},
		{"tests in another language", failed, "## 当前状态\n- 所有测试通过\n", no},
	} {
		heading, first, _ := strings.Cut(c.text, "\n")
		first = strings.TrimSuffix(first, "\n")
		for _, end := range []string{"\n", "\r\n", "  \n", ""} {
			src := heading + "\n" + first + end
			doc := parse.Document([]byte(src))
			got := claims.Mark(doc, c.session, func() string { return "1a2b3c4" })
			want := src
			if c.mark != "" {
				want = heading + "\n" + first + c.mark + strings.TrimLeft(end, " ")
			}
			if got != want {
				t.Errorf("%s: %q, want %q", c.name, got, want)
			}
			if again := claims.Mark(parse.Document([]byte(got)), failed, func() string { return "" }); c.mark != "" && again != got {
				t.Errorf("%s: marked twice: %q", c.name, again)
			}
		}
	}
}
