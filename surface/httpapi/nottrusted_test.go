package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"handoff/workspace/stores"
)

// TestNotTrusted: a client learns why a store is not used, and what the user types.
func TestNotTrusted(t *testing.T) {
	p := problemOf(fmt.Errorf("nats://127.0.0.1:1/p: %w: theirs", stores.ErrNotTrusted))
	if p.Status != http.StatusForbidden || !strings.Contains(p.Detail, "`handoff trust`") || strings.Contains(p.Detail, "127.0.0.1") {
		t.Errorf("%+v", p)
	}
}
