package rules

import (
	"path"

	"handoff/lint"
)

// StaleBundle flags a document that was edited after it was linked.
var StaleBundle = Rule{lint.Rule{Name: "stale-bundle", Severity: lint.Error, Fixable: true}, staleBundle}

func staleBundle(p *Pass) {
	for _, b := range p.bundles {
		if b.state == stale {
			p.value(b.at, "%s was edited after it was linked: its bundle is now %s", path.Base(b.of.Path), b.of.ID)
		}
	}
}
