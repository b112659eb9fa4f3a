package create

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/trust"
)

// withTemplate is a workspace with a template of its own.
func withTemplate(t *testing.T, text string, o workspace.Options) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	path := filepath.Join(root, filepath.FromSlash(config.Default().Template()))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.MkdirAll(filepath.Join(root, "specs"), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	o.Now = atNoon
	ws, err := workspace.Open(root, o)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// TestEndlessTemplate: a template without an end is an error that names its file and line,
// and nothing is written.
func TestEndlessTemplate(t *testing.T) {
	ws := withTemplate(t, "x\n{{range 2000000000}}xxxxxxxx{{end}}\n", workspace.Options{Trust: trust.All})
	req := Request{Values: templates.Values{Task: 1, Phase: 1}, Slug: "a", Draft: true}
	if _, err := Run(t.Context(), ws, req); err == nil || !strings.Contains(err.Error(), "handoff.md.tmpl:2:") || !strings.Contains(err.Error(), "takes too long") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Render(ctx, ws, req); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller has left: %v", err)
	}
	if found, _ := os.ReadDir(filepath.Join(ws.Root, "specs")); len(found) > 0 {
		t.Errorf("specs has %v", found)
	}
}

// TestTemplateNotTrusted: the built-in template is used, and one line says so.
func TestTemplateNotTrusted(t *testing.T) {
	var said []string
	ws := withTemplate(t, "theirs\n", workspace.Options{Say: func(line string) { said = append(said, line) },
		Trust: func(string, config.Config) error { return errors.New("type something") }})
	for range 2 {
		src, err := Render(t.Context(), ws, Request{Values: templates.Values{Task: 1, Phase: 1}, Slug: "a", Draft: true})
		if err != nil || strings.Contains(string(src), "theirs") || !strings.Contains(string(src), "## Immediate Next Action") {
			t.Errorf("%s, %v", src, err)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "handoff.md.tmpl") || !strings.Contains(said[0], "type something") {
		t.Errorf("said %q", said)
	}
}
