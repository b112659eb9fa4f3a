package rules

import "handoff/lint"

// letterPhase flags a phase in the file's name that is not a plain number.
func letterPhase(p *lint.Pass) {
	phase := p.Name.PhaseText
	switch {
	case p.Path == "" || phase == "" || p.Name.Plain():
	case isPlainNumber(unpadded(phase)):
		p.File("phase is %s, the schema requires it unpadded: %s", phase, unpadded(phase))
	default:
		p.File("phase is %s, the schema requires one number", phase)
	}
}
