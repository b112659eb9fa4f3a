package convert

import (
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/parse"
	"handoff/templates"
)

// TestNextStepIsKept: a conversion keeps the next step that a brief shows, whatever announces it, and the way back
// changes nothing more.
func TestNextStepIsKept(t *testing.T) {
	for _, src := range []string{
		"# T\n\n## Next Steps\nFix `a`.\n\n## Notes\nx\n", "# T\n\n## Status\nx\n\n### Next steps\nFix `a`.\n", "# T\n\n## Status\n- **Next**: Fix `a`.\n", "# T\n\n## Status\n- Next: Fix `a`.\n",
		"# T\n\n## How to resume\nFix `a`.\n", "# T\n\n## Remaining Work\nFix `a`.\n", "# T\n\n## 次のステップ\nFix `a`.\n", "# T\n\n## Status\n**下一步**：Fix `a`.\n", "# T\n\n## 남은 작업\nFix `a`.\n", "# T\n\n## Nächste Schritte\nFix `a`.\n",
		"# Log\n\n## 2026-04-14\n- **Next**: old\n\n## 2026-04-16\n- **Next**: Fix `a`.\n", "## Immediate Next Action\nFix `a`.\n",
	} {
		from := fromSource([]byte(src), "specs/1_a/handoffs/phase-1-handoff-20261120T100000Z.md")
		b, _ := from.Bundle()
		h := FromBundle(b)
		if !strings.HasSuffix(h.Next, "Fix `a`.") || strings.Contains(h.Next, "old") {
			t.Errorf("%q: next step %q", src, h.Next)
		}
		e, _ := h.Envelope(Sending{From: "a", To: "b", TapeRef: "tape:///main/anchor/x", Time: at})
		if back := FromEnvelope(e); !strings.HasSuffix(back.Next, "Fix `a`.") {
			t.Errorf("%q: next step of the envelope %q", src, back.Next)
		}
		v, _ := h.Document()
		v.Time, v.Task, v.Phase = at, 1, 1
		text, err := templates.Render(v, "", false)
		if err != nil {
			t.Fatal(err)
		}
		doc := parse.Document(text)
		if s := doc.Section(handoff.NextAction); s == nil || !strings.HasSuffix(bodyOf(doc, s), "Fix `a`.") {
			t.Errorf("%q becomes\n%s", src, text)
		}
		if strings.Contains(src, "- **Next**") && h.Next != "Fix `a`." {
			t.Errorf("%q: next step %q", src, h.Next)
		}
		if strings.Contains(src, "## Next Steps") && strings.Count(string(text), "Fix `a`.") != 1 {
			t.Errorf("%q: the step is there twice:\n%s", src, text)
		}
	}
}
