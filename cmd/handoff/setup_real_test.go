package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// Texts that are each in one handoff and nowhere else: neither in the folder nor in an agent's own prompt. (Qwen
// Code 0.24 tells its model never to claim that "all tests pass".)
const (
	firstGoal  = "the parser accepts all forty samples"
	secondGoal = "the parser reads numbers"
)

// ownHook is a hook of the user's: it must run beside those of handoff.
const ownHook = `touch \"$HOME/own-hook\"`

// userFiles are files that a user has before `handoff setup`, by agent: with their
// own hooks, servers, comments and line ends.
var userFiles = map[string]map[string]string{
	"claude": {
		".claude/settings.json": "{\n   \"permissions\": {\"deny\": [\"Read(./.env)\"]},\n   \"hooks\": {\n      \"SessionStart\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"" + ownHook + "\"}]} ]\n   }\n}",
		"AGENTS.md":             "# Rules\r\n\r\nUse tabs.\r\n",
	},
	"codex": {
		".codex/hooks.json":  "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"" + ownHook + "\"}]}]}}\r\n",
		".codex/config.toml": "# our settings\r\nmodel_reasoning_effort = \"low\" # cheap\r\n\r\n[tools]\r\nweb_search = false\r\n",
		"AGENTS.md":          "# Rules\n\nUse tabs.",
	},
	"gemini": {
		".gemini/settings.json": "{\r\n\t// our settings\r\n\t\"ui\": {\"hideTips\": true}, /* quiet */\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [{\"hooks\": [{\"name\": \"own\", \"type\": \"command\", \"command\": \"" + ownHook + "\"}]}]\r\n\t}\r\n}\r\n",
		"GEMINI.md":             "# Rules\r\n\r\nUse tabs.\r\n",
	},
	"opencode": {
		"opencode.jsonc":           "{\r\n  \"$schema\": \"https://opencode.ai/config.json\", // OpenCode adds it otherwise\r\n  // our settings\r\n  \"share\": \"disabled\", /* private */\r\n}\r\n",
		".opencode/plugins/own.js": "import { writeFileSync } from \"node:fs\"\nexport const Own = async () => { writeFileSync(process.env.HOME + \"/own-hook\", \"\"); return {} }\n",
		".opencode/.gitignore":     "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore\n", // OpenCode writes it otherwise
		"AGENTS.md":                "# Rules\r\n\r\nUse tabs.\r\n",
	},
}

// TestSetupRealAgents: `handoff setup` connects the real agents to handoff beside
// what the user has configured, and `--remove` gives the user's files back. In
// between, the handoff that waits is in the first request of the next session,
// once, and in no later session; an agent writes a handoff with the MCP tool,
// fixes what it got wrong, and the session after that gets the new one.
func TestSetupRealAgents(t *testing.T) {
	for _, name := range realagents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, name)
			handedOverIn(t, h.dir)
			for file, text := range userFiles[name] {
				writeFile(t, h.dir, file, text)
			}
			h.git("add", "--all", "--force")
			h.git("commit", "-qm", "Begin")
			h.run("setup", name, "--project")

			first := h.session(answers(h.calls(20_000, "echo one"), h.calls(21_000, "echo two")))
			checkDelivers(t, "the first session", first, firstGoal, 1, 3)
			// The session did not take it up. OpenCode does not report its end, so it still holds it.
			want, again := "released", 1
			if name == "opencode" {
				want, again = "delivered", 0
			}
			if state := h.state("1"); state != want {
				t.Errorf("after the first session the handoff is %q", state)
			}
			if _, err := os.Stat(filepath.Join(h.agent.Home, "own-hook")); err != nil {
				t.Errorf("the user's own hook did not run: %v", err)
			}

			bad := realagents.MCP(name, "handoff", "handoff_new", handoffValues("Continue.", secondGoal))
			good := realagents.MCP(name, "handoff", "handoff_new", handoffValues("Run `go test ./parse`.", secondGoal))
			second := h.session(answers(scriptedmodel.Answer{Calls: []scriptedmodel.Call{bad}}, scriptedmodel.Answer{Calls: []scriptedmodel.Call{good}}))
			checkDelivers(t, "the second session", second, firstGoal, again, 3)
			checkWritten(t, h, second)

			third := h.session(answers(h.calls(20_000, "echo one")))
			checkDelivers(t, "the third session", third, secondGoal, 1, 2)
			checkDelivers(t, "the third session", third, firstGoal, 0, 2)

			h.git("add", "specs", ".rip")
			h.git("commit", "-qm", "Hand over")
			h.run("setup", name, "--remove", "--project")
			if status := h.git("status", "--porcelain"); status != "" {
				t.Errorf("after --remove: %s", status)
			}
			for _, file := range slices.Sorted(maps.Keys(userFiles[name])) {
				if got, err := os.ReadFile(filepath.Join(h.dir, file)); err != nil || string(got) != userFiles[name][file] {
					t.Errorf("after --remove %s is %q, %v", file, got, err)
				}
			}
		})
	}
}

// checkDelivers checks how often each request of a session contains a text.
func checkDelivers(t *testing.T, which string, requests []scriptedmodel.Request, text string, times, number int) {
	t.Helper()
	if got, want := occurrences(turns(requests), text), slices.Repeat([]int{times}, number); !slices.Equal(got, want) {
		t.Errorf("the requests of %s contain %q %v times, want %v", which, text, got, want)
	}
}

// checkWritten checks what two calls of handoff_new did: the first one was answered
// with a finding and wrote nothing; the second one wrote a document, which is in the
// metadata of its task and has no findings.
func checkWritten(t *testing.T, h *hostTest, requests []scriptedmodel.Request) {
	t.Helper()
	turns := turns(requests)
	if len(turns) < 3 || !strings.Contains(turns[1].Last, "vague-next-action") {
		t.Fatal("the bad handoff did not come back with a finding")
	}
	paths, _ := filepath.Glob(filepath.Join(h.dir, "specs/1_first/handoffs/*.md"))
	if len(paths) != 2 {
		t.Fatalf("documents: %q", paths)
	}
	slices.Sort(paths) // by their times
	written, _ := filepath.Rel(h.dir, paths[1])
	written = filepath.ToSlash(written)
	if !strings.Contains(turns[2].Last, written) {
		t.Errorf("the answer to the good handoff does not contain %s", written)
	}
	var meta struct {
		Progress struct {
			Path string `json:"handoff_path"`
		} `json:"partial_progress"`
	}
	src, err := os.ReadFile(filepath.Join(h.dir, "specs/1_first/.return-meta.json"))
	if err == nil {
		err = json.Unmarshal(src, &meta)
	}
	if err != nil || meta.Progress.Path != written {
		t.Errorf("the metadata does not name %s: %s, %v", written, src, err)
	}
	h.run("lint", written) // fails if there are findings
}
