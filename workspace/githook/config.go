package githook

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
)

// lefthookFiles are where lefthook looks for its configuration. One that is not YAML cannot
// be changed.
var lefthookFiles = []string{"lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".config/lefthook.yml", ".config/lefthook.yaml",
	"lefthook.toml", ".lefthook.toml", ".config/lefthook.toml", "lefthook.json", ".lefthook.json", ".config/lefthook.json"}

const preCommitFile = ".pre-commit-config.yaml"

// lefthookLines are two keys of the configuration.
func lefthookLines() string {
	text := ""
	for _, name := range names {
		text += name + ":\n  commands:\n    handoff:\n      run: " + optional + "\n"
	}
	return text
}

// preCommitLines are an element of repos.
const preCommitLines = `- repo: local
  hooks:
    - id: handoff
      name: handoff
      entry: sh -c '` + optional + `'
      language: system
      always_run: true
      pass_filenames: false
`

// ByHandError reports a configuration that cannot be changed safely.
type ByHandError struct {
	Path  string // relative to the root, or absolute when outside
	Owner string // the program that reads it
	Lines string // what to add to it
	Then  string // the command with which the owner reads it
}

func (e *ByHandError) Error() string {
	where := ""
	if e.Owner == lefthook.name {
		where = ", `handoff:` below the commands of a part that exists"
	}
	return fmt.Sprintf("%s: %s reads its hooks from this file, which could not be changed safely: add the lines above to what is there%s, then run `%s`", e.Path, e.Owner, where, e.Then)
}

// addToConfig adds the check to the configuration of the owner, if what the file says
// otherwise certainly stays the same. Else the error has the lines to add.
func (t target) addToConfig(c *change) error {
	before, old, after := cut(c.old)
	if old == "" && calls(c.old) {
		c.new, c.step.Verb = c.old, "kept"
		return nil
	}
	bare := before + after
	lines, added := lefthookLines(), appended(bare)
	if t.owner == preCommit {
		lines = preCommitLines
		added = inserted(bare)
	}
	if old != "" && !closed(old) || !extends(bare, added, t.owner) {
		return &ByHandError{Path: c.step.Path, Owner: t.owner.name, Lines: lines, Then: t.owner.install}
	}
	if c.new = added; added == c.old {
		c.step.Verb = "kept"
		return nil
	}
	if c.step.Why = "added to it"; old != "" {
		c.step.Why = "updated"
	}
	return nil
}

// calls reports whether a text runs our check, as its author wrote it.
func calls(text string) bool {
	return strings.Contains(text, "handoff lint") || strings.Contains(text, "handoff-lint") || strings.Contains(text, "handoff-meta")
}

// appended is a configuration of lefthook with our keys at its end.
func appended(src string) string {
	if src != "" && !strings.HasSuffix(src, "\n") {
		src += "\n"
	}
	return src + begin + "\n" + lefthookLines() + end + "\n"
}

// inserted is a configuration of pre-commit with our element as the first of repos, indented
// like the one after it; "" if there is none.
func inserted(src string) string {
	at, list := 0, -1
	for line := range strings.Lines(src) {
		text := strings.TrimSpace(line)
		if list < 0 {
			at += len(line)
			if strings.HasPrefix(line, "repos:") && (text == "repos:" || strings.HasPrefix(strings.TrimSpace(text[len("repos:"):]), "#")) {
				list = at
			}
			continue
		}
		if text == "" || text[0] == '#' {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		added := ""
		for l := range strings.Lines(begin + "\n" + preCommitLines + end + "\n") {
			added += indent + l
		}
		return src[:list] + added + src[list:]
	}
	return ""
}

// extends reports whether a configuration is another one with nothing but our part added.
func extends(old, added string, o *owner) bool {
	var before, after map[string]any
	if yaml.Unmarshal([]byte(old), &before) != nil || added == "" || yaml.Unmarshal([]byte(added), &after) != nil {
		return false
	}
	if o == preCommit {
		repos, _ := after["repos"].([]any)
		if len(repos) == 0 {
			return false
		}
		after["repos"] = repos[1:]
		return reflect.DeepEqual(before, after)
	}
	for _, name := range names {
		if _, had := before[name]; had || after[name] == nil {
			return false
		}
		delete(after, name)
	}
	return maps.EqualFunc(before, after, func(a, b any) bool { return reflect.DeepEqual(a, b) })
}
