package phases

import (
	"errors"
	"fmt"
	"strings"
)

// phaseHeading is a heading that names phases.
type phaseHeading struct {
	level  int
	labels []phaseLabel // in the order of the text; a range has all its phases
	title  string       // the text after the labels, without the mark
	mark   mark
	about  bool // only refers to phases: "Phase 2 Rollback"
}

var errUnclear = errors.New("not understood")

func unclear(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errUnclear}, args...)...)
}

// readPhaseHeading reads the text of a heading. ok is false if the heading is
// not about numbered phases. The error means that it seems to be, but is
// ambiguous.
func readPhaseHeading(text string) (h phaseHeading, ok bool, err error) {
	text = strings.TrimSpace(strings.NewReplacer("**", "", "__", "").Replace(text))
	rest, named := cutPhaseWord(text)
	if !named {
		return mentionedPhase(text)
	}
	if rest == "" || !isDigit(rest[0]) {
		return h, false, unnumberedPhase(rest)
	}
	h.labels, rest, err = readLabels(rest)
	if err != nil {
		return h, false, err
	}
	if h.about, err = endsLabels(rest); err != nil {
		return h, false, err
	}
	if h.about {
		return h, true, nil
	}
	if h.title, h.mark, err = readMark(rest); err == nil && h.mark != phaseDone && doubtful(h.title) {
		err = unclear("whether %q is a phase to be done", h.title)
	}
	return h, err == nil, err
}

// cutPhaseWord cuts "Phase " or "Phases ".
func cutPhaseWord(text string) (rest string, ok bool) {
	for _, word := range []string{"Phases", "Phase", "PHASES", "PHASE"} {
		if rest, ok = strings.CutPrefix(text, word); ok && (rest == "" || rest[0] == ' ' || rest[0] == ':') {
			return strings.TrimLeft(rest, " "), true
		}
	}
	return text, false
}

// mentionedPhase reads a heading that starts with other words. If it contains a
// phase number, it refers to that phase: "Testing of Phase 2".
func mentionedPhase(text string) (h phaseHeading, ok bool, err error) {
	const word = "phase"
	for at := 0; at+len(word) <= len(text); at++ {
		if !strings.EqualFold(text[at:at+len(word)], word) {
			continue
		}
		rest := strings.TrimLeft(strings.TrimPrefix(text[at+len(word):], "s"), " ")
		if rest == "" || !isDigit(rest[0]) {
			continue
		}
		labels, _, err := readLabels(rest)
		if err != nil {
			return h, false, err
		}
		h.about, h.labels = true, append(h.labels, labels...)
	}
	return h, len(h.labels) > 0, nil
}

// unnumberedPhase accepts prose such as "Phase Dependencies". Anything that may
// be a phase without a number ("Phase A: …", "Phase EP-1: …", "Phase Two
// [DONE]") is unclear.
func unnumberedPhase(rest string) error {
	word, more, _ := strings.Cut(rest, " ")
	name, colon := strings.CutSuffix(word, ":")
	switch {
	case strings.ContainsAny(rest, "[✅✓"), colon && more != "":
		return unclear("a phase without a number: %q", rest)
	case name == "" || !isLetter(name[0]):
		return nil
	case len(name) <= 3 && strings.ToUpper(name) == name, strings.ContainsAny(name, "0123456789"):
		return unclear("a phase without a number: %q", rest)
	}
	return nil
}

// endsLabels reports whether words follow the labels, so that they only refer
// to phases, and not the separator before a title.
func endsLabels(rest string) (about bool, err error) {
	trimmed := strings.TrimLeft(rest, " ")
	switch {
	case trimmed == "":
		return false, nil
	case strings.HasPrefix(rest, ". "):
		return false, nil
	}
	for _, sep := range []string{":", "[", "(", "- ", "– ", "— "} {
		if after, ok := strings.CutPrefix(trimmed, sep); ok {
			if sep[len(sep)-1] == ' ' && after != "" && isDigit(after[0]) {
				return false, unclear("%q may be a range", rest)
			}
			return false, nil
		}
	}
	if word := trimmed[0]; rest[0] == ' ' && isLetter(word) {
		return true, nil
	}
	return false, unclear("%q after a number", rest)
}
