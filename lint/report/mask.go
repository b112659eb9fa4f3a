package report

import (
	"slices"

	"handoff/document/handoff"
	"handoff/internal/text/secret"
	"handoff/lint"
	"handoff/parse/hidden"
)

// secretsOf are the secrets of a document that has findings; the others are not shown.
func secretsOf(doc *handoff.Document, findings []lint.Finding) []secret.Found {
	if doc == nil || len(findings) == 0 {
		return nil
	}
	return secret.All(doc.Source)
}

// masked is the document as reports show it. Reports are printed and logged, so
// they repeat neither secrets nor hidden text.
func masked(doc *handoff.Document, secrets []secret.Found, findings []lint.Finding) *handoff.Document {
	if doc == nil || len(findings) == 0 {
		return doc
	}
	secrets = slices.Clip(secrets)
	for _, p := range hidden.All(doc) {
		if !p.Mute && !p.Blanks {
			secrets = append(secrets, secret.Found{From: p.From, To: p.To, End: p.To})
		}
	}
	if len(secrets) == 0 {
		return doc
	}
	return handoff.NewDocument(secret.Stars(doc.Source, secrets))
}

// withoutSecrets removes secrets from the messages of findings (those of lint
// have none), and edits that contain one. Such an edit cannot be masked,
// because it may be applied; --fix applies it without showing it.
func withoutSecrets(doc *handoff.Document, secrets []secret.Found, findings []lint.Finding) []lint.Finding {
	if len(secrets) == 0 {
		return findings
	}
	without := secret.NewRedactor(doc.Source, secrets)
	findings = slices.Clone(findings)
	for i := range findings {
		findings[i].Message = without.Redact(findings[i].Message)
		for _, e := range findings[i].Edits {
			if without.Redact(e.Text) != e.Text {
				findings[i].Edits = nil
				break
			}
		}
	}
	return findings
}
