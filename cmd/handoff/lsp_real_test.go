package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
)

// TestLSPInClaudeCode has the real Claude Code edit a handoff, with a plugin that has the
// server's .lsp.json: what the server finds is in a later request to the model, and nothing
// about a README.
func TestLSPInClaudeCode(t *testing.T) {
	dir, plugin := t.TempDir(), t.TempDir()
	treetest.Write(t, dir, "specs/259_prove/plan.md", "# Plan\n")
	treetest.Write(t, dir, "src/parse.go", "package parse\n\nfunc scan() {}\n")
	treetest.Write(t, plugin, ".claude-plugin/plugin.json", `{"name":"handoff","version":"1.0.0"}`)
	treetest.Write(t, plugin, ".lsp.json", snippet(t, "docs/editors.md", "## Claude Code"))
	path := filepath.Join(dir, filepath.FromSlash(nvimDoc))
	write := func(path, text string) scriptedmodel.Answer {
		return scriptedmodel.Answer{Calls: []scriptedmodel.Call{{Name: "Write", Input: map[string]any{"file_path": path, "content": text}}}}
	}
	const most = 200 // turns; reached only if the server finds nothing
	model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
		switch {
		case r.Turn == 0:
			return scriptedmodel.Answer{Text: "Title"}
		case r.Turn == 1:
			return write(filepath.Join(dir, "README.md"), nvimText)
		case r.Turn == 2:
			return write(path, nvimText)
		case r.Contains("dead-reference") || r.Turn == most:
			return scriptedmodel.Answer{Text: "Done."}
		}
		return scriptedmodel.Answer{Calls: []scriptedmodel.Call{realagents.Shell("claude", "sleep 0.2")}} // the server answers meanwhile
	})
	agent := realagents.Prepare(t, "claude", dir, model)
	cmd := exec.CommandContext(waittest.Context(t), agent.Path, append(agent.Args, "--plugin-dir", plugin)...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader("Write the handoff.")
	cmd.Env = append(append(os.Environ(), agent.Env...), "PATH="+commandDir(t)+string(os.PathListSeparator)+os.Getenv("PATH"), clockVar+"=2026-02-12T15:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var told []string
	for _, r := range model.Turns() {
		for _, text := range r.Texts {
			if strings.Contains(text, "<new-diagnostics>") {
				told = append(told, text)
			}
		}
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{"[Line 22:3] specs/259_prove/lost.md does not exist in the workspace [dead-reference] (handoff)", "[misspelled-heading]", "[bare-heading]"} {
		if !strings.Contains(all, want) {
			t.Errorf("the model was not told %s: %s\n%s", want, all, out)
		}
	}
	if strings.Contains(all, "README.md:") {
		t.Errorf("the README was checked: %s", all)
	}
}

// snippet is the first code block of a page after a heading.
func snippet(t *testing.T, page, heading string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(src), "\n"+heading+"\n")
	_, rest, open := strings.Cut(rest, "\n```")
	_, rest, _ = strings.Cut(rest, "\n")
	code, _, closed := strings.Cut(rest, "\n```")
	if !ok || !open || !closed {
		t.Fatalf("%s has no code after %s", page, heading)
	}
	return code
}
