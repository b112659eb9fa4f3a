package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// toolArguments call each tool of the server in the folder of an inspectorTest.
var toolArguments = map[string]map[string]any{
	"handoff_current": {},
	"handoff_new":     handoffValues("Run `go test ./parse`.", "all tests pass"),
	"handoff_check":   {"ref": "1"},
	"handoff_claim":   {"ref": "1", "action": "claim"},
	"handoff_search":  {"query": "parse"},
	"tape_append":     {"content": "The parser is next.", "role": "assistant"},
	"tape_handoff":    {"name": "phase-1", "summary": "It parses.", "state": map[string]any{"files": 2}},
	"tape_context":    {},
	"tape_read":       {"uri": "tape://workspace/main/entry/1"},
	"tape_search":     {"query": "parser", "all_tapes": true},
	"tape_anchors":    {},
	"tape_info":       {},
	"tape_fork":       {"to": "third", "next_steps": "Write tests."},
	"tape_merge":      {"fork": "first"},
	"tape_discard":    {"fork": "second", "reason": "no use"},
}

// uriOf is a resource of each template of the server.
var uriOf = map[string]string{
	"handoff://{ref}":        "handoff://latest",
	"handoff://{+ref}":       "handoff://latest",
	"handoff://chain/{task}": "handoff://chain/1",
	"handoff://tape{?since}": "handoff://tape",
	"handoff://rules/{id}":   "handoff://rules/vague-next-action",
}

// TestInspector has the MCP Inspector, the reference client, list and call every
// tool, resource and prompt of `handoff mcp`, in both eras of the protocol: with
// `initialize` (2025-11-25), and without (2026-07-28).
func TestInspector(t *testing.T) {
	folder := needs.Folder(t, "HANDOFF_INSPECTOR")
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			i := &inspectorTest{t: t, era: era, bin: commandDir(t), dir: t.TempDir()}
			handedOverIn(t, i.dir)
			i.start(folder)
			for _, args := range [][]string{{"append", "Write the parser."}, {"fork", "first"}, {"fork", "second"}} {
				if out, err := programIn(t, i.bin, i.dir, append([]string{"tape"}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("tape %q: %v: %s", args, err, out)
				}
			}
			var listed struct {
				Tools             []struct{ Name string }
				Resources         []struct{ URI string }
				ResourceTemplates []struct{ URITemplate string }
				Prompts           []struct{ Name string }
			}
			i.ask(&listed, "--method", "tools/list", "--strict") // exit status 6 if hosts cannot read a schema
			i.ask(&listed, "--method", "resources/list")
			i.ask(&listed, "--method", "resources/templates/list")
			i.ask(&listed, "--method", "prompts/list")
			if len(listed.Tools) != len(toolArguments) || len(listed.Resources) == 0 || len(listed.ResourceTemplates) == 0 || len(listed.Prompts) != 2 {
				t.Fatalf("listed: %+v", listed)
			}
			// Each call starts another server: after a claim, handoff_new of the next one is refused.
			last := func(name string) int {
				if name == "handoff_claim" {
					return 1
				}
				return 0
			}
			slices.SortFunc(listed.Tools, func(a, b struct{ Name string }) int { return last(a.Name) - last(b.Name) })
			for _, tool := range listed.Tools {
				args, ok := toolArguments[tool.Name]
				if !ok {
					t.Fatalf("the test has no arguments for the tool %s", tool.Name)
				}
				src, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				var result struct {
					Content           []struct{ Text string }
					StructuredContent map[string]any
				}
				i.ask(&result, "--method", "tools/call", "--tool-name", tool.Name, "--tool-args-json", string(src)) // exit status 5 for isError
				if len(result.Content) == 0 || result.Content[0].Text == "" || result.StructuredContent == nil {
					t.Errorf("%s: %+v", tool.Name, result)
				}
			}
			var uris []string
			for _, r := range listed.Resources {
				uris = append(uris, r.URI)
			}
			for _, template := range listed.ResourceTemplates {
				uri, ok := uriOf[template.URITemplate]
				if !ok {
					t.Errorf("the test has no resource of the template %s", template.URITemplate)
					continue
				}
				uris = append(uris, uri)
			}
			slices.Sort(uris)
			for _, uri := range slices.Compact(uris) {
				var result struct{ Contents []struct{ URI, Text string } }
				i.ask(&result, "--method", "resources/read", "--uri", uri)
				if len(result.Contents) != 1 || result.Contents[0].Text == "" {
					t.Errorf("%s: %+v", uri, result)
				}
			}
			for _, prompt := range listed.Prompts {
				var result struct {
					Messages []struct{ Content struct{ Text string } }
				}
				i.ask(&result, "--method", "prompts/get", "--prompt-name", prompt.Name)
				if len(result.Messages) == 0 || result.Messages[0].Content.Text == "" {
					t.Errorf("%s: %+v", prompt.Name, result)
				}
			}
		})
	}
}

// handoffValues are values of a document for task 1.
func handoffValues(nextAction, goal string) map[string]any {
	return map[string]any{
		"task": 1, "phase": 1, "next_action": nextAction,
		"state":     map[string]any{"file": "parse/parse.go", "location": "Line 1", "goal": goal},
		"decisions": []string{}, "dead_ends": []string{}, "context": []string{}, "references": []string{"parse/parse.go"},
	}
}

// inspectorTest is a folder with a handoff that waits, and an Inspector that asks the server there.
type inspectorTest struct {
	t             *testing.T
	era, bin, dir string
	requests      *json.Encoder // of arguments, to the Inspector
	results       *json.Decoder
	stop          func() (errs string) // waits for the end of the Inspector
}

// start starts the Inspector, which ends after the last request.
func (i *inspectorTest) start(folder string) {
	i.t.Helper()
	driver, err := filepath.Abs("testdata/inspector.mjs")
	if err != nil {
		i.t.Fatal(err)
	}
	cmd := exec.CommandContext(i.t.Context(), "node", driver, filepath.Join(filepath.Dir(folder), "@modelcontextprotocol/inspector/clients/cli/build/index.js"))
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = i.dir
	cmd.Env = append(cmd.Environ(), "HOME="+i.t.TempDir())
	var errs strings.Builder
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		i.t.Fatal(err)
	}
	i.requests, i.results = json.NewEncoder(in), json.NewDecoder(out)
	i.stop = sync.OnceValue(func() string {
		in.Close()
		if err := cmd.Wait(); err != nil {
			fmt.Fprintf(&errs, "the Inspector: %v\n", err)
		}
		return errs.String()
	})
	i.t.Cleanup(func() { i.stop() })
}

// ask has the Inspector start the server, make one request and end that server, and reads the result.
func (i *inspectorTest) ask(result any, args ...string) {
	i.t.Helper()
	args = append([]string{"--quiet", "--format", "json", "--protocol-era", i.era}, args...)
	wrapped, passed := struct{ Result any }{result}, false
	err := i.requests.Encode(append(args, filepath.Join(i.bin, "handoff"), "mcp", "--resources", "--tapes"))
	if err = errors.Join(err, i.results.Decode(&wrapped), i.results.Decode(&passed)); err != nil || !passed {
		i.t.Fatalf("%q: %v: %s", args, err, i.stop())
	}
}
