package trials_test

import (
	"os"
	"strconv"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/lint/rules"
	"handoff/measure/trials"
	"handoff/workspace"
	"handoff/workspace/trust"
)

func lab(t *testing.T) *trials.Lab {
	return &trials.Lab{Rules: workspace.Options{Rules: rules.All, Trust: trust.All}, Dir: t.TempDir(), Seed: 1}
}

// TestMutations changes generated repositories after a handoff was written. At least 95 %
// of the outdated statements must be found, and at most 2 % of the others.
// HANDOFF_MUTATIONS sets the number of repositories.
func TestMutations(t *testing.T) {
	needs.Tool(t, "git")
	needs.Tool(t, "grep")
	repositories := 8
	if text := os.Getenv("HANDOFF_MUTATIONS"); text != "" {
		repositories, _ = strconv.Atoi(text)
	}
	_, c, err := lab(t).Truth(t.Context(), repositories)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d repositories: %d of %d found, %d of %d blamed; believed %v, doubted %v", repositories, c.Found, c.Wrong, c.Blamed, c.Right, c.Believed, c.Doubted)
	if c.Found*100 < c.Wrong*95 || c.Blamed*100 > c.Right*2 || c.Wrong == 0 || c.Right == 0 {
		t.Error("too few are found, or too many blamed")
	}
}

// TestPlanted plants false statements in handoffs. Of those that can be looked up, in wordings that are known, at least 95 %
// must be told, and of all true statements at most 2 %. HANDOFF_PLANTED sets the number of false statements.
func TestPlanted(t *testing.T) {
	needs.Tool(t, "git")
	falsehoods := 60
	if text := os.Getenv("HANDOFF_PLANTED"); text != "" {
		falsehoods, _ = strconv.Atoi(text)
	}
	_, groups, err := lab(t).Planted(t.Context(), falsehoods)
	if err != nil {
		t.Fatal(err)
	}
	right, blamed := 0, 0
	for i, c := range groups {
		t.Logf("group %d: %d of %d false ones told, %d listed; %d of %d true ones blamed; missed %q, doubted %q", i, c.Found, c.False, c.Listed, c.Blamed, c.True, c.Missed, c.Doubted)
		right, blamed = right+c.True, blamed+c.Blamed
	}
	known, asserted := groups[0], groups[2]
	if known.Found*100 < known.False*95 || (asserted.Listed)*100 < asserted.False*95 || blamed*100 > right*2 || known.False == 0 || asserted.False == 0 {
		t.Error("too few are told, or too many blamed")
	}
}

// TestContract: a successor sees everything that a scenario requires.
func TestContract(t *testing.T) {
	tables, err := lab(t).Contract(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range tables[0].Rows {
		if c := row.Cells[0]; c.N != *c.Of || c.N == 0 {
			t.Errorf("%s: %s", row.Name, c)
		}
	}
}
