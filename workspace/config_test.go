package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff"
	"handoff/internal/strictyaml"
	"handoff/lint"
)

// someRules stand for the names that the rules have.
var someRules = []string{"long-document", "list-as-next-action", "secret"}

func TestParseConfig(t *testing.T) {
	for _, c := range []struct {
		name, src string
		change    func(*Config)
	}{
		{"nothing", "", func(*Config) {}},
		{"only comments", "# max_lines: 3\nrules:\n  # secret: off\nignore:\n", func(*Config) {}},
		{"all keys", `
profile: auto
max_lines: 50
max_next_action_words: 80
max_fence_lines: 12
padding: 3
rules:
  long-document: warning
  secret: off
ignore:
  - "*.tmp.md"
  - /specs/archive/
templates: my/templates
`, func(c *Config) {
			c.Settings = lint.Settings{Profile: lint.Handoff | lint.Completion, MaxLines: 50, MaxWords: 80, MaxFence: 12, Padding: 3,
				Severity: map[string]lint.Severity{"long-document": lint.Warning, "secret": lint.Off}}
			c.Ignore, c.Templates = []string{"*.tmp.md", "/specs/archive/"}, "my/templates"
		}},
		{"json", `{"profile": "completion", "padding": "any"}`, func(c *Config) { c.Settings.Profile = lint.Completion }},
		{"unpadded", "padding: 0", func(c *Config) { c.Settings.Padding = 0 }},
	} {
		want := DefaultConfig()
		c.change(&want)
		got, err := ParseConfig("x", []byte(c.src), someRules)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v\nwant %+v", c.name, got, err, want)
		}
	}
}

// Every problem is named at once, where it stands, in the order of the file.
func TestParseConfigProblems(t *testing.T) {
	src := `profil: handoff
profile: both
max_lines: forty
max_fence_lines: 0
padding: 7
rules:
  long-dokument: error
  nothing-like-it: error
  secret: fatal
  secret: off
ignore: ["a[", "!b", "/"]
templates: ../elsewhere
`
	want := []string{
		`1:1: unknown key "profil": did you mean profile?`,
		`2:10: unknown profile "both" (handoff, completion, auto)`,
		`3:12: want a whole number, got the word "forty"`,
		`4:18: want a number from 1 to 1000000`,
		`5:10: want any, or the number of digits: 0 for no padding, at most 6`,
		`7:3: unknown rule "long-dokument": did you mean long-document?`,
		"8:3: unknown rule \"nothing-like-it\": `handoff rules` lists them",
		`9:11: unknown severity "fatal" (off, note, warning, error)`,
		`10:3: key "secret" stands twice, first on line 9`,
		`11:10: "a[" is no glob`,
		`11:16: "!b": no glob takes back another: write globs that fit`,
		`11:22: "/" is no glob`,
		`12:12: want a folder of the workspace, relative to it`,
	}
	_, err := ParseConfig(".handoff.yaml", []byte(src), someRules)
	if got := ".handoff.yaml:" + strings.Join(want, "\n.handoff.yaml:"); err == nil || err.Error() != got {
		t.Errorf("got\n%v\nwant\n%s", err, got)
	}
	var list *strictyaml.Error
	if !errors.Is(err, handoff.ErrInvalid) || !errors.As(err, &list) || len(list.Problems) != len(want) {
		t.Errorf("%T is no list of %d problems that is invalid", err, len(want))
	}
}

func TestFindConfig(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b", "c")
	// A folder of that name is no configuration.
	for _, dir := range []string{deep, filepath.Join(root, "a", "b", ConfigFile)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if path, ok := FindConfig(deep); ok {
		t.Skipf("there is a configuration above the temporary folder: %s", path)
	}
	for _, dir := range []string{root, filepath.Join(root, "a")} { // the nearest wins
		want := filepath.Join(dir, ConfigFile)
		if err := os.WriteFile(want, []byte("max_lines: 3\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if path, ok := FindConfig(deep); !ok || path != want {
			t.Errorf("got %q, %t, want %q", path, ok, want)
		}
	}
	c, err := LoadConfig(filepath.Join(root, ConfigFile), someRules)
	if err != nil || c.Settings.MaxLines != 3 || c.Path != filepath.Join(root, ConfigFile) {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := LoadConfig(filepath.Join(root, "none"), someRules); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
}

func TestIgnores(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"a.md", "a.md", true},
		{"a.md", "specs/1_x/handoffs/a.md", true},
		{"*.tmp.md", "specs/1_x/handoffs/a.tmp.md", true},
		{"archive", "specs/archive/1_x/handoffs/a.md", true},
		{"archive/", "specs/archive/1_x/handoffs/a.md", true},
		{"arch", "specs/archive/a.md", false},
		{"/archive", "specs/archive/a.md", false},
		{"/specs", "specs/a.md", true},
		{"specs/archive", "specs/archive/1_x/a.md", true},
		{"archive/1_x", "specs/archive/1_x/a.md", false},
		{"specs/**/draft-*.md", "specs/1_x/handoffs/draft-1.md", true},
		{"**/old/**", "specs/old/1_x/a.md", true},
		{"specs/*/x.md", "specs/1/2/x.md", false},
		{"{a,b}.md", "specs/b.md", true},
		{"[ab].md", "c.md", false},
	} {
		if got := (Config{Ignore: []string{c.glob}}).Ignores(c.path); got != c.want {
			t.Errorf("%q on %q: got %t", c.glob, c.path, got)
		}
	}
}

// FuzzParseConfig holds that nothing panics, that what is refused is refused
// with places, and that the published schema takes all JSON the reader takes.
func FuzzParseConfig(f *testing.F) {
	for _, s := range []string{"max_lines: 40\nrules:\n  secret: off\nignore: [a, '**/b']\n",
		`{"padding": "any", "templates": "t", "ignore": ["["], "profile": "auto"}`, "rules: {secret: fatal, secre: off}"} {
		f.Add([]byte(s))
	}
	schema := compile(f, "config")
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := ParseConfig("x", src, someRules)
		if err != nil {
			var list *strictyaml.Error
			if !errors.As(err, &list) || len(list.Problems) == 0 || !errors.Is(err, handoff.ErrInvalid) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		c.Ignores("specs/1_a/handoffs/a.md") // a glob that passed must not blow up
		if s := c.Settings; s.MaxLines < 1 || s.MaxWords < 1 || s.MaxFence < 1 || s.Padding < -1 || s.Padding > 6 {
			t.Fatalf("got %+v", s)
		}
		if !json.Valid(src) || bytes.Contains(src, []byte("-2147483648")) {
			return // the number that stands for the word any within
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Fatal(err)
		}
	})
}
