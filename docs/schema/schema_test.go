package schema

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestNames: each schema of the folder is listed by its name.
func TestNames(t *testing.T) {
	files, err := FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := Names()
	if len(files) == 0 || len(names) != len(files) {
		t.Errorf("%d schemas, listed are %q", len(files), names)
	}
	for _, f := range files {
		if !slices.ContainsFunc(names, func(n string) bool { return n+".schema.json" == f.Name() }) {
			t.Errorf("%s is not listed: %q", f.Name(), names)
		}
	}
}

// patterns adds the regular expressions of a schema.
func patterns(v any, to map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			patterns(e, to)
		}
	case map[string]any:
		for name, e := range v {
			if text, ok := e.(string); ok && name == "pattern" {
				to[text] = true
			}
			if of, ok := e.(map[string]any); ok && name == "patternProperties" {
				for text := range of {
					to[text] = true
				}
			}
			patterns(e, to)
		}
	}
}

// foreign is what some of ECMA 262 (with its flag u, as JSON Schema asks), Python and Go do not read: classes of
// Unicode, escapes and groups that only one of them has.
var foreign = regexp.MustCompile(`\\[^dDsSwWbBnrtfvx^$\\.*+?()[\]{}|/]|\\x($|[^0-9a-f])|\(\?[^:]|\[\[:`)

// TestPatterns: validators of all languages read the regular expressions of the published schemas and of openapi.json.
func TestPatterns(t *testing.T) {
	needs.Tool(t, "python3")
	all := map[string]bool{}
	for _, name := range append(Names(), "../openapi") {
		file := strings.Replace(name+".schema.json", "openapi.schema", "openapi", 1)
		src, err := os.ReadFile(file)
		var schema any
		if err == nil {
			err = json.Unmarshal(src, &schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		patterns(schema, all)
	}
	if len(all) < 10 {
		t.Errorf("%d patterns", len(all))
	}
	for text := range all {
		if found := foreign.FindString(text); found != "" {
			t.Errorf("%s has %s", text, found)
		}
		if _, err := regexp.Compile(text); err != nil {
			t.Error(err)
		}
	}
	python := append([]string{"-c", "import re, sys; [re.compile(p) for p in sys.argv[1:]]"}, slices.Sorted(maps.Keys(all))...)
	if out, err := exec.Command("python3", python...).CombinedOutput(); err != nil {
		t.Errorf("%s", out)
	}
	for _, text := range []string{`\p{L}`, `\u00e4`, `\x{e4}`, `(?i)a`, `(?P<a>b)`, `[[:alpha:]]`, `\A`, `\-`} {
		if !foreign.MatchString(text) {
			t.Errorf("%s is not found", text)
		}
	}
}
