package phases

import (
	"fmt"
	"strings"
	"testing"
)

// TestCountPhases reads the headings of plans; "want" is "completed of total",
// "? of total" or "?" where a count is Unsaid.
func TestCountPhases(t *testing.T) {
	for _, c := range []struct{ name, want, plan string }{
		{"marked", "1 of 3", "# P\n## Phase 1: a [COMPLETED]\n## Phase 2: b [IN PROGRESS]\n## Phase 3: c [NOT STARTED]\n"},
		{"range", "5 of 5", "### Phase 0-5: [COMPLETED]\n"},
		{"range and more", "5 of 8", "### Phase 0-5: [COMPLETED]\n### Phase 6: a [PARTIAL]\n### Phase 7: b [NOT STARTED]\n### Phase 8: c [NOT STARTED]\n"},
		{"plural range", "? of 3", "### Phases 1-3\n"},
		{"dash", "0 of 3", "### Phase 1–3: a [BLOCKED]\n"},
		{"words for a range", "3 of 3", "### Phases 1 to 3: a [DONE]\n"},
		{"pair", "2 of 2", "### Phase 1 & 2: a [COMPLETE]\n"},
		{"list", "2 of 3", "### Phases 1, 2: a [COMPLETED]\n### Phase 3: b [NOT STARTED]\n"},
		{"list with and", "3 of 3", "### Phases 1, 2 and 3: a [COMPLETED]\n"},
		{"from phase 0", "0 of 1", "### Phase 0: a [COMPLETED]\n### Phase 1: b [NOT STARTED]\n"},
		{"phase 0 and more", "1 of 2", "### Phase 0: a [COMPLETED]\n### Phase 1: b [COMPLETED]\n### Phase 2: c [NOT STARTED]\n"},
		{"phase 0 open", "0 of 2", "### Phase 0: a [IN PROGRESS]\n### Phase 1: b [NOT STARTED]\n### Phase 2: c [NOT STARTED]\n"},
		{"phase 0 without a mark", "? of 1", "### Phase 0: a\n### Phase 1: b [COMPLETED]\n"},
		{"phase 0 only", "?", "### Phase 0: a [COMPLETED]\n"},
		{"letters", "2 of 4", "### Phase 1: a [COMPLETED]\n### Phase 2A: b [COMPLETED]\n### Phase 2B: c [NOT STARTED]\n### Phase 3: d [NOT STARTED]\n"},
		{"range of letters", "? of 3", "### Phase 1: a\n### Phase 2A-2B: b\n"},
		{"parts of a phase", "1 of 2", "### Phase 1: a [COMPLETED]\n### Phase 2: b [PARTIAL]\n#### Phase 2.1: c [COMPLETED]\n#### Phase 2.2: d [NOT STARTED]\n"},
		{"parts with letters", "0 of 1", "### Phase 1: a [IN PROGRESS]\n#### Phase 1a: b\n#### Phase 1b: c\n"},
		{"no marks", "? of 2", "### Phase 1: a\n### Phase 2: b\n"},
		{"open phases without a mark", "1 of 3", "### Phase 1: a [COMPLETED]\n### Phase 2: b\n### Phase 3: c\n"},
		{"a gap in the marks", "? of 2", "### Phase 1: a\n### Phase 2: b [COMPLETED]\n"},
		{"mark after the number", "1 of 1", "### Phase 1 [COMPLETED]: a\n"},
		{"time of completion", "1 of 1", "### Phase 1: a [COMPLETED 2025-12-22T20:00:00Z]\n"},
		{"check mark at the end", "1 of 1", "### Phase 1: a [COMPLETED] ✅\n"},
		{"bold, closing hashes", "1 of 1", "### **Phase 1: a** [COMPLETED] ###\n"},
		{"code in a title", "1 of 1", "### Phase 1: drop `@[simp]` [COMPLETED]\n"},
		{"hours in brackets", "? of 1", "### Phase 1: a [2 hours]\n"},
		{"title about another phase", "0 of 1", "# Plan for phase 7 of the roadmap\n### Phase 1: a [NOT STARTED]\n"},
		{"headings about phases", "1 of 1", "## Phases\n### Phase 1: a [DONE]\n## Phase Dependencies\n### Phase 1 Rollback\n### Testing (Phase 1)\n"},
		{"code", "1 of 1", "### Phase 1: a [DONE]\n```\n### Phase 2: b\n```\n<!--\n### Phase 3: c\n-->\n"},
		{"overview", "0 of 2", "## Phase 1: a\n## Phase 2: b\n### Phase 1: a [BLOCKED]\n### Phase 2: b [NOT STARTED]\n"},
		{"optional, done", "2 of 2", "### Phase 1: a [DONE]\n### Phase 2: b (optional) [DONE]\n"},

		{"no phases", "?", "# P\n## Steps\n- Phase 1\n"},
		{"starts later", "?", "### Phase 3A: a [COMPLETED]\n### Phase 3B: b\n### Phase 4: c\n"},
		{"gap", "?", "### Phase 1: a\n### Phase 3: b\n"},
		{"one letter only", "?", "### Phase 1: a\n### Phase 2B: b\n"},
		{"letter beside its number", "?", "### Phase 1: a\n### Phase 1B: b\n"},
		{"part beside its number", "?", "### Phase 1: a\n### Phase 1.5: b\n### Phase 2: c\n"},
		{"parts only", "?", "### Phase 1.1: a\n### Phase 1.2: b\n"},
		{"part of a done phase open", "?", "### Phase 1: a [DONE]\n#### Phase 1.1: b [NOT STARTED]\n"},
		{"two numberings", "?", "## A\n### Phase 1: a\n### Phase 2: b\n## B\n### Phase 1: c\n"},
		{"two statuses of a phase", "?", "### Phase 1: a [NOT STARTED]\n### Phase 1: a [COMPLETED]\n"},
		{"two statuses in a heading", "?", "### Phase 1: a [OPTIONAL] [NOT STARTED]\n"},
		{"status of its own", "?", "### Phase 1: a [COMPLETED - PARTIAL]\n"},
		{"skipped", "?", "### Phase 1: a [SKIPPED]\n"},
		{"optional", "?", "### Phase 1: a\n### Phase 2: b (optional)\n"},
		{"not needed", "?", "### Phase 1: a [COMPLETED]\n### Phase 2-3: NOT NEEDED\n"},
		{"letters only", "?", "### Phase A: a\n### Phase B: b\n"},
		{"placeholder", "?", "### Phase 1: a\n### Phase N: b\n"},
		{"own numbers", "?", "### Phase EP-1: a\n### Phase EP-2: b\n"},
		{"backward range", "?", "### Phase 3-1: a\n"},
		{"perhaps a range", "?", "### Phase 1 - 3 files\n"},
		{"suffix", "?", "### Phase 1-bis: a\n"},
		{"no separator", "?", "### Phase 1 Setup\n### Phase 2 Work\n"},
		{"emoji first", "?", "### ✅ Phase 1: a\n"},
		{"levels", "?", "## Phase 1: a\n### Phase 2: b\n"},
		{"code without an end", "?", "### Phase 1: a\n```\n### Phase 2: b\n"},
		{"nested code", "?", "### Phase 1: a\n```markdown\n```sh\nx\n```\n```\n### Phase 2: b\n```yaml\n```\n"},
		{"year", "?", "### Phase 2026: a\n"},
	} {
		completed, total, err := count([]byte(c.plan))
		got := fmt.Sprintf("%d of %d", completed, total)
		got = strings.ReplaceAll(got, "-1 of -1", "?")
		got = strings.ReplaceAll(got, "-1 of", "? of")
		if got != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.name, got, c.want, err)
		}
	}
}

