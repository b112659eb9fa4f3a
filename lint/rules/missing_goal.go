package rules

import (
	"handoff/document/claims"
	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/lint"
)

// missingGoal flags a current state that names the place where the work stopped
// but not its state.
func missingGoal(p *lint.Pass) {
	s := p.Doc.Section(handoff.CurrentState)
	if s == nil || len(s.Fences) > 0 || len(s.Labels) == 0 {
		return
	}
	other := claims.OtherLanguage(p.Doc)
	for i := range s.Labels {
		if name := s.Labels[i].Name; !locationName(name, other) && !placeName(name, other) {
			return
		}
	}
	labels, last := s.Labels, 0 // the labels to come, and the last line of the previous ones
	for n, line := range proseOf(p, s) {
		for len(labels) > 0 && labels[0].Lines.First <= n {
			labels, last = labels[1:], max(last, labels[0].Lines.Last)
			p.Looked++
		}
		if plain(line) != "" && n > last {
			return
		}
	}
	p.At(s.Heading.Lines, "current state says where, not what is open: write \"- **Goal state**: what is open\"")
}

// placeName reports whether a label names a file or another place of the work.
func placeName(name string, other bool) bool {
	return startsAny(name, "file", "files", "plan", "progress", "branch", "backup", "worktree", "folder", "directory") ||
		other && (words.Is("file", name) || words.Is("whereabouts", name))
}
