package receipts

import "handoff/internal/text/secret"

// maxReason is the most bytes of a reason; a receipt takes 500.
const maxReason = 490

// Reason is a text from an agent as the reason of a release. A receipt would refuse
// one of several lines or with control characters, and the claim would stay.
func Reason(text string) string { return secret.MaskLine(text, maxReason) }
