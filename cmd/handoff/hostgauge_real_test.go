package main

import (
	"slices"
	"testing"

	"handoff/internal/testing/scriptedmodel"
)

// TestNoteRealAgents: when the context of a real agent has passed a mark of the
// gauge, the next request to its model contains the note, in the middle of the
// turn. The mark is not noted again. When the turn ends without a handoff, the agent
// is asked for one, once.
func TestNoteRealAgents(t *testing.T) {
	for _, name := range []string{"claude", "gemini"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, name)
			writeFile(t, h.dir, "specs/1_first/plans/plan.md", "# Plan\n")
			h.run("setup", name, "--project")
			full := fullAt[name]
			// The sleep lets the agent write its transcript, from which the gauge reads.
			requests := turns(h.session(answers(h.calls(20_000, "sleep 0.5"), h.calls(full, "sleep 0.5"), h.calls(full+10, "sleep 0.5"),
				scriptedmodel.Answer{Input: full + 20, Text: "The parser works."}, scriptedmodel.Answer{Input: full + 30, Text: "No handoff."})))
			if len(requests) != 5 || !requests[4].Contains("This is asked once") {
				t.Fatalf("%d requests; the last one must ask for a handoff", len(requests))
			}
			if got, want := occurrences(requests[:4], "until this session is compacted"), []int{0, 0, 1, 1}; !slices.Equal(got, want) {
				t.Errorf("the requests contain the note %v times, want %v", got, want)
			}
			if got := occurrences(requests[4:], "This is asked once"); got[0] != 1 {
				t.Errorf("the last request asks %d times, want once", got[0])
			}
		})
	}
}
