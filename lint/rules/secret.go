package rules

import (
	"handoff/internal/text/secret"
	"handoff/lint"
)

// reportSecrets flags what looks like a key, a token or a password. It reports the
// kind and place of each, and not its text.
func reportSecrets(p *lint.Pass) {
	for _, f := range secret.All(p.Doc.Source) {
		reportBytes(p, f.From, f.To, "this looks like "+f.Kind+": remove it, revoke it, and say where the new one is kept")
	}
}
