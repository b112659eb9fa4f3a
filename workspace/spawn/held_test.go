package spawn

import (
	"errors"
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
)

// TestHeldIsRefused: a held account is a refusal, not a failure, and says until when.
func TestHeldIsRefused(t *testing.T) {
	err := &HeldError{Hold{Agent: "claude", Until: time.Date(2026, 11, 27, 3, 40, 0, 0, time.FixedZone("", 3600))}}
	if !errors.Is(err, receipt.ErrRefused) || !strings.Contains(err.Error(), "claude has no usage left until 2026-11-27T02:40:00Z") {
		t.Error(err)
	}
}
