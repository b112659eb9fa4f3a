package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// largeFence flags fenced code that takes too much of one screen.
func largeFence(p *lint.Pass) {
	largeIn(p, &p.Doc.Preamble)
	for i := range p.Doc.Sections {
		largeIn(p, &p.Doc.Sections[i])
	}
}

func largeIn(p *lint.Pass, s *handoff.Section) {
	most := p.Settings.MaxFence
	for i := range s.Fences {
		f := &s.Fences[i]
		if n := f.Body.Count(); most > 0 && n > most && f.Closed {
			p.At(f.Lines, "%d lines of code, at most %d: keep what is open, name the file for the rest", n, most)
		}
	}
}
