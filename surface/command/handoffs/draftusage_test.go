package handoffs

import (
	"strings"
	"testing"
)

// TestDraftContradictions: options of draft that contradict each other, without a command line.
func TestDraftContradictions(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string // what the error begins with; "" for none
	}{
		{draftUsage(&draftOptions{slugGiven: true}), "--slug requires --task"},
		{draftUsage(&draftOptions{carry: true}), "--carry requires --task"},
		{draftUsage(&draftOptions{task: 1, output: "a.md"}), "--task and --output exclude"},
		{draftUsage(&draftOptions{task: 1, all: true}), "--task and --all exclude"},
		{draftUsage(&draftOptions{task: 1, slugGiven: true, carry: true}), ""},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
		}
		if c.want == "" && c.err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
