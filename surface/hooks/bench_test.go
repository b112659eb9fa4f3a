package hooks_test

import (
	"testing"

	"handoff/agents/host"
)

// BenchmarkStart answers the start of a session for which nothing waits.
func BenchmarkStart(b *testing.B) {
	root := treeOf(b, false)
	const stdin = `{"session_id":"a","hook_event_name":"SessionStart","source":"startup"}`
	if got := answer(b.Context(), root, "claude", host.SessionStart, stdin); got == "" {
		b.Fatal("nothing was delivered")
	}
	for b.Loop() {
		if got := answer(b.Context(), root, "claude", host.SessionStart, stdin); got != "" {
			b.Fatal(got)
		}
	}
}
