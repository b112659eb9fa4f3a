package plugin_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// serverName is what an agent calls the MCP server of the plugin.
var serverName = map[string]string{"claude": "plugin_handoff_handoff", "codex": "handoff", "gemini": "handoff"}

const (
	nextAction = "Run `go test ./parse` and fix line 7."
	waiting    = "next_action: " + nextAction + "\nstate: {file: parse/parse.go, location: Line 1, goal: all tests pass}\n" +
		"decisions: [None]\ndead_ends: [None]\ncontext: [The marker is in-the-context]\nreferences: [parse/parse.go]\n"
)

// TestDelivers: with the plugin and the real program, an agent gets the handoff that
// waits into its first request, and its model calls the MCP server in the project. A
// second session gets it again, because the first one did not take it up.
func TestDelivers(t *testing.T) {
	needs.Folder(t, "HANDOFF_AGENTS") // first: without agents nothing has to be built
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator), root+"/cmd/handoff").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range slices.Sorted(maps.Keys(install)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work := t.TempDir()
			model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
				if r.Turn == 1 {
					return scriptedmodel.Answer{Calls: []scriptedmodel.Call{realagents.MCP(name, serverName[name], "handoff_current", map[string]any{"level": "full"})}}
				}
				return scriptedmodel.Answer{Text: "finished"}
			})
			agent := realagents.Prepare(t, name, work, model)
			putFirst(agent, bin)
			writeHandoff(t, filepath.Join(bin, "handoff"), work)
			installIn(t, agent, work)
			session(t, agent, work)
			first := model.Turns()
			if len(first) != 2 || !first[0].Contains(nextAction) || !strings.Contains(first[1].Last, "in-the-context") {
				t.Fatalf("first session: %d requests; delivered: %v; tools %v; result of the tool: %.600s", len(first), len(first) > 0 && first[0].Contains(nextAction), first[0].Tools, first[len(first)-1].Last)
			}
			session(t, agent, work)
			if second := model.Turns()[2:]; len(second) == 0 || !second[0].Contains(nextAction) || !second[0].Contains("did not take it up") {
				t.Errorf("the second session did not get it with the word that the first one did not take it up")
			}
		})
	}
}

// writeHandoff makes a folder a workspace with one handoff that waits.
func writeHandoff(t *testing.T, handoff, work string) {
	t.Helper()
	write(t, filepath.Join(work, "parse/parse.go"), []byte("package parse\n"))
	for _, args := range []string{"init", "new --task 1 --slug parse --phase 1 --from -"} {
		cmd := exec.Command(handoff, strings.Fields(args)...)
		cmd.Dir, cmd.Stdin = work, strings.NewReader(waiting)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("handoff %s: %v\n%s", args, err, out)
		}
	}
}
