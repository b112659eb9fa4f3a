package house

import (
	"slices"
	"testing"

	"handoff/internal/testing/figures"
)

// settled are the sections whose numbers are limits and settings of the product, or of a host: code and
// other tests hold those, nothing measured them.
var settled = map[string][]string{
	"docs/bub.md":       {"## The Python package"},
	"docs/chain.md":     {"## What a compaction forgets"},
	"docs/commands.md":  {"## handoff diff", "## handoff run", "## handoff watch"},
	"docs/gauge.md":     {"## When it is time", "## The line of `--json`"},
	"docs/git-store.md": {"## Without the remote"},
	"docs/hooks.md":     {"## Errors"},
	"docs/jetstream.md": {"## The stream", "## Monitoring"},
	"docs/mcp.md":       {"### Tapes", "## Resources and prompts"},
	"docs/metadata.md":  {"## The daemon"},
	"docs/receipts.md":  {"### For scripts"},
	"docs/relay.md":     {"## Limits and errors", "## Notices"},
	"docs/rules.md":     {"## missing-next-step", "## doubted-claim"},
	"docs/runs.md":      {"# Runs and their processes"},
	"docs/server.md":    {"## Limits", "## Who may call it"},
	"docs/store.md":     {"## Check it", "## Without the store"},
	"docs/threads.md":   {"## Try it"},
	"docs/tutorial.md":  {"## Let the daemon do it"},
}

// TestFigures: a number with a unit of speed, size or precision has where it is from in its section, or in the beginning of
// its page: the command or the test that prints it, or that a person counted by hand or by eye. Tests and scripts exist.
func TestFigures(t *testing.T) {
	root := "."
	list, err := figures.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range list {
		seen += len(s.Figures)
		if len(s.Sources) == 0 && !slices.Contains(settled[s.Page], s.Heading) {
			t.Errorf("%s:%d, %q: %q has no source: name the command or the test that prints it", s.Page, s.Figures[0].Line, s.Heading, s.Figures[0].Text)
		}
		for _, from := range s.Sources {
			if _, err := from.Shell(root); err != nil {
				t.Errorf("%s:%d: %v", s.Page, from.Line, err)
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d figures were seen", seen)
	}
}
