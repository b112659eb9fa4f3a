package rules

import (
	"fmt"
	"strings"
	"testing"

	"handoff/internal/json/jsonedit"
	"handoff/internal/testing/waittest"
	"handoff/lint"
	"handoff/workspace/reconcile"
)

// TestManyFindingsInOneLine: metadata that somebody else wrote may be one long line with a problem in each of its
// values. Their places are found in time that grows with the file, and columns count bytes.
func TestManyFindingsInOneLine(t *testing.T) {
	const n = 100_000
	src := `{"ä":1,"artifacts":[` + strings.TrimSuffix(strings.Repeat(`{"path":"gone"},`, n), ",") + "]}"
	object, err := jsonedit.Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p := &Pass{Task: &Task{State: reconcile.State{Metadata: reconcile.File{Path: "m.json", Src: []byte(src)}}, Derived: reconcile.Derived{Object: object}}, rule: All[0], set: new(lint.Settings)}
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range n {
			p.value(jsonedit.Path{"artifacts", i, "path"}, "does not exist")
		}
	}()
	waittest.For(t, "the places", done)
	last := p.found[n-1]
	if want := strings.LastIndex(src, `"gone"`) + 1; last.Lines.First != 1 || last.Col != want || last.EndCol != len(src)+1 {
		t.Errorf("the last is at %s, want column %d", fmt.Sprint(last.Lines.First, last.Col, last.EndCol), want)
	}
}
