package reconcile

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/parse"
)

// TestUnclearPlanKeepsCounts adds an unknown heading to a plan: the counts in
// the metadata do not change, and none is added.
func TestUnclearPlanKeepsCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var plan []string
		for n := range rapid.IntRange(0, 5).Draw(t, "phases") {
			plan = append(plan, fmt.Sprintf("### Phase %d: a %s", n+1, rapid.SampledFrom([]string{"", "[COMPLETED]", "[NOT STARTED]"}).Draw(t, "mark")))
		}
		odd := rapid.SampledFrom([]string{"### Phase A: a", "### Phase 90: a", "### Phase 1 [SKIPPED]", "### Phase X-1: a", "### Phase 80 Rollback",
			"### Phase 1-bis: a", "```", "### ✅ Phase 70: a", "### Phase 3-2: a", "### Phase 99.1: a"}).Draw(t, "odd")
		at := rapid.IntRange(0, len(plan)).Draw(t, "at")
		plan = append(plan[:at], append([]string{odd}, plan[at:]...)...)
		had := rapid.SampledFrom([]string{`{}`, `{"phases_completed": 3}`, `{"phases_total": 9}`, `{"phases_completed": 3, "phases_total": 9}`}).Draw(t, "had")
		src := `{"status": "in_progress", "partial_progress": ` + had + `}`
		got := makeCounts(src, strings.Join(plan, "\n")+"\n")
		if want := makeCounts(src, ""); got != want {
			t.Fatalf("plan\n%s\nmakes of %s\n%s, want %s", strings.Join(plan, "\n"), had, got, want)
		}
	})
}

// makeCounts plans the counts of a task with a waiting handoff for a phase that
// none of the counts here reports as done.
func makeCounts(metadata, plan string) string {
	const at = "specs/1_x/handoffs/phase-9-handoff-20260212T143022Z.md"
	doc := parse.Document([]byte("# Phase 9 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nApply `rcases`.\n"))
	s := State{
		Dir:       "specs/1_x",
		Documents: []Document{{Path: at, Name: handoff.ParseName(at), Doc: doc}},
		Metadata:  File{Path: "specs/1_x/.return-meta.json", Src: []byte(metadata)},
		Plan:      File{Path: "specs/1_x/plans/1.md", Src: []byte(plan)},
		World: World{
			Exists:  func(string) bool { return true },
			Missing: func([]artifact.ID) []artifact.ID { return nil },
		},
	}
	var counts []string
	for _, w := range Make(s).Writes {
		for _, part := range strings.FieldsFunc(string(w.New), func(r rune) bool { return strings.ContainsRune("{},\n", r) }) {
			if strings.Contains(part, "phases_") {
				counts = append(counts, strings.TrimSpace(part))
			}
		}
	}
	return strings.Join(counts, " ")
}

// TestCounted compares the counts of clear plans with those of an agent.
func TestCounted(t *testing.T) {
	const four = "### Phase 1: a [COMPLETED]\n### Phase 2: b [NOT STARTED]\n### Phase 3: c [NOT STARTED]\n### Phase 4: d [NOT STARTED]\n"
	for _, c := range []struct{ name, had, plan, want string }{
		{"none", `{}`, four, `"phases_completed": 1 "phases_total": 4`},
		{"less", `{"phases_completed": 0, "phases_total": 4}`, four, `"phases_completed": 1 "phases_total": 4`},
		{"plan marked late", `{"phases_completed": 3, "phases_total": 4}`, four, `"phases_completed": 3 "phases_total": 4`},
		{"marked late, no total", `{"phases_completed": 3}`, four, `"phases_completed": 3 "phases_total": 4`},
		{"another plan", `{"phases_completed": 5, "phases_total": 8}`, four, `"phases_completed": 1 "phases_total": 4`},
		{"another plan without marks", `{"phases_completed": 5, "phases_total": 8}`, "### Phases 1-4\n", `"phases_completed": 5 "phases_total": 8`},
		{"without marks", `{"phases_completed": 2}`, "### Phases 1-4\n", `"phases_completed": 2 "phases_total": 4`},
	} {
		if got := makeCounts(`{"status": "in_progress", "partial_progress": `+c.had+`}`, c.plan); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
