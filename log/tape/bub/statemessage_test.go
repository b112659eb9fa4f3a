package bub

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"handoff/log/tape"
	"handoff/log/tape/chat"
)

// TestStateIsShown: every way to hand off writes the message for Bub's model,
// unless there is no state.
func TestStateIsShown(t *testing.T) {
	h := open(t, t.TempDir())
	tp := must(h.Tape("main"))(t)
	state := json.RawMessage(`{"summary": "größe"}`)
	envelope := tape.Envelope{Type: "context_handoff", From: "agent:a", To: "agent:b", Timestamp: "2026-02-21T12:00:00Z"}
	envelope.Content.Summary, envelope.Content.TapeRef, envelope.Content.Ownership = "größe", "tape://w/main/anchor/p", "transfer"
	for _, way := range []struct {
		name string
		do   func() error
	}{
		{"handoff", func() error { _, err := tp.Handoff(ctx, "p", state, json.RawMessage(`{"run_id": "r"}`)); return err }},
		{"once", func() error { _, _, err := tp.HandoffOnce(ctx, "q", state); return err }},
		{"received", func() error { _, _, err := tp.Receive(ctx, envelope, "r"); return err }},
		{"overflow", func() error { // last, because it repeats the summary of the previous anchor
			must(tp.Append(ctx, entry(t, "message", `{"role": "assistant", "content": "x"}`, "")))(t)
			anchor, _, err := chat.Overflow(&must(tp.Anchors(1))(t)[0], tp.Query(tape.Query{Window: tape.FromLastAnchor()}), "the context length is exceeded")
			if err == nil {
				_, err = tp.Handoff(ctx, chat.OverflowAnchor, anchor, nil)
			}
			return err
		}},
	} {
		if err := way.do(); err != nil {
			t.Fatalf("%s: %v", way.name, err)
		}
		s := must(tp.Slice(tape.FromLastAnchor()))(t)
		shown := 0
		for _, e := range s.Entries {
			var message struct{ Role, Content string }
			if e.IsStateMessage() && json.Unmarshal(e.Payload, &message) == nil && message.Role == "user" &&
				strings.HasPrefix(message.Content, "[Anchor created: "+s.Boundary.Name()+"]: {") && strings.Contains(message.Content, "größe") {
				shown++
			}
		}
		if shown != 1 {
			t.Errorf("%s: shown %d times", way.name, shown)
		}
	}
	for _, state := range []string{"", "{}"} {
		if stored := must(tp.Handoff(ctx, "empty", json.RawMessage(state), nil))(t); len(stored) != 2 {
			t.Errorf("%q: %d entries", state, len(stored))
		}
	}
}

func TestDelete(t *testing.T) {
	h := open(t, t.TempDir())
	put(t, h, "main.jsonl", say(1, "x")+"\n")
	put(t, h, "main.jsonl.20260221T120000Z.bak", "of the same second")
	archive, err := h.Delete(ctx, "main", false)
	if err != nil || archive != h.path("main")+".20260221T120001Z.bak" {
		t.Fatal(archive, err)
	}
	if kept := string(must(os.ReadFile(archive))(t)); kept != say(1, "x")+"\n" {
		t.Errorf("kept %q", kept)
	}
	if _, err := h.Delete(ctx, "main", false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it still exists: %v", err)
	}
	tp := must(h.Tape("main"))(t)
	if stored := must(tp.Append(ctx, entry(t, "message", `{"role": "user", "content": "y"}`, "")))(t); stored[0].ID != 1 {
		t.Errorf("%+v", stored)
	}
}

func TestNewName(t *testing.T) {
	for _, stem := range []string{"0123456789abcdef__0123456789abcdef", "0123456789abcdef__0123456789abcdef__sidecar__spill"} {
		if name := must(NewName("/home/u/ws", stem))(t); name != stem {
			t.Error(name)
		}
	}
	for _, session := range []string{"cli:local", "a__b"} {
		if name := must(NewName("/home/u/ws", session))(t); name != must(SessionName("/home/u/ws", session))(t) {
			t.Error(name)
		}
	}
}
