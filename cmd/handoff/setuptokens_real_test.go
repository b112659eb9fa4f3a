package main

import (
	"regexp"
	"strings"
	"testing"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
	"handoff/internal/text/tokens"
)

// setupTokens are what `handoff setup` may add to the first request of a session for which nothing waits: the
// description of the skill, the block in AGENTS.md, the instructions and tools of the MCP server. Each request of a
// session repeats it.
var setupTokens = map[string]int{"claude": 413, "codex": 1610, "gemini": 1660, "opencode": 1521}

// randomID is a UUID, a commit or a hash.
var randomID = regexp.MustCompile(`\b[0-9a-f]{7,}(-[0-9a-f]{4,})*\b`)

// TestSetupTokens counts what setup adds to the first request of the real agents, as the difference of the whole
// bodies of two requests in two repositories that differ in nothing else. A request for a title, which OpenCode makes
// beside it, gets nothing.
func TestSetupTokens(t *testing.T) {
	for _, name := range realagents.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain, _ := firstRequest(t, name)
			with, beside := firstRequest(t, name, "setup", name, "--project")
			added := tokens.Estimate(with.Body) - tokens.Estimate(plain.Body)
			t.Logf("%d tokens without setup, %d more with it", tokens.Estimate(plain.Body), added)
			if added <= 0 || added > setupTokens[name] {
				t.Errorf("setup adds %d tokens to a first request, want at most %d", added, setupTokens[name])
			}
			if name == "opencode" && len(beside) == 0 {
				t.Error("no request for a title was seen")
			}
			for _, r := range beside {
				if strings.Contains(r.Body, "handoff") {
					t.Errorf("a request without tools has something of handoff: %s", r.Body)
				}
			}
		})
	}
}

// firstRequest is the first request of an agent in a repository of its own, in which a command of handoff was run
// before, and the requests beside its own work.
func firstRequest(t *testing.T, name string, command ...string) (first scriptedmodel.Request, beside []scriptedmodel.Request) {
	h := newHost(t, name)
	writeFile(t, h.dir, "README.md", "# Parser\n")
	if len(command) > 0 {
		h.run(command...)
	}
	h.git("add", "--all", "--force") // else the agent's prompt lists what is new
	h.git("commit", "-qm", "Begin")
	requests := h.session(answers())
	own := turns(requests)
	if len(own) == 0 {
		t.Fatal("no request")
	}
	for _, r := range requests {
		if r.Turn == 0 {
			beside = append(beside, r)
		}
	}
	// The folders of a test have long names, and ids have other digits, and so another number of tokens, each time.
	own[0].Body = strings.NewReplacer(h.dir, "/home/ann/parser", h.agent.Home, "/home/ann").Replace(own[0].Body)
	own[0].Body = randomID.ReplaceAllString(own[0].Body, "id")
	return own[0], beside
}
