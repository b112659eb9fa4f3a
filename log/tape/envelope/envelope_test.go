package envelope_test

import (
	"errors"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/log/tape/envelope"
)

const whole = `{"type":"context_handoff","from":"agent:a","to":"agent:b","timestamp":"2026-02-21T12:00:00Z",` +
	`"content":{"reason":"full","summary":"half is parsed","tape_ref":"tape://ws/main/entry/7","intention":{"next_steps":"parse the rest"},"ownership":"transfer"}}`

// TestParse: what is accepted, and what the error of anything else says.
func TestParse(t *testing.T) {
	for _, c := range []struct{ from, to, err string }{ // in the whole envelope; "" for accepted
		{"", "", ""},
		{`"reason":"full",`, ``, ""},
		{`"intention":{"next_steps":"parse the rest"},`, ``, ""},
		{`"intention":{"next_steps":"parse the rest"}`, `"intention":{},"more":1`, ""},
		{`tape://ws/main/entry/7`, `tape://ws/main/anchor/phase-1`, ""},
		{`12:00:00Z`, `12:00:00.25Z`, ""},
		{`"intention":{"next_steps":"parse the rest"}`, `"intention":null`, "intention"},
		{`context_handoff`, `handoff`, "type is"},
		{`agent:a`, ` `, "sender and receiver"},
		{`agent:b`, ` `, "sender and receiver"},
		{`half is parsed`, `\n`, "summary is empty"},
		{`"transfer"`, `"copy"`, "ownership is"},
		{`"transfer"`, `""`, "ownership is"},
		{`12:00:00Z`, `12:00:00+00:00`, "want a time in UTC"},
		{`12:00:00Z`, `2:00:00Z`, "want a time in UTC"},
		{`12:00:00Z`, `12:00:00,5Z`, "want a time in UTC"},
		{`2026-02-21T12:00:00Z`, ``, "want a time in UTC"},
		{`2026-02-21T12:00:00Z`, `2026-02-31T12:00:00Z`, "want a time in UTC"},
		{`tape://ws/main/entry/7`, `tape://ws/main`, "neither an entry nor an anchor"},
		{`tape://ws/main/entry/7`, `main`, "tape_ref"},
		{`{"type"`, `["type"`, "not JSON"},
		{`agent:a`, "agent:\xff", "not JSON"},
		{`half is parsed`, strings.Repeat("a", envelope.MaxBytes), "at most 1048576"},
	} {
		text := strings.Replace(whole, c.from, c.to, 1)
		e, err := envelope.Parse([]byte(text))
		switch {
		case c.err == "" && err != nil:
			t.Errorf("%.300s: %v", text, err)
		case c.err != "" && (err == nil || !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%.300s: %v, want %q", text, err, c.err)
		case c.err == "":
			if again, err := envelope.Parse(e.Bytes()); err != nil || again.Digest() != e.Digest() {
				t.Errorf("%s: read again: %s, %v", text, again.Bytes(), err)
			}
		}
	}
}

// TestBytes: an envelope is written as it was read, and the state of its anchor names the
// owner from now on.
func TestBytes(t *testing.T) {
	e, err := envelope.Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(string(e.Bytes()), `": `, `":`); strings.ReplaceAll(got, `, "`, `,"`) != whole {
		t.Errorf("written %s", e.Bytes())
	}
	state := string(e.State())
	for _, want := range []string{`"received_from": "agent:a"`, `"owner": "agent:b"`, `"summary": "half is parsed"`, `"next_steps": "parse the rest"`, `"timestamp": "2026-02-21T12:00:00Z"`} {
		if !strings.Contains(state, want) && !strings.Contains(state, strings.ReplaceAll(want, `": `, `":`)) {
			t.Errorf("the state lacks %s: %s", want, state)
		}
	}
	exact := e
	exact.Content.Summary += strings.Repeat("a", envelope.MaxBytes-len(e.Bytes()))
	if _, err := envelope.Parse(exact.Bytes()); err != nil {
		t.Errorf("%d bytes: %v", len(exact.Bytes()), err)
	}
}
