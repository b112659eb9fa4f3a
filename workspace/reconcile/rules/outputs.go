package rules

import (
	"fmt"
	"path"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
	"handoff/internal/text/prose"
)

// outputs are the elements of artifacts, none if it is not a list.
func (t *Task) outputs() (outputs []jsonedit.Value) {
	list, _ := t.get("artifacts")
	for _, v := range list.Elements() {
		outputs = append(outputs, v)
	}
	return outputs
}

// outputPath is the path of an output and where it is written, "" for none. A
// URL is not a path.
func (t *Task) outputPath(i int) (string, jsonedit.Path) {
	at := jsonedit.Path{"artifacts", i, "path"}
	p := t.text(at...)
	if p == "" {
		at = at[:2]
		p = t.text(at...)
	}
	if strings.Contains(p, "://") {
		p = ""
	}
	return p, at
}

// isHandoff reports whether an output is a handoff, by its type or its folder.
func (t *Task) isHandoff(i int) bool {
	p, _ := t.outputPath(i)
	return t.text("artifacts", i, "type") == "handoff" || path.Base(path.Dir(p)) == handoff.Folder
}

// handoffFirst flags a handoff that is the first of several outputs.
func handoffFirst(p *Pass) {
	list := p.outputs()
	if len(list) < 2 || !p.isHandoff(0) {
		return
	}
	for i := range list {
		if !p.isHandoff(i) {
			p.value(jsonedit.Path{"artifacts", 0}, "a handoff is the first of %s: programs treat it as the task's result", prose.Count(len(list), "output"))
			return
		}
	}
}

// malformedOutput flags outputs that are not of the form {type, path, summary}.
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
		p.value(jsonedit.Path{"artifacts", first}, "among %s: %s", prose.Count(len(list), "output"), strings.Join(what, ", "))
	}
}
