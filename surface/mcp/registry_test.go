package mcp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/document/handoff"
)

// TestServerJSON checks release/server.json, which the MCP registry reads: its own schema of
// 2025-12-11, as far as it limits what the file has, and that the package that it names
// is of this version. If HANDOFF_CONTRACTS has mcp-server.schema.json, the registry's own
// schema, it is checked against that, too.
func TestServerJSON(t *testing.T) {
	src, err := os.ReadFile("../../release/server.json")
	if err != nil {
		t.Fatal(err)
	}
	var server struct {
		Schema      string `json:"$schema"`
		Name        string
		Title       string
		Description string
		Version     string
		Packages    []struct {
			RegistryType, Identifier, Version, RuntimeHint string
			PackageArguments                               []struct{ Type, Value string }
			EnvironmentVariables                           []struct{ Name, Description string }
			Transport                                      struct{ Type string }
		}
	}
	d := json.NewDecoder(bytes.NewReader(src))
	d.DisallowUnknownFields()
	if err := d.Decode(&server); err != nil {
		t.Fatal(err)
	}
	if server.Schema != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" {
		t.Errorf("$schema is %s", server.Schema)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(server.Name) || len(server.Name) > 200 {
		t.Errorf("name %q", server.Name)
	}
	for what, text := range map[string]string{"title": server.Title, "description": server.Description} {
		if n := len([]rune(text)); n < 1 || n > 100 {
			t.Errorf("the %s has %d characters, want 1 to 100", what, n)
		}
	}
	if server.Version != handoff.Version || len(server.Packages) != 1 {
		t.Fatalf("version %s, want %s; %d packages", server.Version, handoff.Version, len(server.Packages))
	}
	p := server.Packages[0]
	if p.RegistryType != "npm" || p.Identifier == "" || p.Version != handoff.Version || p.Transport.Type != "stdio" {
		t.Errorf("package %+v", p)
	}
	if a := p.PackageArguments; len(a) != 1 || a[0].Type != "positional" || a[0].Value != "mcp" {
		t.Errorf("arguments %+v", a)
	}
	schema, err := os.ReadFile(filepath.Join(os.Getenv("HANDOFF_CONTRACTS"), "mcp-server.schema.json"))
	if err == nil {
		matches(t, schema, src)
	}
}

func matches(t testing.TB, schema, src []byte) {
	t.Helper()
	var docs [2]any
	for i, text := range [][]byte{schema, src} {
		var err error
		if docs[i], err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:server", docs[0]); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("urn:server")
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(docs[1]); err != nil {
		t.Error(err)
	}
}
