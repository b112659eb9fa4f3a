package tail

import (
	"testing"

	"handoff/agents/transcript"
)

// TestMaySave: a line that is not decoded has no call that saves a handoff, in whatever
// form a host writes it.
func TestMaySave(t *testing.T) {
	for line, want := range map[string]bool{
		`{"command":"handoff new --task 1"}`:              true,
		`{"command":"cd x && /bin/handoff\tnew"}`:         true,
		`{"command":"handoff   new"}`:                     true,
		`{"command":["handoff","new","--task"]}`:          true,
		`{"command":["sh","-lc","handoff  new"]}`:         true,
		`{"arguments":"{\"cmd\":[\"handoff\",\"new\"]}"}`: true,
		`{"name":"mcp__handoff__handoff_new"}`:            true,
		`{"file_path":"/w/specs/1_a/handoffs/x.md"}`:      true,
		`{"file_path":"C:\\w\\handoffs\\x.md"}`:           true,
		`{"command":"handoff next; handoff new"}`:         true,
		`{"command":"handoff next"}`:                      false,
		`{"text":"the handoff is a new one"}`:             false,
		`{"text":"handoffs are new"}`:                     false,
		`{"text":"handoff`:                                false,
		`{"text":"handoff\`:                               false,
		`{"text":"nothing"}`:                              false,
	} {
		if got := maySave([]byte(line)); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
		}
	}
}

// TestMay: a part with the mark of a compaction is read, whatever the mark begins with.
func TestMay(t *testing.T) {
	for format, mark := range transcript.Marks {
		e := earlier{mark: []byte(mark), rare: []byte(mark[rarest([]byte(mark)):])}
		if !e.may([]byte(`{"type":`+mark+"}\n")) || e.may([]byte(`{"type":"user"}`+"\n")) || len(e.rare) < 5 {
			t.Errorf("%s: searched by %q", format, e.rare)
		}
	}
}
