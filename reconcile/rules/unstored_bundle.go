package rules

import (
	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// UnstoredBundle flags linked bundles that are not in the store but follow from their documents.
var UnstoredBundle = Rule{lint.Rule{Name: "unstored-bundle", Severity: lint.Note, Fixable: true}, unstoredBundle}

func unstoredBundle(p *Pass) {
	var at jsonedit.Path
	n := 0
	for _, b := range p.bundles {
		if b.state == unstored {
			if n++; n == 1 {
				at = b.at
			}
		}
	}
	switch { // one finding for all of them: a checkout without .rip lacks every bundle
	case n == 1:
		p.value(at, "1 linked bundle not in the store: `handoff sync` rebuilds it from the documents")
	case n > 1:
		p.value(at, "%d linked bundles not in the store: `handoff sync` rebuilds them from the documents", n)
	}
}
