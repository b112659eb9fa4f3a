package secret

import (
	"strings"

	"handoff/internal/text/visible"
)

// Line is text from an agent as one line to be recorded: without secrets and
// invisible characters, cut to about so many bytes.
func Line(text string, most int) string {
	text, _ = visible.Model(Hide(text))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
