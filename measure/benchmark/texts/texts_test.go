package texts_test

import (
	"reflect"
	"testing"

	"handoff/measure/benchmark"
	"handoff/measure/benchmark/texts"
)

// TestChain: no item is lost without a report.
func TestChain(t *testing.T) {
	for seed := range uint64(2) {
		s, err := texts.Chain(seed)
		if err != nil {
			t.Fatal(err)
		}
		alone, all := s.Tables[0].Rows[0].Cells[0], s.Tables[0].Rows[1].Cells[0]
		if all.N != *all.Of || alone.N >= all.N || all.N == 0 {
			t.Errorf("seed %d: %v with the last document, %v with the chain", seed, alone, all)
		}
	}
}

// TestBudget: the same seed gives the same figures, and a brief never lacks the next
// action or where the document is.
func TestBudget(t *testing.T) {
	s, err := texts.Budget(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range s.Tables {
		for _, column := range []int{0, 1, 3} {
			if c := table.Rows[0].Cells[column]; c.N != *c.Of {
				t.Errorf("%s: %s in %v", table.Title, table.Columns[column], c)
			}
		}
	}
	var again benchmark.Suite
	if again, err = texts.Budget(3); err != nil || !reflect.DeepEqual(s, again) {
		t.Error("the same seed gives other figures", err)
	}
}
