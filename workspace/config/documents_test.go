package config

import (
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/lint"
)

func TestDocuments(t *testing.T) {
	src := `rules: {long-document: note, secret: warning}
max_lines: 50
documents:
  - preset: thoughts
    headings: {next_action: [Then]}
    rules: {secret: "off"}
  - name: notes
    files: ["notes/*.md"]
    names: ["notes/{slug}.md"]
    chain: folder
  - preset: specs
`
	c, err := Parse("x.yaml", []byte(src), []string{"long-document", "secret", "missing-section"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Documents) != 2 || c.New != c.Documents[0] || c.New.Heading(handoff.NextAction) != "Then" {
		t.Fatalf("layouts %+v, new in %+v", c.Documents, c.New)
	}
	set := c.SettingsOf("thoughts")
	for rule, want := range map[string]lint.Severity{"secret": lint.Off, "long-document": lint.Note, "missing-section": lint.Off} {
		if set.Severity[rule] != want {
			t.Errorf("%s is %v in thoughts, want %v", rule, set.Severity[rule], want)
		}
	}
	if set.MaxLines != 50 || c.SettingsOf("notes").Severity["secret"] != lint.Warning {
		t.Error("the settings of the project do not apply to layouts")
	}
	if own := c.SettingsOf(""); own.Next != "" || own.Severity["secret"] != lint.Warning || len(own.Severity) != 2 {
		t.Errorf("layouts change the settings of task folders: %+v", own)
	}
	c.Override(func(s *lint.Settings) { s.MaxLines = 7 })
	if c.SettingsOf("").MaxLines != 7 || c.SettingsOf("notes").MaxLines != 7 {
		t.Error("an override misses settings")
	}
}

func TestBadDocuments(t *testing.T) {
	for src, want := range map[string]string{
		"documents:\n  - preset: single\n  - preset: single\n":                       `3:5: a second layout with the name "single"`,
		"documents:\n  - preset: specs\n    name: x\n":                               "2:5: the preset specs has no other key than headings",
		"documents:\n  - preset: single\n    names: [HANDOFF.json]\n":                "3:13: want the form of a path of a .md or .txt file",
		"documents:\n  - preset: single\n    files: [../x.md]\n":                     "3:13: invalid glob",
		"documents:\n  - preset: single\n    chain: x\n":                             `3:12: unknown value "x" (task, folder, layout)`,
		"documents: [" + strings.Repeat("{preset: single}, ", 16) + "{preset: x}]\n": "want at most 16 layouts",
	} {
		if _, err := Parse("x.yaml", []byte(src), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", src, err, want)
		}
	}
}

// TestNoNames: a layout without names is read, but new documents are not written there.
func TestNoNames(t *testing.T) {
	for _, src := range []string{"documents: [{preset: single, names: []}]", "documents: [{name: x, files: [x.md], names: []}]"} {
		c, err := Parse("x.yaml", []byte(src), nil)
		if err != nil || len(c.Documents) != 1 || c.New != nil || c.Documents[0].Replaces {
			t.Errorf("%s: %v, new in %+v", src, err, c.New)
		}
	}
}
