package tape

import (
	"encoding/json"
	"handoff/tape/entry"
	"testing"
)

// TestErrorEntry: an error of a query can be written to a tape, as in Bub.
func TestErrorEntry(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	for _, c := range []struct {
		err           Error
		text, payload string
	}{
		{Error{Kind: NotFound, Message: "No anchors found in tape."}, "[not_found] No anchors found in tape.",
			`{"kind": "not_found", "message": "No anchors found in tape."}`},
		{Error{Kind: InvalidInput, Message: "größe", Details: json.RawMessage(`{"anchor":"x"}`)}, "[invalid_input] größe",
			`{"kind": "invalid_input", "message": "größe", "details": {"anchor": "x"}}`},
		{Error{Kind: entry.Unknown, Message: "m", Details: json.RawMessage(`{`)}, "[unknown] m", `{"kind": "unknown", "message": "m"}`},
	} {
		stored := must(tape.Append(ctx, c.err.Entry()))(t)
		if e := stored[0]; e.Kind != KindError || string(e.Payload) != c.payload || c.err.Error() != c.text {
			t.Errorf("%s: %s", c.err.Error(), e.Raw())
		}
	}
}