// A lead continues with the phase after as many as are completed: it must be the first that is
// not, whether the plan begins with phase 0 or 1.
func TestLeadContinues(t *testing.T) {
	for first := range 2 {
		for open := max(first, 1); open < 6; open++ {
			var plan strings.Builder
			for n := first; n < 6; n++ {
				mark := "NOT STARTED"
				if n < open {
					mark = "COMPLETED"
				}
				fmt.Fprintf(&plan, "### Phase %d: a [%s]\n", n, mark)
			}
			if completed, total := Of([]byte(plan.String())); completed+1 != open || total != 5 {
				t.Errorf("%d of %d, want phase %d to be the next:\n%s", completed, total, open, &plan)
			}
			if AllCompleted([]byte(plan.String())) {
				t.Errorf("phase %d is left:\n%s", open, &plan)
			}
		}
	}
	for plan, want := range map[string]bool{"### Phase 0-2: [COMPLETED]\n": true, "### Phase 0: a [IN PROGRESS]\n### Phase 1: b [COMPLETED]\n": false, "": false} {
		if AllCompleted([]byte(plan)) != want {
			t.Errorf("%q: all completed %t, want %t", plan, !want, want)
		}
	}
}

// FuzzCountPhases counts the phases of any text.
func FuzzCountPhases(f *testing.F) {
	f.Add("### Phase 0-5: a [COMPLETED]\n#### Phase 6.1 & 7B (x)\n```\n# Phase 1, 2 and 3\n<!-- -->")
	f.Add("## \x85PhAse 1")
	f.Fuzz(func(t *testing.T, src string) {
		completed, total, err := count([]byte(src))
		if completed > total || total == 0 || err != nil && total != Unsaid {
			t.Errorf("%d of %d, %v", completed, total, err)
		}
	})
}
