package rules

import "handoff/lint"

// DamagedBlob flags a bundle whose bytes do not match its name.
var DamagedBlob = Rule{lint.Rule{Name: "damaged-blob", Severity: lint.Error, Fixable: true}, damagedBlob}

func damagedBlob(p *Pass) {
	for _, b := range p.bundles {
		if b.state == damaged {
			p.file(blobPath(b.id), "bytes do not match its name: the bundle of %s", b.of.Path)
		}
	}
}
