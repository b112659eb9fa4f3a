package brief_test

import (
	"strings"
	"testing"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/parse"
)

// TestLog: the brief of a log has the next step of its newest entry, and says how many there are.
func TestLog(t *testing.T) {
	src := "# Log\n\n## 2026-04-14 session 3\n**Next**: old\n\n## 2026-04-16 session 5\n**Next**: fix `Printer`\n"
	text, err := brief.Make(brief.Source{Doc: parse.Document([]byte(src)), Name: handoff.ParseName("HANDOFF.md"), Path: "HANDOFF.md"}, brief.Start, 4000)
	if err != nil || !strings.Contains(text, "fix `Printer`") || strings.Contains(text, "old") || !strings.Contains(text, `a log of 2 sessions; the next step is from the newest entry that has one: "2026-04-16 session 5"`) {
		t.Errorf("%v:\n%s", err, text)
	}
	if got := brief.Sections(parse.Document([]byte(src)), brief.Start)["next_action"]; got != "fix `Printer`" && got != "**Next**: fix `Printer`" {
		t.Errorf("%q", got)
	}
}
