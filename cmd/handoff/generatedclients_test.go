package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
)

// generatedClient is a client that another project's generator makes of docs/openapi.json, and the commands that
// make it, compile it with the app of .ci/clients, and run that.
type generatedClient struct {
	name  string
	files []string // of .ci/clients
	steps [][]string
}

func generatedClients(tools, api string) []generatedClient {
	node, python := filepath.Join(tools, "node", "node_modules"), filepath.Join(tools, "python", "bin")
	return []generatedClient{
		{"go", []string{"app.go", "go.mod", "go.sum"}, [][]string{
			{filepath.Join(tools, "bin", "oapi-codegen"), "-generate", "types,client", "-package", "api", "-o", "api/api.go", api},
			{"go", "build", "-o", "app", "."},
			{"./app"},
		}},
		{"typescript", []string{"app.ts", "tsconfig.json", "package.json"}, [][]string{
			{"ln", "-s", node, "node_modules"},
			{filepath.Join(node, ".bin", "openapi-typescript"), api, "--output", "schema.ts"},
			{filepath.Join(node, ".bin", "tsc")},
			{"node", "app.js"},
		}},
		{"python", []string{"app.py"}, [][]string{
			{filepath.Join(python, "openapi-python-client"), "generate", "--path", api, "--meta", "none", "--output-path", "handoff_client", "--fail-on-warning"},
			{filepath.Join(python, "python"), "-m", "compileall", "-q", "handoff_client"},
			{filepath.Join(python, "python"), "app.py"},
		}},
	}
}

// TestGeneratedClients: three generators make clients of the OpenAPI document that compile, and with each the
// same app lists, claims, reads a brief, appends to a tape, finishes, and can tell why it is refused.
func TestGeneratedClients(t *testing.T) {
	tools := needs.Folder(t, "HANDOFF_GENERATORS")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	ruff := filepath.Join(tools, "python", "bin") // with which openapi-python-client ends
	for _, c := range generatedClients(tools, filepath.Join(root, "docs", "openapi.json")) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, token := serveExample(t, root)
			dir, out := t.TempDir(), ""
			for _, file := range c.files {
				src, err := os.ReadFile(filepath.Join(root, ".ci", "clients", file))
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, file), src, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(filepath.Join(dir, "api"), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, step := range c.steps {
				cmd := exec.CommandContext(t.Context(), step[0], step[1:]...)
				cmd.Dir = dir
				cmd.Env = append(cmd.Environ(), "HANDOFF_URL="+url, "HANDOFF_TOKEN="+token, "GOPROXY=off", "PATH="+ruff+string(os.PathListSeparator)+os.Getenv("PATH"))
				text, err := cmd.CombinedOutput()
				if out = string(text); err != nil {
					t.Fatalf("%q: %v\n%s", step, err, out)
				}
			}
			if out != appSays {
				t.Errorf("the app says\n%swant\n%s", out, appSays)
			}
		})
	}
}

// appSays is what the app prints, in each language.
const appSays = `waits: specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md
claimed by: app claimed
next action: true
appended: message
done: done
again: 409 urn:handoff:finished
`

// serveExample starts a server on a copy of the example, with a token.
func serveExample(t *testing.T, root string) (url, token string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "specs", "example"))); err != nil {
		t.Fatal(err)
	}
	token = "0123456789abcdef"
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	_, url = started(t, nil, nil, "", "-C", dir, "--listen", "127.0.0.1:0", "--token-file", file)
	return url, token
}
