package rules

import (
	"fmt"
	"strings"

	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// MalformedOutput flags outputs that are not of the form {type, path, summary}.
var MalformedOutput = Rule{lint.Rule{Name: "malformed-output", Severity: lint.Warning}, malformedOutput}

func malformedOutput(p *Pass) {
	if list, ok := p.get("artifacts"); ok && list.Kind() != jsonedit.KindArray && list.Kind() != jsonedit.KindNull {
		p.value(jsonedit.Path{"artifacts"}, "artifacts is %s, want a list of {type, path, summary}", list.Kind())
		return
	}
	list := p.outputs()
	texts, pathless, first := 0, 0, -1
	for i, v := range list {
		_, hasPath := v.Get("path")
		switch {
		case v.Kind() != jsonedit.KindObject:
			texts++
		case !hasPath:
			pathless++
		default:
			continue
		}
		if first < 0 {
			first = i
		}
	}
	var what []string
	if texts > 0 {
		what = append(what, fmt.Sprintf("%d not of the form {type, path, summary}", texts))
	}
	if pathless > 0 {
		what = append(what, fmt.Sprintf("%d without a path", pathless))
	}
	if first >= 0 { // one finding for all of them
		p.value(jsonedit.Path{"artifacts", first}, "among %s: %s", plural(len(list), "output"), strings.Join(what, ", "))
	}
}
