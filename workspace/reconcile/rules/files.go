package rules

import (
	"maps"
	"slices"
	"strings"

	"handoff/internal/text/prose"
	"handoff/workspace/reconcile"
)

func linkedOutside(p *Pass) {
	for _, problem := range p.Problems {
		if p.Outside(problem.Path) {
			p.problem(unread(problem))
		}
	}
	p.pathsTo(throughLink, "%s leads through a symbolic link out of the workspace: %s")
	for _, b := range p.bundles {
		if b.state == storedElsewhere {
			p.file(blobPath(b.id), "is a symbolic link out of the workspace")
		}
	}
}

// unreadableFile flags a file of the task that cannot be read.
func unreadableFile(p *Pass) {
	for _, problem := range p.Problems {
		if !p.Outside(problem.Path) {
			p.problem(unread(problem))
		}
	}
	for _, problem := range p.Unlinked {
		p.problem(problem)
	}
}

// unread is a problem of loading a task without what follows from it for sync.
func unread(p reconcile.Problem) reconcile.Problem {
	p.Text = strings.TrimSuffix(p.Text, ": left alone")
	return p
}

// unparsableFile flags metadata and progress files that are not JSON objects.
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

// wrongCount flags a handoff_count that is not the number of the phase's documents.
func wrongCount(p *Pass) {
	written := p.Handoffs()
	for phase, f := range p.Progress {
		if f.Src == nil {
			continue
		}
		file, problem := f.Object()
		if problem != nil || written[phase] == 0 && !reconcile.Counted(file) {
			continue
		}
		v, ok := file.Get("handoff_count")
		if n, whole := v.Int64(); whole && n == int64(written[phase]) {
			continue
		}
		is := "is missing"
		if ok {
			is = "is " + shown(string(v.Raw()))
		}
		p.jsonValue(f.Path, v, "handoff_count %s, the phase has %s", is, prose.Count(written[phase], "handoff"))
	}
}
