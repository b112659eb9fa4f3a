package receipts

import (
	"strings"

	"handoff/internal/text/secret"
	"handoff/internal/text/visible"
)

// maxReason is the most bytes of a reason; a receipt takes 500.
const maxReason = 400

// Reason is a text from an agent as the reason of a release: one line, without
// secrets and invisible characters. A receipt would refuse any other, and the
// claim would stay.
func Reason(text string) string {
	text, _ = visible.Model(secret.Hide(text))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}
