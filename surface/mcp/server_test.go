package mcp

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"handoff/internal/text/tokens"
	"handoff/lint/rules"
	"handoff/workspace"
)

func TestMain(tests *testing.M) { goleak.VerifyTestMain(tests) }

var update = flag.Bool("update", false, "write the golden files")

// Both eras of the protocol.
var versions = []string{"2025-11-25", "2026-07-28"}

var noon = time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC)

// place is a workspace whose clock moves by a second with each reading.
type place struct {
	root string
	mu   sync.Mutex
	now  time.Time
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{root: t.TempDir(), now: noon}
	if err := os.Mkdir(filepath.Join(p.root, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.root, "a.go"), []byte("package a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(time.Second)
	return p.now
}

func (p *place) config() Config {
	return Config{
		Open: func() (*workspace.Workspace, error) {
			return workspace.Open(p.root, workspace.Options{Rules: rules.All, Now: p.time})
		},
		Version: "test",
		Explain: func(rule string) (string, error) {
			if rule != "secret" {
				return "", fmt.Errorf("unknown rule %q: did you mean secret?", rule)
			}
			return rules.Docs.Text(rule), nil
		},
		Log:       slog.New(slog.DiscardHandler),
		Resources: true,
	}
}

// connect connects a client of that version, over pipes as over stdio.
func connect(t testing.TB, c Config, version string) *sdk.ClientSession {
	t.Helper()
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- New(c).Run(context.WithoutCancel(t.Context()), requests, toClient) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test-agent", Version: "1"}, nil)
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

// result is the result of a tool.
type result struct {
	text   string
	value  map[string]any
	failed bool
}

func callTool(t testing.TB, s *sdk.ClientSession, name string, arguments any) result {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	value, ok := r.StructuredContent.(map[string]any)
	if len(r.Content) != 1 || !ok {
		t.Fatalf("%s: %d contents, structured content %T", name, len(r.Content), r.StructuredContent)
	}
	if i := slices.IndexFunc(tools(), func(one tool) bool { return one.name == name }); i >= 0 {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		matches(t, []byte(tools()[i].output()), text)
	}
	return result{r.Content[0].(*sdk.TextContent).Text, value, r.IsError}
}

// has checks a result: its text has the parts, in this order.
func (r result) has(t testing.TB, failed bool, parts ...string) {
	t.Helper()
	if r.failed != failed {
		t.Errorf("isError is %t:\n%s", r.failed, r.text)
	}
	rest := r.text
	for _, part := range parts {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Errorf("no %q in\n%s", part, r.text)
			return
		}
		rest = after
	}
}

// m is an object.
type m = map[string]any

// values are those of a handoff that is accepted, with changes.
func values(change m) m {
	v := m{"task": 7, "phase": 1, "slug": "small", "next_action": "Run `go vet a.go` and fix what it reports.",
		"state":     m{"file": "a.go", "location": "line 1", "goal": "vet is clean"},
		"decisions": []string{}, "dead_ends": []string{"gofmt: changes nothing"}, "context": []string{"The parser panics."}, "references": []string{"a.go"}}
	for key, value := range change {
		if v[key] = value; value == nil {
			delete(v, key)
		}
	}
	return v
}

// inBothEras runs a test with a client of each era.
func inBothEras(t *testing.T, do func(t *testing.T, p *place, s *sdk.ClientSession)) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			p := newPlace(t)
			do(t, p, connect(t, p.config(), version))
		})
	}
}

// TestDefinitions compares what clients get with a golden file, and counts it. The
// definitions of the tools may have 1,200 tokens. internal/text/tokens estimates 1,029
// where o200k_base has 1,135 (`go run ./tokens FILE` in bench), so the limit is lower.
func TestDefinitions(t *testing.T) {
	const mostTokens, mostBytes = 1086, 2048
	inBothEras(t, func(t *testing.T, _ *place, s *sdk.ClientSession) {
		if got := s.InitializeResult().ProtocolVersion; got != filepath.Base(t.Name()) {
			t.Errorf("speaks %s", got)
		}
		list, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if len(tool.Description) > mostBytes {
				t.Errorf("%s: the description has %d bytes", tool.Name, len(tool.Description))
			}
		}
		short, err := json.Marshal(list.Tools)
		if err != nil {
			t.Fatal(err)
		}
		if n := tokens.Estimate(string(short)); n > mostTokens || len(list.Tools) != 5 {
			t.Errorf("%d tools with %d tokens, want 5 with at most %d", len(list.Tools), n, mostTokens)
		} else {
			t.Logf("%d tokens", n)
		}
		if n := len(s.InitializeResult().Instructions); n == 0 || n > mostBytes {
			t.Errorf("the instructions have %d bytes", n)
		}
		resources, err := s.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		templates, err := s.ListResourceTemplates(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		prompts, err := s.ListPrompts(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "definitions.json", m{"instructions": s.InitializeResult().Instructions, "tools": list.Tools, "resources": resources.Resources,
			"resourceTemplates": templates.ResourceTemplates, "prompts": prompts.Prompts})
	})
}

func golden(t *testing.T, name string, value any) {
	t.Helper()
	got, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != string(got)+"\n" {
		t.Errorf("%s differs (go test ./surface/mcp -update writes it): %v\n%s", path, err, got)
	}
}
