package rules

import (
	"maps"
	"slices"

	"handoff/lint"
)

// UnparsableFile flags metadata and progress files that are not JSON objects.
var UnparsableFile = Rule{lint.Rule{Name: "unparsable-file", Severity: lint.Error}, unparsableFile}

func unparsableFile(p *Pass) {
	files := append(slices.Collect(maps.Values(p.Progress)), p.Metadata)
	for _, f := range files {
		if f.Src == nil {
			continue
		}
		if _, problem := f.Object(); problem != nil {
			p.problem(*problem)
		}
	}
}
