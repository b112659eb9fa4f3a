package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newestTrees have two documents that continue each other: the next action of the newest is
// "Newer". If doubt is set, nothing shows which one that is.
var newestTrees = map[string]struct {
	config string
	files  [2]string // the newer one, and the older one
	front  [2]string
	old    int // days that the file of the older one is older
	doubt  bool
}{
	"task, names":        {files: [2]string{"specs/1_a/handoffs/phase-1-handoff-20260213T100000Z.md", "specs/1_a/handoffs/phase-2-handoff-20260212T100000Z.md"}},
	"task, one second":   {files: [2]string{"specs/1_a/handoffs/phase-3-handoff-20260212T100001Z.md", "specs/1_a/handoffs/phase-2-handoff-20260212T100001Z.md"}},
	"task, one day":      {files: [2]string{"specs/1_a/handoffs/phase-1-handoff-20260212.md", "specs/1_a/handoffs/phase-2-handoff-20260212.md"}, front: [2]string{"date: 2026-02-12T12:00:00Z", "date: 2026-02-12T11:00:00Z"}},
	"sessions, names":    {config: "sessions", files: [2]string{"docs/handoffs/a_2026-02-12.md", "docs/handoffs/b_2026-02-11.md"}},
	"sessions, dates":    {config: "sessions", files: [2]string{"docs/handoffs/a.md", "docs/handoffs/b.md"}, front: [2]string{"date: 2026-02-12", "date: 2026-02-11"}},
	"sessions, z first":  {config: "sessions", files: [2]string{"docs/handoffs/z.md", "docs/handoffs/b.md"}, front: [2]string{"date: 2026-02-12", "date: 2026-02-11"}},
	"sessions, numbers":  {config: "sessions", files: [2]string{"docs/handoffs/session-10.md", "docs/handoffs/session-9.md"}},
	"sessions, files":    {config: "sessions", files: [2]string{"docs/handoffs/a.md", "docs/handoffs/b.md"}, old: 3},
	"sessions, nothing":  {config: "sessions", files: [2]string{"docs/handoffs/a.md", "docs/handoffs/b.md"}, doubt: true},
	"sessions, same day": {config: "sessions", files: [2]string{"docs/handoffs/2026-02-12-a.md", "docs/handoffs/2026-02-12-b.md"}, doubt: true},
}

// TestSameNewest asks every surface for the newest handoff: each names the same one, or says
// that it cannot tell.
func TestSameNewest(t *testing.T) {
	for name, tree := range newestTrees {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if tree.config != "" {
				write(t, root, ".handoff.yaml", "documents:\n  - preset: "+tree.config+"\n")
			} else if err := os.Mkdir(filepath.Join(root, "specs"), 0o755); err != nil {
				t.Fatal(err)
			}
			for i, word := range []string{"Newer", "Older"} {
				text := fmt.Sprintf("# Handoff\n\n## Next Steps\n\nFix `%s` in a.go.\n", word)
				if tree.config == "" {
					text = strings.Replace(text, "Next Steps", "Immediate Next Action", 1)
				}
				if tree.front[i] != "" {
					text = "---\n" + tree.front[i] + "\n---\n" + text
				}
				write(t, root, tree.files[i], text)
				if at := time.Now().AddDate(0, 0, -i*tree.old); i == 1 && tree.old > 0 {
					if err := os.Chtimes(filepath.Join(root, tree.files[i]), at, at); err != nil {
						t.Fatal(err)
					}
				}
			}
			for surface, ask := range newestAsked {
				text := ask(t, root)
				newer, older := strings.Index(text, "Newer"), strings.Index(text, "Older")
				switch unsure := strings.Contains(text, "cannot tell") || strings.Contains(text, "unclear") || strings.Contains(text, "same time"); {
				case tree.doubt && !unsure && !strings.HasPrefix(surface, "list"):
					t.Errorf("%s does not say that it cannot tell:\n%s", surface, text)
				case !tree.doubt && (unsure || newer < 0 || older >= 0 && older < newer):
					t.Errorf("%s: the newest is not first:\n%s", surface, text)
				}
			}
		})
	}
}

// newestAsked are what the surfaces answer, standard error included. Those that begin with
// "list" show all handoffs.
var newestAsked = map[string]func(t *testing.T, root string) string{
	"list, ls":        func(t *testing.T, root string) string { return saidBy(t, root, "", "ls") },
	"list, ls --json": func(t *testing.T, root string) string { return saidBy(t, root, "", "ls", "--json") },
	"list, HTTP":      func(t *testing.T, root string) string { return get(t, served(t, root)+"/handoffs") },
	"HTTP brief":      func(t *testing.T, root string) string { return fetched(t, served(t, root)+"/handoffs/latest/brief") },
	"brief":           func(t *testing.T, root string) string { return saidBy(t, root, "", "brief", "latest") },
	"next":            func(t *testing.T, root string) string { return saidBy(t, root, "", "next") },
	"next --json":     func(t *testing.T, root string) string { return saidBy(t, root, "", "next", "--json") },
	"top":             func(t *testing.T, root string) string { return saidBy(t, root, "", "top", "--json") },
	"HTTP next":       func(t *testing.T, root string) string { return get(t, served(t, root)+"/handoffs/next") },
	"dashboard":       func(t *testing.T, root string) string { return fetched(t, served(t, root)+"/") },
	"MCP": func(t *testing.T, root string) string {
		return saidBy(t, root, mcpInitialize+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"handoff_current","arguments":{}}}`+"\n", "mcp")
	},
	"hook": func(t *testing.T, root string) string {
		return saidBy(t, root, fmt.Sprintf(`{"session_id":"s1","hook_event_name":"SessionStart","cwd":%q,"source":"startup"}`, root), "hook", "SessionStart", "--host", "claude")
	},
}

// fetched is the text of a server's answer to a browser.
func fetched(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,*/*")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v\n%s", address, resp.Status, err, body)
	}
	return string(body)
}

func saidBy(t *testing.T, root, stdin string, args ...string) string {
	t.Helper()
	var out strings.Builder
	w := worldAt(root, &out, &out)
	w.Stdin = io.NopCloser(strings.NewReader(stdin))
	run(t.Context(), w, args)
	return out.String()
}
