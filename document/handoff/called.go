package handoff

import (
	"strconv"

	"handoff/internal/text/inert"
)

// Ref is the short name of a document, such as "259/3", or what the plan of another tool calls
// its task; "" if its path does not contain task and phase.
func (n Name) Ref() string {
	if n.ID != "" {
		return n.ID
	}
	if n.Width == 0 || n.PhaseText == "" {
		if n.Layout != "" && n.Task > 0 {
			return strconv.Itoa(n.Task)
		}
		return ""
	}
	return strconv.Itoa(n.Task) + "/" + n.PhaseText
}

// Typed is how a model names a document in a command: its path, or its short name if the
// path could be read as a sentence. ok is false if neither can be shown. The path of a known place
// may be in any script.
func (n Name) Typed(path string) (ref string, ok bool) {
	if inert.Safe(path) || n.Known {
		return path, true
	}
	return n.Ref(), inert.Safe(n.Ref())
}

// Called is how a sentence for a model names a document outside of the frame of a report,
// where a path chosen by somebody else must not have the program's voice.
func (n Name) Called(path string) string {
	if ref, ok := n.Typed(path); ok {
		return ref
	}
	return "a handoff whose name is not shown"
}
