package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// schemas are the published schemas, by the name of a file in HANDOFF_CONTRACTS.
var schemas = map[string]string{
	packageName + ".json":                        "scoop",
	owner + "." + command + ".yaml":              "winget-version",
	owner + "." + command + ".installer.yaml":    "winget-installer",
	owner + "." + command + ".locale.en-US.yaml": "winget-defaultLocale",
	"aqua-registry.yaml":                         "aqua-registry",
	"devcontainer-feature.json":                  "devcontainer-feature",
	"manifest.json":                              "mcpb",
	"server.json":                                "mcp-server",
}

// checkSchemas compares the files with the schemas of those who read them, as far as the folder has them.
func checkSchemas(t *testing.T, full *release) {
	list := texts(t, full)
	list["manifest.json"] = asJSON(full.bundleManifest(target{"darwin", "arm64"}))
	checked := 0
	for name, schema := range schemas {
		src, err := os.ReadFile(filepath.Join(os.Getenv("HANDOFF_CONTRACTS"), schema+".schema.json"))
		if err != nil {
			continue
		}
		checked++
		var parsed any
		if err := yaml.Unmarshal(list[name], &parsed); err != nil { // JSON is YAML
			t.Fatal(err)
		}
		checkSchema(t, name, src, asJSON(parsed))
	}
	if checked == 0 {
		t.Skip("no schemas in HANDOFF_CONTRACTS")
	}
	t.Logf("%d of %d schemas", checked, len(schemas))
}

func checkSchema(t *testing.T, name string, schema, text []byte) {
	t.Helper()
	var docs [2]any
	for i, src := range [][]byte{schema, text} {
		var err error
		if docs[i], err = jsonschema.UnmarshalJSON(bytes.NewReader(src)); err != nil {
			t.Fatal(name, err)
		}
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("urn:published", docs[0]); err != nil {
		t.Fatal(name, err)
	}
	compiled, err := c.Compile("urn:published")
	if err != nil {
		t.Fatal(name, err)
	}
	if err := compiled.Validate(docs[1]); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
