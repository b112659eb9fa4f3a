package phases

import (
	"slices"
	"strings"
)

// mark is the status of a phase in its heading.
type mark int

const (
	unmarked mark = iota
	phaseOpen
	phaseDone
)

// readMark reads the status in brackets at the end of a heading, or right after
// the number: "Phase 2 [COMPLETED]: …".
func readMark(rest string) (title string, m mark, err error) {
	rest = strings.Trim(strings.TrimRight(withoutCode(rest), " .✅"), " ")
	from := strings.LastIndexByte(rest, '[')
	if from < 0 {
		return clean(rest), unmarked, nil
	}
	length := strings.IndexByte(rest[from:], ']') + 1
	if length == 0 {
		return "", unmarked, unclear("bracket without an end in %q", rest)
	}
	before, status, after := strings.TrimSpace(rest[:from]), strings.Trim(rest[from:from+length], "[] "), rest[from+length:]
	m, known := markOf(status)
	switch placed := before == "" || after == ""; {
	case strings.HasSuffix(before, "]"):
		return "", unmarked, unclear("two statuses in %q", rest)
	case known && placed:
		return clean(before + after), m, nil
	case known, placed && statusLike(status):
		return "", unmarked, unclear("status %q", status)
	}
	return clean(rest), unmarked, nil
}

// statusLike reports whether text in brackets seems to be a status: capitals,
// or a word such as "done". "[2 hours]" is part of a title.
func statusLike(text string) bool {
	if len(text) > 1 && isCapital(text[0]) && isCapital(text[1]) {
		return true
	}
	return containsOne(strings.ToLower(text), "complete", "done", "start", "progress", "partial", "block", "skip", "defer", "optional", "not ", "remove")
}

// doubtful reports whether a title says that its phase may never be done, as in
// "(optional)": its author may count it or not.
func doubtful(title string) bool {
	for _, word := range []string{"optional", "contingency", "contingent", "skipped", "deferred", "removed", "dropped", "superseded",
		"obsolete", "cancelled", "canceled", "abandoned", "not needed", "not applicable", "merged into", "moved to", "if needed", "alternative", "path a", "path b"} {
		if strings.HasPrefix(title, word) || strings.Contains(title, "("+word) || strings.Contains(title, word+")") {
			return true
		}
	}
	return strings.Contains(title, "~~")
}

func clean(title string) string { return strings.ToLower(strings.Trim(title, " :.-–—")) }

// withoutCode removes code spans, because brackets in them are not a status.
func withoutCode(text string) string {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(parts); i += 2 {
		b.WriteString(parts[i])
	}
	return b.String()
}

// markOf reads a status. It accepts more words only if they cannot change the
// meaning: an open phase stays open, and a date does not reopen a completed
// one.
func markOf(status string) (m mark, known bool) {
	status = strings.ToUpper(status)
	for _, word := range []string{"NOT STARTED", "IN PROGRESS", "PARTIAL", "BLOCKED", "PENDING", "PLANNED", "TODO"} {
		if rest, ok := strings.CutPrefix(status, word); ok && (rest == "" || strings.HasPrefix(rest, " - ") || strings.HasPrefix(rest, ":")) {
			return phaseOpen, true
		}
	}
	for _, word := range []string{"COMPLETED", "COMPLETE", "DONE"} {
		rest, ok := strings.CutPrefix(status, word)
		rest = strings.TrimLeft(rest, " ")
		if ok && (rest == "" || len(rest) >= 4 && digitsOf(rest) == 4 || strings.HasPrefix(rest, "VIA TASK ")) {
			return phaseDone, true
		}
	}
	return unmarked, false
}

// containsOne reports whether a text contains one of the words.
func containsOne(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}
