package receipts

import (
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
)

// Whatever an agent prints as its error, the reason can be recorded.
func TestReason(t *testing.T) {
	key := "sk-ant-api03-" + strings.Repeat("aB3dE5gH7j", 9) + "-abcdefAA"
	for _, failed := range []string{"plain", "two\nlines\r\n", "\x1b[31mred\x1b[0m \u202ereversed \u200b", "\xff\xfe", strings.Repeat("é", 1000), "401: key " + key} {
		got := Reason("codex failed: " + failed)
		if strings.Contains(got, key) || !strings.HasPrefix(got, "codex failed:") {
			t.Errorf("%q: %q", failed, got)
		}
		at := receipt.Moment{Now: time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)}
		place, err := receipt.Locate(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		store := receipt.Open(place)
		store.Unchecked = true
		l, err := store.Record(t.Context(), "a.md", at.Claim(receipt.ClaimRequest{By: "codex", TTL: time.Minute, ID: func() string { return "x" }}))
		if err == nil {
			_, err = store.Record(t.Context(), "a.md", at.Release(l.Claim.ID, got))
		}
		if err != nil {
			t.Errorf("%q is refused: %v", got, err)
		}
	}
}
