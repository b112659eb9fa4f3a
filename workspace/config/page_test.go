package config

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

//go:generate go test -vet=off . -run TestPage$ -update

var update = flag.Bool("update", false, "write the keys into docs/configuration.md")

// TestPage compares the table of keys in docs/configuration.md with the schema and with Keys.
func TestPage(t *testing.T) {
	const page, begin, end = "../../docs/configuration.md", "<!-- keys: written by TestPage -->\n", "<!-- end of keys -->\n"
	src, err := os.ReadFile("../../docs/schema/config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema yaml.Node // JSON is YAML, and nodes keep the order
	if err := yaml.Unmarshal(src, &schema); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("\n| key | type | default | |\n|---|---|---|---|\n")
	writeKeys(&b, member(schema.Content[0], "properties"), "")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no place for the keys", page)
	}
	want := before + begin + b.String() + "\n" + end + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s is out of date: go generate ./...", page)
	}
	if rows := strings.Count(b.String(), "\n| `"); rows < len(Keys) {
		t.Errorf("%d rows for %d keys", rows, len(Keys))
	}
}

// writeKeys adds a row for each key of an object, and for those below it.
func writeKeys(b *strings.Builder, properties *yaml.Node, above string) {
	for i := 0; i < len(properties.Content); i += 2 {
		key, s := above+properties.Content[i].Value, properties.Content[i+1]
		text := text(s, "description")
		if Keys[key] == Acts {
			text += " [Needs trust](security.md#trust)."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", key, kind(s), standard(s), strings.TrimSpace(text))
		below := member(s, "properties")
		if items := member(s, "items"); below == nil && items != nil {
			below = member(items, "properties")
		}
		if below != nil {
			writeKeys(b, below, key+".")
		}
	}
}

// kind says in words what a value may be.
func kind(s *yaml.Node) string {
	switch one, enum := member(s, "oneOf"), member(s, "enum"); {
	case one != nil:
		var kinds []string
		for _, n := range one.Content {
			kinds = append(kinds, kind(n))
		}
		return strings.Join(kinds, ", or ")
	case enum != nil:
		var values []string
		for _, n := range enum.Content {
			values = append(values, "`"+n.Value+"`")
		}
		return strings.Join(values, ", ")
	case member(s, "const") != nil:
		return "`" + text(s, "const") + "`"
	}
	name := text(s, "type")
	if list := member(s, "type"); list != nil && len(list.Content) > 0 {
		name = list.Content[0].Value // the other one is null
	}
	switch name {
	case "integer":
		return "number, " + text(s, "minimum") + " to " + text(s, "maximum")
	case "boolean":
		return "`true` or `false`"
	case "array":
		return "list: " + strings.TrimPrefix(kind(member(s, "items")), "list: ")
	case "object":
		if more := member(s, "additionalProperties"); more != nil && len(more.Content) > 0 {
			return "object; each: " + kind(more)
		}
		return "object"
	}
	return "text"
}

// standard is the default of a key: that of its schema, or nothing.
func standard(s *yaml.Node) string {
	d := member(s, "default")
	switch {
	case d == nil || d.Kind == yaml.ScalarNode && d.Value == "":
		return ""
	case d.Kind == yaml.SequenceNode:
		return "`[]`"
	}
	return "`" + d.Value + "`"
}

// member is the value of a key, nil if there is none.
func member(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func text(n *yaml.Node, key string) string {
	if value := member(n, key); value != nil {
		return value.Value
	}
	return ""
}
