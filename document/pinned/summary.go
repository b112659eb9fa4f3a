package pinned

import (
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
)

// mentioned is the share of an item's words from which a text counts as having it.
const mentioned = 0.6

// InSummary returns which items of a document are in a paraphrase, such as the summary
// that a host keeps instead of a context. It compares words, so a summary that states
// the opposite counts, too.
func InSummary(doc *handoff.Document, blobs Blobs, text string) (changes []Change) {
	has := prose.Stems(text)
	for _, it := range All(doc, blobs) {
		c := Change{Item: it, Fate: Lost}
		if words := prose.Stems(it.Text); prose.Shared(words, has) >= mentioned || len(words) == 0 && strings.Contains(text, it.Text) {
			c.Fate, c.Edited = Kept, !strings.Contains(text, it.Text)
		}
		changes = append(changes, c)
	}
	return changes
}
