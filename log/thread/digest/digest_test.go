package digest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"handoff/log/artifact"
)

// TestDigest compares the digest of some messages with a golden file.
func TestDigest(t *testing.T) {
	d := New()
	for i, content := range []string{
		"Let us parse the frames.\nTODO: write the parser\n- fix the scanner\nTODO: write the parser",
		"  \n\nParser is written; frames parse.\nDecision: frames keep their bytes\nnothing to note",
		"", strings.Repeat("é", 300), "The parser, the parser, the scanner 123 a-b_c --- the",
	} {
		d.Message([]string{"alice", "bob\nbob"}[i%2], content)
	}
	h := Head{Thread: "t", Rule: "stride_messages_v1/5", MessageID: "m5", Seq: 9, Ordinal: 5, Base: artifact.Sum(nil).String()}
	got := d.Markdown(h, "# x\n\n- head\n\n## Cumulative Summary\n\nWhat was before.\n\n## Recent\n- y")
	const golden = "testdata/digest.md"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || got != string(want) {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestDigestIsBounded summarizes much text, and then the summaries again.
func TestDigestIsBounded(t *testing.T) {
	before := ""
	for round := range 20 {
		d := New()
		for i := range 200 {
			d.Message(strings.Repeat("x", 500), strings.Repeat(fmt.Sprintf("todo %d.%d é%s\n", round, i, strings.Repeat("w", 300)), 60))
		}
		before = d.Markdown(Head{Thread: "t", Ordinal: uint64(round)}, before)
		if n := utf8.RuneCountInString(before); n > maxSummary || !utf8.ValidString(before) {
			t.Fatalf("round %d: %d characters", round, n)
		}
		if !strings.Contains(before, fmt.Sprintf("todo %d.199", round)) || round > 5 && !strings.Contains(before, "todo 0.") {
			t.Fatalf("round %d has lost the newest or the oldest:\n%s", round, before)
		}
	}
	counts := map[string]int{}
	for i := range maxDifferent * 2 {
		tally(counts, fmt.Sprint(i))
		tally(counts, "often")
	}
	if len(counts) > maxDifferent+1 || counts["often"] != maxDifferent*2 {
		t.Errorf("%d different words", len(counts))
	}
}
