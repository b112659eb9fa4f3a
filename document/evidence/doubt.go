package evidence

import (
	"slices"
	"strings"
)

// What the reason of a mark begins with that a session's record gave: see package seen.
const (
	FailedLast = "failed when last run: "
	EditedLast = "not checked after the last edit"
)

// Doubted reports whether a mark says that the session of the author showed no support for the item, and whether that
// showed the contrary.
func (m *Mark) Doubted() (doubted, failed bool) {
	if m == nil || m.Verified {
		return false, false
	}
	failed = strings.HasPrefix(m.Reason, FailedLast)
	return failed || strings.HasPrefix(m.Reason, EditedLast), failed
}

// mostDoubts is how many reasons are told: every surface repeats them.
const mostDoubts = 2

// Doubts returns the reasons of the marks in a text that are [Mark.Doubted], each once, those of failed commands first, and not
// more than two. It alone decides which claims all surfaces show as doubted.
func Doubts(text string) (reasons []string) {
	const begin = "[unverified: "
	var edited []string
	for rest := text; ; {
		_, after, found := strings.Cut(rest, begin)
		if !found {
			reasons = append(reasons, edited...)
			return reasons[:min(mostDoubts, len(reasons))]
		}
		rest = after
		reason, _, ended := strings.Cut(after, "]")
		reason = strings.Join(strings.Fields(reason), " ")
		switch doubted, failed := (&Mark{Reason: reason}).Doubted(); {
		case !ended || !doubted || len(reason) > 300, slices.Contains(reasons, reason), slices.Contains(edited, reason):
		case failed:
			reasons = append(reasons, reason)
		default:
			edited = append(edited, reason)
		}
	}
}
