//lint:file-ignore SA1019 Clients of both eras offer roots, and some name the workspace in no other way.

package mcp

import (
	"context"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/lint/rules"
	"handoff/workspace"
)

// connectWith connects a client with roots; without any it does not offer them.
func connectWith(t *testing.T, c Config, version string, roots ...string) *sdk.ClientSession {
	t.Helper()
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- New(c).Run(context.WithoutCancel(t.Context()), requests, toClient) }()
	options := &sdk.ClientOptions{}
	if len(roots) == 0 {
		options.Capabilities = &sdk.ClientCapabilities{}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "test-agent", Version: "1"}, options)
	for _, dir := range roots {
		client.AddRoots(&sdk.Root{URI: dir})
	}
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: answers, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

// outside is a server that was started in a folder without a workspace.
func outside(t *testing.T, p *place) Config {
	c, elsewhere := p.config(), t.TempDir()
	c.OpenIn = func(dir string) (*workspace.Workspace, error) {
		return workspace.Open(dir, workspace.Options{Rules: rules.All, Now: p.time})
	}
	c.Open = func() (*workspace.Workspace, error) { return c.OpenIn(elsewhere) }
	return c
}

func fileURI(dir string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()
}

// TestRoots: a server outside of the workspace finds it by the roots of its client, of either
// era, for each kind of request that needs it.
func TestRoots(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			p := newPlace(t)
			below := filepath.Join(p.root, "a b", "c")
			if err := os.MkdirAll(below, 0o755); err != nil {
				t.Fatal(err)
			}
			s := connectWith(t, outside(t, p), version, "https://example.com/x", fileURI(t.TempDir()), fileURI(below))
			for range 2 {
				if r := callTool(t, s, "handoff_search", nil); r.failed {
					t.Errorf("search: %s", r.text)
				}
			}
			s = connectWith(t, outside(t, p), version, fileURI(p.root))
			if r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "handoff://current"}); err != nil || len(r.Contents) != 1 {
				t.Errorf("resource: %v", err)
			}
			s = connectWith(t, outside(t, p), version, fileURI(p.root))
			if r, err := s.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "handoff_resume"}); err != nil || len(r.Messages) != 1 {
				t.Errorf("prompt: %v", err)
			}
		})
	}
}

// TestNoRoots: without a root in a workspace, or without roots, each call explains
// what to set. A server in a workspace does not ask for roots.
func TestNoRoots(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		p := newPlace(t)
		for _, roots := range [][]string{nil, {fileURI(t.TempDir())}} {
			s := connectWith(t, outside(t, p), version, roots...)
			callTool(t, s, "handoff_current", nil).has(t, true, "handoff is not set up in", "with CLAUDE_PROJECT_DIR set to its folder")
		}
		c := p.config()
		c.OpenIn = func(dir string) (*workspace.Workspace, error) {
			t.Errorf("%s: asked for %s", version, dir)
			return workspace.Open(dir, workspace.Options{})
		}
		s := connectWith(t, c, version, fileURI(t.TempDir()))
		if r := callTool(t, s, "handoff_search", nil); r.failed {
			t.Error(r.text)
		}
	}
}

func TestFolderOf(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a%20b/c": "/a b/c", "file://localhost/a": "/a", "file:relative": "", "https://example.com/a": "", "file://server/a": "", "%zz": "", "": "",
	} {
		if got := filepath.ToSlash(folderOf(uri, false)); got != want && !strings.Contains(got, ":") {
			t.Errorf("%q: %q, want %q", uri, got, want)
		}
	}
}
