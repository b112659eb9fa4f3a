package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// settled are the sections whose numbers are limits and settings of the product, or of a host: code and
// other tests hold those, nothing measured them.
var settled = map[string][]string{
	"docs/bub.md":       {"## The Python package"},
	"docs/chain.md":     {"## What a compaction forgets"},
	"docs/commands.md":  {"## handoff diff", "## handoff run", "## handoff watch"},
	"docs/gauge.md":     {"## When it is time"},
	"docs/git-store.md": {"## Without the remote"},
	"docs/hooks.md":     {"## Errors"},
	"docs/jetstream.md": {"## The stream", "## Monitoring"},
	"docs/mcp.md":       {"### Tapes", "## Resources and prompts"},
	"docs/metadata.md":  {"## The daemon"},
	"docs/receipts.md":  {"### For scripts"},
	"docs/rules.md":     {"## missing-next-step"},
	"docs/runs.md":      {"# Runs and their processes"},
	"docs/server.md":    {"## Limits", "## Who may call it"},
	"docs/store.md":     {"## Check it", "## Without the store"},
	"docs/threads.md":   {"## Try it"},
	"docs/tutorial.md":  {"## Let the daemon do it"},
}

// TestFigures: a number with a unit of speed, size or precision has where it is from in its section, or in the beginning of
// its page: the command or the test that prints it, or that a person counted by hand or by eye.
func TestFigures(t *testing.T) {
	figure := regexp.MustCompile(`(?:^|[^\w` + "`" + `])(\d[\d,.]* ?(?:ms|µs|MB|KB|GB|%)|\d[\d,]* of \d[\d,]*|\d+(?:\.\d+)? (?:s|seconds|times (?:the|as|faster|slower)))(?:\W|$)`)
	source := regexp.MustCompile(`go (?:test|run) |measure|bench|CONTRIBUTING\.md#|\bTest[A-Z]\w+|\.(?:sh|py)\b|To repeat|by (?:hand|eye)|a person (?:read|counted)`)
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range append(pages, "README.md") {
		doc, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		beginning := ""
		for i, section := range sections(string(doc)) {
			if i == 0 {
				beginning = section
			}
			heading, _, _ := strings.Cut(section, "\n")
			found := figure.FindAllStringSubmatch(section, -1)
			if seen += len(found); len(found) == 0 || source.MatchString(section) || source.MatchString(beginning) {
				continue
			}
			if !slices.Contains(settled[page], heading) {
				t.Errorf("%s, %q: %q has no source: name the command or the test that prints it", page, heading, found[0][1])
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d figures were seen", seen)
	}
}

// sections are the parts of a page by heading, without blocks of code.
func sections(doc string) (list []string) {
	var b strings.Builder
	code := false
	for line := range strings.Lines(doc) {
		switch fence := strings.HasPrefix(strings.TrimSpace(line), "```"); {
		case fence:
			code = !code
			continue
		case code:
			if strings.Contains(line, "go test") || strings.Contains(line, "go run") {
				b.WriteString(line) // a command that prints figures
			}
			continue
		case strings.HasPrefix(line, "#") && b.Len() > 0:
			list = append(list, b.String())
			b.Reset()
		}
		b.WriteString(line)
	}
	return append(list, b.String())
}
