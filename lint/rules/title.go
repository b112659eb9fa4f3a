package rules

import (
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
)

// isStrict reports whether a title has the template's form: "Phase 3 Handoff -
// 20260212T143022Z". The phase may also be written as in the file name.
func isStrict(text string, n handoff.Name) bool {
	phase, stamp := cutTitle(text)
	if agrees(phase, stamp, n) {
		return true
	}
	if !isPlainNumber(phase) && (phase == "" || phase != n.PhaseText) {
		return false
	}
	_, err := time.Parse(handoff.Stamp, stamp)
	return err == nil
}

// cutTitle splits a title in the template's form into phase and stamp, without
// checking them; both are empty for any other title.
func cutTitle(text string) (phase, stamp string) {
	rest, ok := strings.CutPrefix(text, "Phase ")
	if !ok {
		return "", ""
	}
	phase, stamp, ok = strings.Cut(rest, " Handoff - ")
	if !ok || len(stamp) != len(handoff.Stamp) {
		return "", ""
	}
	return phase, stamp
}

// agrees reports whether a canonical name has the title's phase and stamp,
// which is true of most documents. It is faster than parsing a time.
func agrees(phase, stamp string, n handoff.Name) bool {
	return stamp != "" && n.Class == handoff.Canonical && phase == n.PhaseText && strings.Contains(n.Base, stamp)
}

func isPlainNumber(s string) bool {
	return s != "" && s[0] != '0' && strings.Trim(s, "0123456789") == ""
}

// strictForm is the title in the template's form, if text has only phase and
// time, in other punctuation: "phase 03 handoff: 2026-02-12T14:30:22Z".
func strictForm(text string) (string, bool) {
	m, found := handoff.FindMoment(text)
	if m.Unit != time.Second || !m.Zoned {
		return "", false
	}
	if i := strings.IndexByte(found, '.'); i >= 0 && strings.Trim(found[i+1:], "0Z") != "" {
		return "", false // a fraction would be lost
	}
	words := strings.FieldsFunc(strings.Replace(text, found, " ", 1), notWord)
	if len(words) != 3 || !strings.EqualFold(words[0], "phase") || !strings.EqualFold(words[2], "handoff") {
		return "", false
	}
	phase := strings.TrimLeft(words[1], "0")
	if !isPlainNumber(phase) {
		return "", false
	}
	return "Phase " + phase + " Handoff - " + m.Time.Format(handoff.Stamp), true
}

func notWord(r rune) bool { return strings.ContainsRune(" \t:-–—,;()[]|/", r) }

// titlePhase is the phase in a title: "3", "3A", "5.0", "2-3"; "" if there is
// none, or several.
func titlePhase(text string) string {
	phase := ""
	for rest := text; ; {
		i := prose.IndexFold(rest, "phase")
		if i < 0 {
			return phase
		}
		startsWord := i == 0 || notAlphanumeric(rune(rest[i-1]))
		rest = rest[i+len("phase"):]
		word, after := phaseWord(rest)
		if !startsWord || word == "" {
			continue
		}
		if phase != "" && phase != word || moreFollow(after) {
			return ""
		}
		phase, rest = word, after
	}
}

// phaseWord is the phase at the start of s, which follows "phase", and the text
// after it.
func phaseWord(s string) (word, after string) {
	word, ok := strings.CutPrefix(s, " ")
	if !ok {
		if word, ok = strings.CutPrefix(s, "s "); !ok {
			return "", s
		}
	}
	end := strings.IndexFunc(word, func(r rune) bool { return r != '-' && r != '.' && notAlphanumeric(r) })
	if end >= 0 {
		word, after = word[:end], word[end:]
	}
	if word = strings.TrimRight(word, "-."); !isPhase(word) {
		return "", s
	}
	return word, after
}

// isPhase reports whether a word after "phase" is a phase: "3", "3A", "2-3",
// "5.0" and "B" are, "complete", "3-way" and "a" are not.
func isPhase(word string) bool {
	rest := strings.TrimLeft(word, "0123456789")
	if rest == word {
		return len(word) == 1 && 'A' <= word[0] && word[0] <= 'Z'
	}
	return rest == "" || len(rest) == 1 && !notAlphanumeric(rune(rest[0])) || strings.Trim(rest, "-.0123456789") == ""
}

// moreFollow reports whether more phases follow: " & 3", " + Phase 8", "–4".
func moreFollow(after string) bool {
	rest := strings.TrimLeft(after, " ")
	for _, and := range [...]string{"&", "+", ",", "/", "–", "and ", "to "} {
		if next, ok := strings.CutPrefix(rest, and); ok {
			next = strings.TrimLeft(next, " ")
			return prose.DigitAt(next, 0) || prose.IndexFold(next, "phase") == 0
		}
	}
	return false
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// samePhase compares two phases; "03" is "3", "3a" is "3A".
func samePhase(a, b string) bool {
	return strings.EqualFold(unpadded(a), unpadded(b))
}

func unpadded(phase string) string {
	if rest := strings.TrimLeft(phase, "0"); prose.DigitAt(rest, 0) {
		return rest
	}
	return phase
}
