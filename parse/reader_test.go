package parse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"handoff/document/handoff"
)

// TestReader reads all documents of the tests in the same memory, forwards and
// backwards: each comes out as it does alone. Those that are kept stay as they
// were.
func TestReader(t *testing.T) {
	same := cmp.Options{cmp.AllowUnexported(handoff.Document{}), cmpopts.EquateEmpty()}
	documents := testDocuments(t)
	var r Reader
	var kept, want []*handoff.Document
	for i := range 2 * len(documents) {
		src := documents[min(i, 2*len(documents)-1-i)]
		got, alone := r.Document(src), Document(src)
		if diff := cmp.Diff(alone, got, same); diff != "" {
			t.Fatalf("%q\n(-alone +after others)\n%s", src, diff)
		}
		if i%3 == 0 {
			r.Keep()
			kept, want = append(kept, got), append(want, alone)
		}
	}
	for i := range kept {
		if diff := cmp.Diff(want[i], kept[i], same); diff != "" {
			t.Errorf("kept, then read on:\n%s", diff)
		}
	}
}
