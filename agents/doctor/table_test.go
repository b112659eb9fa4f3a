package doctor

import (
	"maps"
	"slices"
	"testing"

	"handoff/agents"
	"handoff/agents/host"
)

// TestNames: each check that an entry may name is here, and no other.
func TestNames(t *testing.T) {
	for _, c := range []struct{ table, code []string }{
		{agents.TrustForms, slices.Collect(maps.Keys(trusts))}, {agents.DoctorChecks, slices.Collect(maps.Keys(programmed))},
	} {
		if !slices.Equal(slices.Sorted(slices.Values(c.table)), slices.Sorted(slices.Values(c.code))) {
			t.Errorf("the table has %v, the code %v", c.table, c.code)
		}
	}
	m := scene{}.machine(t)
	for _, name := range host.Names() {
		a, err := m.agent(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range a.checks() {
			if !slices.Contains(order, k.name) {
				t.Errorf("%s: the check %s has no place in the order", name, k.name)
			}
		}
	}
}
