package relay

import (
	"errors"
	"testing"
)

// TestBegan: the first action of a handoff was visibly done if its command ran, or its file was written.
func TestBegan(t *testing.T) {
	bash := func(c string) string {
		return `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"` + c + `"}}]}}` + "\n"
	}
	file := func(tool, f string) string {
		return `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"` + tool + `","input":{"file_path":"` + f + `"}}]}}` + "\n"
	}
	const action = "Run `go test ./parse` and fix the first failure in parse/number.go."
	for name, c := range map[string]struct {
		action, output string
		want           bool
	}{
		"its command":                  {action, bash("go test ./parse"), true},
		"its command after another":    {action, bash("cd /w && go  test ./parse -v 2>&1"), true},
		"its file":                     {action, file("Edit", "/w/parse/number.go"), true},
		"its file is only read":        {action, file("Read", "/w/parse/number.go"), false},
		"a longer command":             {action, bash("go test ./parser"), false},
		"a file that ends like it":     {action, file("Edit", "/w/reparse/number.go"), false},
		"other work":                   {action, bash("go vet") + file("Edit", "/w/a.go"), false},
		"only its word":                {action, `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"I ran go test ./parse."}]}}` + "\n", false},
		"an action that names nothing": {"Go on.", bash("go test ./parse"), false},
		"a command of handoff":         {"Run `handoff ack` first.", bash("handoff ack"), false},
		"nothing":                      {action, "", false},
	} {
		outputs := func(yield func(string, error) bool) { yield(c.output, nil) }
		if got, err := began(c.action, "claude", outputs); got != c.want || err != nil {
			t.Errorf("%s: %t, %v", name, got, err)
		}
		if got, _ := began(c.action, "text", outputs); got {
			t.Errorf("%s: seen in plain text", name)
		}
	}
	if _, err := began(action, "claude", func(yield func(string, error) bool) { yield("", errors.ErrUnsupported) }); err == nil {
		t.Error("an output that cannot be read shows nothing")
	}
}
