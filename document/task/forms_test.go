package task

import "testing"

func TestIsOther(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"a form with braces", "# Handoff\n\n> **Max Length**: 20 lines\n\n## Question\n\n{The specific question}\n\n## Answer\n\n{Direct answer}\n\n## Files\n\n- `{path}` - {what is relevant}\n", true},
		{"a form with brackets", "# Session\n\n## Done\n- [What was done here]\n- [Another thing done]\n\n## Next\n- [What comes next]\n", true},
		{"an index of items", "# Handoffs\n\n- [Login](2026-01-02-login.md)\n- [Form](2026-01-03-form.md): the form\n", true},
		{"an index as a table", "# Handoffs\n\n| file | about |\n|---|---|\n| [a](a.md) | x |\n| [b](b.md) | x |\n| [c](c.md) | x |\n| [d](d.md) | x |\n", true},
		{"a handoff", "# Login\n\nThe form works.\n\n## Next\n1. Call `retry` in `src/a.ts`.\n2. Read [the plan](plan.md).\n", false},
		{"code with braces", "# Login\n\nUse this:\n\n```ts\nif (x) { return a }\nconst { b } = c\n```\n\nThe rest works.\nRun the tests.\nThen push.\nIt is red.\nFix it.\n", false},
		{"boxes and links", "# Login\n\n- [ ] Write the form\n- [x] Add the table\n- [ ] See [Form of it](x.md) first\n", false},
		{"nothing", "", false},
	} {
		if got := IsOther([]byte(c.text)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	l, _ := Preset("sessions")
	for p, want := range map[string]bool{"docs/handoffs/mini-research.md": true, "docs/handoffs/2026-02-12-fix.md": false, "docs/handoffs/session-08.md": false} {
		if got := l.Suspect(p); got != want {
			t.Errorf("%s: %v", p, got)
		}
	}
}
