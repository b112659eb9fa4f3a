package entry

import (
	"encoding/json"
	"testing"
)

// TestErrorEntry: an error of a query can be written to a tape, as in Bub.
func TestErrorEntry(t *testing.T) {
	for _, c := range []struct {
		err           Error
		text, payload string
	}{
		{Error{Kind: NotFound, Message: "No anchors found in tape."}, "[not_found] No anchors found in tape.",
			`{"kind": "not_found", "message": "No anchors found in tape."}`},
		{Error{Kind: InvalidInput, Message: "größe", Details: json.RawMessage(`{"anchor":"x"}`)}, "[invalid_input] größe",
			`{"kind": "invalid_input", "message": "größe", "details": {"anchor": "x"}}`},
		{Error{Kind: "unknown", Message: "m", Details: json.RawMessage(`{`)}, "[unknown] m", `{"kind": "unknown", "message": "m"}`},
	} {
		line, err := c.err.Entry().Line()
		if err != nil {
			t.Fatal(err)
		}
		e, err := Parse(line)
		if err != nil || e[0].Kind != KindError || string(e[0].Payload) != c.payload || c.err.Error() != c.text {
			t.Errorf("%s: %s, %v", c.err.Error(), line, err)
		}
	}
}
