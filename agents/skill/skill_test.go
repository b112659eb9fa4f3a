package skill_test

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handoff/agents/host"
	"handoff/agents/skill"
)

// TestText: the skill has the fields that every host reads and no others, within
// their limits, and a short body.
func TestText(t *testing.T) {
	head, body, ok := strings.Cut(strings.TrimPrefix(skill.Text(), "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(skill.Text(), "---\n") {
		t.Fatal("no frontmatter")
	}
	var fields []string
	for _, line := range strings.Split(head, "\n") {
		field, value, _ := strings.Cut(line, ": ")
		fields = append(fields, field)
		if strings.Contains(value, ": ") || strings.Contains(value, " #") {
			t.Errorf("%s: a plain scalar of YAML ends at %q", field, value)
		}
		switch field {
		case "name":
			if value != skill.Name {
				t.Errorf("name: %q", value)
			}
		case "description":
			if len(value) > 1024 || !strings.Contains(value, "Use it") {
				t.Errorf("description of %d bytes: at most 1,024, and it says when to use the skill", len(value))
			}
		}
	}
	if !slices.Equal(fields, []string{"name", "description"}) {
		t.Errorf("fields: %q", fields)
	}
	if lines := strings.Count(body, "\n"); lines > 60 {
		t.Errorf("the body has %d lines", lines)
	}
	for _, command := range []string{"next", "brief", "claim", "ack", "new", "lint", "done", "verify"} {
		if !strings.Contains(body, "`handoff "+command) {
			t.Errorf("handoff %s is not mentioned", command)
		}
	}
}

// TestBlock: the block is found by its first and last line, and is short.
func TestBlock(t *testing.T) {
	if !strings.HasPrefix(skill.Block(), skill.BlockBegin+" v") || !strings.HasSuffix(skill.Block(), "\n"+skill.BlockEnd+"\n") {
		t.Errorf("block:\n%s", skill.Block())
	}
	if n := strings.Count(skill.Block(), "\n"); n > 10 {
		t.Errorf("%d lines", n)
	}
	if strings.Count(skill.Block(), "<!--") != 2 {
		t.Error("a marker is repeated within the block")
	}
}

//go:generate go test -vet=off . -run TestPages -update

var update = flag.Bool("update", false, "write the lines of the block into the pages")

// lines are the lines of the block between its markers.
func lines() string {
	_, text, _ := strings.Cut(skill.Block(), "\n")
	text, _, _ = strings.Cut(text, skill.BlockEnd)
	return text
}

// TestPages: the pages that tell users which lines to add have those of the block.
func TestPages(t *testing.T) {
	for _, page := range []string{"../../docs/start.md", "../../docs/agents.md"} {
		src, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		const open, end = "```markdown\n## Handoffs\n", "```\n"
		before, rest, found := strings.Cut(string(src), open)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Fatalf("%s has no block that begins with %q", page, open)
		}
		want := before + "```markdown\n" + lines() + end + after
		if *update {
			err = os.WriteFile(page, []byte(want), 0o644)
		} else if string(src) != want {
			t.Errorf("%s has other lines than the block (`go generate ./...` writes them)", page)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestExpanded: no text has a step that does not exist.
func TestExpanded(t *testing.T) {
	for name, text := range map[string]string{"SKILL.md": skill.Text(), "block.md": skill.Block()} {
		if strings.Contains(text, "{{") || strings.Contains(text, "}}") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestCommands: each command is in both forms, has no step that does not exist, and no model is told of it unless
// it is typed.
func TestCommands(t *testing.T) {
	for _, file := range []string{"a/handoff.md", "pickup.md", "handoff.toml", "x/pickup.toml"} {
		text, ok := skill.Command(file)
		if !ok || strings.Contains(text, "{{") || len(text) > 2000 {
			t.Errorf("%s: %v, %d bytes:\n%s", file, ok, len(text), text)
		}
		if md := strings.HasSuffix(file, ".md"); md != strings.Contains(text, "\ndisable-model-invocation: true\n---\n") || !md && strings.Count(text, "'''") != 2 {
			t.Errorf("%s:\n%s", file, text)
		}
		if want := map[bool]string{true: "`handoff draft --save`", false: "`handoff next`"}[strings.Contains(file, "handoff.")]; !strings.Contains(text, want) {
			t.Errorf("%s does not begin with %s", file, want)
		}
	}
	for _, file := range []string{"other.md", "handoff.txt", ""} {
		if text, ok := skill.Command(file); ok {
			t.Errorf("%q: %s", file, text)
		}
	}
}

// TestPluginEvents: the plugin asks for events of `handoff hook` only, and for
// all that OpenCode has.
func TestPluginEvents(t *testing.T) {
	opencode, err := host.Named("opencode")
	if err != nil {
		t.Fatal(err)
	}
	asked := map[host.Event]bool{}
	for _, m := range regexp.MustCompile(`(?:hook\(directory, |known\.run\()"([a-z-]+)"`).FindAllStringSubmatch(skill.OpenCodePlugin, -1) {
		if _, ok := opencode.Hook(host.Event(m[1])); !ok {
			t.Errorf("OpenCode has no event %s", m[1])
		}
		asked[host.Event(m[1])] = true
	}
	for _, h := range opencode.Hooks {
		if !asked[h.Event] {
			t.Errorf("the plugin does not ask for %s", h.Event)
		}
	}
	if !strings.Contains(skill.OpenCodePlugin, `"--host", "opencode"`) {
		t.Error("the plugin does not name its host")
	}
}

// TestPluginImports: a package that is not installed would keep OpenCode from
// loading the file.
func TestPluginImports(t *testing.T) {
	imports := regexp.MustCompile(`(?m)^import .* from "([^"]+)"|\b(?:require|import)\("([^"]+)"\)`).FindAllStringSubmatch(skill.OpenCodePlugin, -1)
	if len(imports) == 0 {
		t.Fatal("no imports found")
	}
	for _, m := range imports {
		if !strings.HasPrefix(m[1]+m[2], "node:") {
			t.Errorf("imports %q", m[1]+m[2])
		}
	}
}
