package main

import (
	"maps"
	"strings"
	"testing"
)

// doubtAsked are what the surfaces answer about a task 1 with a phase 1.
var doubtAsked = map[string]func(t *testing.T, root string) string{
	"next --claim":      func(t *testing.T, root string) string { return saidBy(t, root, "", "next", "--claim", "--as", "ada") },
	"show --json":       func(t *testing.T, root string) string { return saidBy(t, root, "", "show", "1", "--json") },
	"HTTP handoff":      func(t *testing.T, root string) string { return get(t, served(t, root)+"/handoffs/1%2F1") },
	"HTTP task":         func(t *testing.T, root string) string { return get(t, served(t, root)+"/specs/1") },
	"HTTP overview":     func(t *testing.T, root string) string { return get(t, served(t, root)+"/overview") },
	"dashboard waiting": func(t *testing.T, root string) string { return fetched(t, served(t, root)+"/view/waiting") },
	"dashboard task": func(t *testing.T, root string) string {
		facts, _, _ := strings.Cut(fetched(t, served(t, root)+"/view/task?n=1"), "</dl>")
		return facts // the document below has its marks anyhow
	},
	"MCP value": func(t *testing.T, root string) string {
		_, value, _ := strings.Cut(newestAsked["MCP"](t, root), `"structuredContent":`)
		report := strings.Index(value, `"report":`)
		return value[:max(0, report)]
	},
	"MCP resource": func(t *testing.T, root string) string {
		return saidBy(t, root, mcpInitialize+`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"handoff://chain/1"}}`+"\n", "mcp", "--resources")
	},
}

// TestSameDoubt asks every surface about a handoff with a claim that the session of its author did not show, and about
// others: all say that of the first, and none of the others.
func TestSameDoubt(t *testing.T) {
	asked := maps.Clone(newestAsked)
	maps.Copy(asked, doubtAsked)
	const edited, failed = "not checked after the last edit, a.go: go test . passed before", "failed when last run: go vet ."
	for name, c := range map[string]struct {
		mark    string
		doubted bool
	}{
		"edited":     {" [unverified: " + edited + "]", true},
		"failed":     {" [unverified: " + failed + "]", true},
		"no mark":    {"", false},
		"verified":   {" [verified: go test .]", false},
		"own reason": {" [unverified: no access from here]", false},
	} {
		for surface, ask := range asked {
			t.Run(name+"/"+surface, func(t *testing.T) {
				root := t.TempDir()
				text := documentWith("Phase 1 Handoff - 20260212T100000Z", "Fix `a.go`.")
				write(t, root, "specs/1_a/handoffs/phase-1-handoff-20260212T100000Z.md", strings.Replace(text, "## Critical Context (max 5 items)\nNone", "## Critical Context (max 5 items)\n- All tests pass"+c.mark, 1))
				answer := ask(t, root)
				if said := strings.Contains(answer, "unproved") || strings.Contains(answer, "of its author did not show"); said != c.doubted {
					t.Errorf("said: %t, want %t:\n%s", said, c.doubted, answer)
				}
				if short := surface == "list, ls"; c.doubted && !short && !strings.Contains(answer, edited) && !strings.Contains(answer, failed) {
					t.Errorf("not why:\n%s", answer)
				}
			})
		}
	}
}
