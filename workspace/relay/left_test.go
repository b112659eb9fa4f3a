package relay

import (
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/internal/testing/treetest"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
)

// TestAcknowledged: an agent has read its handoff, also if the relay gave that back since, because it
// was stopped or asked something, and claimed it anew for the same agent. Another agent has not.
func TestAcknowledged(t *testing.T) {
	const path = "specs/1_parse/handoffs/phase-1-handoff-20260212T143022Z.md"
	dir := t.TempDir()
	treetest.Write(t, dir, ".handoff.yaml", "")
	treetest.Write(t, dir, path, "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n")
	ws, err := workspace.Open(dir, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	book, err := receipts.Open(ws)
	if err != nil {
		t.Fatal(err)
	}
	target := receipts.Target{Dir: dir, Ref: path}
	claim := func(id string) string {
		t.Helper()
		r, err := book.Claim(t.Context(), target, receipt.ClaimRequest{By: "claude", TTL: time.Hour, ID: func() string { return id }})
		if err != nil {
			t.Fatal(err)
		}
		return r.Claim
	}
	release := func(claim string) {
		t.Helper()
		if _, err := book.Release(t.Context(), receipts.Target{Dir: dir, Ref: path, Claim: claim}, "relay stopped"); err != nil {
			t.Fatal(err)
		}
	}
	acked := func(id, claim string) bool {
		t.Helper()
		task, err := openTask(ws, "r", &chain.State{Plan: chain.Plan{Task: 1}, Link: 1, Handoff: path, ClaimID: id, Claim: claim, Known: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := task.Look(t.Context())
		if err != nil || l.By != "" {
			t.Fatalf("%+v, %v", l, err)
		}
		return l.Acked
	}
	const first, second = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
	one := claim(first)
	if acked(first, one) {
		t.Error("acknowledged, without an acknowledgement")
	}
	if _, err := book.Acknowledge(t.Context(), receipts.Target{Dir: dir, Claim: one}, "", ""); err != nil {
		t.Fatal(err)
	}
	if !acked(first, one) {
		t.Error("not acknowledged")
	}
	release(one)
	again := claim(first)
	if !acked(first, again) {
		t.Error("not acknowledged any more, after the same agent got it again")
	}
	release(again)
	if other := claim(second); acked(second, other) {
		t.Error("acknowledged by the agent before")
	}
}
